// A ratio estimate: each line costs its prompt tokens, which are counted, and its generated tokens,
// of which the mean over the lines drawn is known, at the paces of the steps that answered those.

#include "app/pilot_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace cedar {
namespace {

// Steps that tell a pace, and the share of the run's requests that makes a step count as full.
constexpr size_t kFewSteps = 8;
constexpr double kFull = 0.9;

// Beyond this many standard errors lie 5 values of 100 (Student's t; an expansion that is within a
// hundredth from three degrees of freedom on).
double Reach(size_t values) {
  if (values < 2) return 0;
  constexpr double kFirst[] = {12.706, 4.303};
  if (values < 4) return kFirst[values - 2];
  const double n = static_cast<double>(values - 1);
  return 1.95996 + 2.3722 / n + 2.8226 / (n * n) + 2.5558 / (n * n * n) + 1.5895 / (n * n * n * n);
}

Estimate Around(double value, double error, double reach) {
  return {value, std::max(0.0, value - reach * error), value + reach * error};
}

// Relative standard error of a pace.
double Unsure(const Pace& pace) {
  return pace.each.mean() > 0 ? pace.each.StandardError() / pace.each.mean() : 0;
}

double SecondsOf(const Pace& pace) {
  return pace.tokens > 0 ? pace.seconds / static_cast<double>(pace.tokens) : 0;
}

// The costs of one more line, and how far they are off.
class Costs {
 public:
  Costs(const PilotResult& result, size_t at_once) : sample_(result.sample) {
    Pace full, any;
    double weighted = 0;
    for (const auto& [running, pace] : sample_.decode) {
      any.Add(pace);
      weighted += static_cast<double>(running * pace.tokens);
      if (static_cast<double>(running) >= kFull * static_cast<double>(at_once)) full.Add(pace);
    }
    running_ = any.tokens > 0 ? weighted / static_cast<double>(any.tokens) : 0;
    is_full_ = full.each.count() >= kFewSteps;
    decode_ = is_full_ ? full : any;
    const double prompts = sample_.prompt.mean() * static_cast<double>(sample_.prompt.count());
    prefill_ = prompts > 0 ? sample_.prefill.seconds / prompts : 0;
    const double busy = sample_.prefill.seconds + any.seconds;
    const size_t lines = std::max<size_t>(1, sample_.prompt.count());
    beside_ = std::max(0.0, result.seconds - busy) / static_cast<double>(lines);
  }

  // `drawn`: how many of the lines are those of the pilot, whose tokens are known.
  Estimate Generated(const PilotWork& work, size_t drawn) const {
    return Around(Tokens(work), TokensError(work, drawn), Reach(sample_.generated.count()));
  }

  Estimate Seconds(const PilotWork& work, size_t drawn) const {
    const double prefill = prefill_ * static_cast<double>(work.prompt_tokens);
    const double decode = SecondsOf(decode_) * Tokens(work);
    const double error = std::hypot(prefill * Unsure(sample_.prefill), decode * Unsure(decode_),
                                    SecondsOf(decode_) * TokensError(work, drawn));
    return Around(prefill + decode + beside_ * static_cast<double>(work.lines), error,
                  Reach(sample_.generated.count()));
  }

  double running() const { return running_; }
  bool is_full() const { return is_full_; }

 private:
  double Tokens(const PilotWork& work) const {
    return sample_.generated.mean() * static_cast<double>(work.lines);
  }

  // Of lines that were not drawn, neither the mean is known nor how each lies around it.
  double TokensError(const PilotWork& work, size_t drawn) const {
    const double unknown = static_cast<double>(work.lines - std::min(work.lines, drawn));
    return sample_.generated.StandardError() *
           std::sqrt(unknown * (unknown + static_cast<double>(sample_.generated.count())));
  }

  const RunSample& sample_;
  Pace decode_;
  double prefill_ = 0;  // seconds of a prompt token, cached ones among them
  double beside_ = 0;   // seconds of a line outside of steps
  double running_ = 0;
  bool is_full_ = false;
};

std::string Number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string Hours(double seconds) { return Number("%.3g h", seconds / 3600); }

// Hours, and where those are tiny seconds or minutes too.
std::string Duration(const Estimate& seconds, bool has_spread) {
  std::string text = Hours(seconds.value);
  if (has_spread) text += " (" + Hours(seconds.low) + " to " + Hours(seconds.high) + ")";
  if (seconds.value < 120) return text + ", " + Number("%.2g s", seconds.value);
  if (seconds.value < 7200) return text + ", " + Number("%.0f min", seconds.value / 60);
  return text;
}

std::string Tokens(const Estimate& tokens, bool has_spread) {
  std::string text = Number("%.0f", tokens.value);
  if (has_spread) text += Number(" (%.0f", tokens.low) + Number(" to %.0f)", tokens.high);
  return text;
}

std::string WorkText(const char* name, const PilotWork& work, const Estimate& generated,
                     const Estimate& seconds, bool has_spread) {
  return std::string(name) + std::to_string(work.lines) + " lines, " +
         std::to_string(work.prompt_tokens) + " prompt tokens (counted), " +
         Tokens(generated, has_spread) + " generated tokens, " + Duration(seconds, has_spread) +
         "\n";
}

nlohmann::ordered_json WorkJson(const PilotWork& work, const Estimate& generated,
                                const Estimate& seconds) {
  return {{"lines", work.lines},
          {"prompt_tokens", work.prompt_tokens},
          {"generated_tokens",
           {{"estimate", generated.value}, {"low", generated.low}, {"high", generated.high}}},
          {"hours",
           {{"estimate", seconds.value / 3600},
            {"low", seconds.low / 3600},
            {"high", seconds.high / 3600}}}};
}

}  // namespace

std::vector<size_t> DrawEvenly(size_t count, size_t wanted) {
  const size_t number = std::min(count, wanted);
  std::vector<size_t> drawn;
  // In the middle of each of so many parts of one size.
  for (size_t i = 0; i < number; ++i) drawn.push_back((2 * i + 1) * count / (2 * number));
  return drawn;
}

PilotEstimate EstimateFrom(const PilotResult& result) {
  PilotEstimate estimate;
  estimate.run_at_once = std::clamp<size_t>(result.all.answers, 1, result.parallel);
  const Costs costs(result, estimate.run_at_once);
  const size_t drawn = result.sample.generated.count();
  estimate.generated_all = costs.Generated(result.all, drawn);
  estimate.generated_left = costs.Generated(result.left, 0);
  estimate.seconds_all = costs.Seconds(result.all, drawn);
  estimate.seconds_left = costs.Seconds(result.left, 0);
  estimate.has_spread = drawn >= 2;
  estimate.running = costs.running();
  estimate.is_full = costs.is_full();
  return estimate;
}

std::string PilotText(const PilotResult& result) {
  const size_t drawn = result.sample.generated.count();
  if (drawn == 0) return "pilot:   no line was left to draw\n";
  const PilotEstimate e = EstimateFrom(result);
  std::string text = "pilot:   " + std::to_string(drawn) + " lines answered in " +
                     Number("%.2f s", result.seconds) + ", which count as done: " +
                     Number("%.1f prompt and ", result.sample.prompt.mean()) +
                     Number("%.1f generated tokens each\n", result.sample.generated.mean());
  text += WorkText("whole:   ", result.all, e.generated_all, e.seconds_all, e.has_spread);
  text += WorkText("left:    ", result.left, e.generated_left, e.seconds_left, e.has_spread);
  text +=
      e.has_spread
          ? "bar:     in brackets an interval of 95 %, from the spread of generated tokens over "
            "the lines drawn and of the time of a token over their steps\n"
          : "bar:     one line has no spread, so there is none: draw two or more\n";
  if (!e.is_full) {
    text += "caution: few steps of the pilot were as full as the run's: " +
            Number("%.1f requests at once", e.running) + ", in the run up to " +
            std::to_string(e.run_at_once) +
            ", which take less time for each token; draw more lines than that\n";
  }
  return text;
}

nlohmann::ordered_json PilotJson(const PilotResult& result) {
  const PilotEstimate e = EstimateFrom(result);
  return {{"drawn", result.sample.generated.count()},
          {"seconds", result.seconds},
          {"whole", WorkJson(result.all, e.generated_all, e.seconds_all)},
          {"left", WorkJson(result.left, e.generated_left, e.seconds_left)},
          {"confidence", e.has_spread ? nlohmann::ordered_json(0.95) : nullptr},
          {"running", e.running},
          {"run_at_once", e.run_at_once},
          {"as_full_as_the_run", e.is_full}};
}

}  // namespace cedar
