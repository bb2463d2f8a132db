#include "app/batch_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<size_t>& count) { return count ? Json(*count) : Json(); }

std::string Number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// For a terminal: short, and without what would act on it.
std::string Shown(const std::string& text) {
  constexpr size_t kMost = 200;
  size_t end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;  // no half code point
  std::string shown = text.substr(0, end) + (end < text.size() ? "..." : "");
  for (char& byte : shown) {
    if (static_cast<unsigned char>(byte) < ' ' || byte == 0x7F) byte = ' ';
  }
  return shown;
}

}  // namespace

void BatchFigures::LineFailed(const LineFailure& failure) {
  ++failed_;
  CountFailure(failure);
}

void BatchFigures::LineKnownFailed(const LineFailure& failure) {
  ++known_failed_;
  CountFailure(failure);
}

void BatchFigures::CountFailure(const LineFailure& failure) {
  constexpr size_t kShown = 3;
  ++failures_[failure.code];
  if (first_failures_.size() < kShown) first_failures_.push_back(failure);
}

void BatchFigures::StepDone(double seconds, const SchedulerCounts& counts) {
  // Reading the status costs as much as a step of a small model.
  constexpr std::chrono::milliseconds kBetweenLooks{5};
  if (const Clock::time_point now = Clock::now(); now - looked_ >= kBetweenLooks) {
    LookAtMemory();
  }
  ++steps_;
  busy_ += counts.running;
  // A step that holds both is divided by the rows of both halves, of which a generated token has
  // one each.
  const size_t rows =
      counts.encoder_rows - counts_.encoder_rows + counts.decoder_rows - counts_.decoder_rows;
  const size_t generated = 2 * (counts.fed_tokens - counts_.fed_tokens);
  const double decode = Rate(generated, static_cast<double>(rows));
  decode_seconds_ += seconds * decode;
  prefill_seconds_ += seconds * (1 - decode);
  const size_t fed = counts.fed_tokens - counts_.fed_tokens;
  const size_t encoded = counts.encoder_rows - counts_.encoder_rows;
  sample_.AddStep({.prefill_seconds = seconds * (1 - decode),
                   .decode_seconds = seconds * decode,
                   .prompt_rows = encoded - std::min(encoded, fed),
                   .tokens = fed,
                   .running = counts.running});
  counts_ = counts;
}

void BatchFigures::LookAtMemory() {
  peak_bytes_ = std::max(peak_bytes_, AnonymousBytes());
  looked_ = Clock::now();
}

void BatchFigures::TakePeakSince(size_t before) {
  LookAtMemory();
  const ResidentBytes now = ResidentNow();
  if (now.peak > before) peak_bytes_ = std::max(peak_bytes_, now.peak - now.files);
}

double BatchFigures::Rate(size_t count, double seconds) const {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double BatchFigures::Elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string BatchFigures::ProgressText(std::optional<size_t> total) const {
  const size_t lines = this->lines();
  std::string text = "lines " + std::to_string(lines);
  if (total) text += " of " + std::to_string(*total);
  if (AnyFailed()) text += " (" + std::to_string(failed_ + known_failed_) + " failed)";
  text += Number(", in %.0f", Rate(counts_.prompt_tokens, Elapsed())) +
          Number(" and out %.1f tokens/s, ", Rate(counts_.generated_tokens, Elapsed())) +
          std::to_string(counts_.running) + " running, " + std::to_string(counts_.waiting) +
          " waiting";
  if (counts_.cached_tokens > 0) {
    text += Number(", %.0f %% cached",
                   100 * Rate(counts_.cached_tokens, static_cast<double>(counts_.prompt_tokens)));
  }
  text += ", " + FormatBytes(static_cast<double>(peak_bytes_));
  const size_t ours = done_ + failed_;
  if (total && ours > 0 && lines < *total) {
    const double left = Elapsed() * static_cast<double>(*total - lines) / static_cast<double>(ours);
    text += ", " + std::to_string(std::lround(left)) + " s left";
  }
  return text;
}

std::string BatchFigures::MetricsText() const {
  std::ostringstream out;
  const auto add = [&](const char* name, const char* type, const char* help, double value) {
    out << "# HELP llamacpp:" << name << " " << help << "\n# TYPE llamacpp:" << name << " " << type
        << "\nllamacpp:" << name << " " << value << "\n";
  };
  const size_t computed = counts_.prompt_tokens - counts_.cached_tokens;
  add("prompt_tokens_total", "counter", "Number of prompt tokens processed.",
      static_cast<double>(computed));
  add("prompt_seconds_total", "counter", "Prompt process time", prefill_seconds_);
  add("tokens_predicted_total", "counter", "Number of generation tokens processed.",
      static_cast<double>(counts_.generated_tokens));
  add("tokens_predicted_seconds_total", "counter", "Predict process time", decode_seconds_);
  add("n_decode_total", "counter", "Total number of steps", static_cast<double>(steps_));
  add("n_busy_slots_per_decode", "gauge", "Average number of requests that ran in a step",
      Rate(busy_, static_cast<double>(steps_)));
  add("prompt_tokens_seconds", "gauge", "Average prompt throughput in tokens/s.",
      Rate(computed, prefill_seconds_));
  add("predicted_tokens_seconds", "gauge", "Average generation throughput in tokens/s.",
      Rate(counts_.fed_tokens, decode_seconds_));
  add("requests_processing", "gauge", "Number of requests processing.",
      static_cast<double>(counts_.running));
  add("requests_deferred", "gauge", "Number of requests deferred.",
      static_cast<double>(counts_.waiting));
  return out.str();
}

std::string BatchFigures::FailureText(const std::string& place) const {
  if (!AnyFailed()) return "";
  std::string text = "failed:     ";
  for (const auto& [code, count] : failures_) {
    if (!text.ends_with(' ')) text += ", ";
    text += std::to_string(count) + " " + Shown(code);
  }
  text += "\n";
  for (const LineFailure& failure : first_failures_) {
    text += "  " + Shown(failure.custom_id) + ": " + Shown(failure.message) + "\n";
  }
  const size_t others = failed_ + known_failed_ - first_failures_.size();
  if (others > 0) return text + "  and " + std::to_string(others) + " more in " + place + "\n";
  return text + "  (in " + place + ")\n";
}

std::optional<size_t> BatchFigures::Left(const RunEnd& end) const {
  if (!end.lines) return std::nullopt;
  return *end.lines - std::min(*end.lines, lines());
}

std::string BatchFigures::SummaryText(const RunEnd& end) const {
  std::ostringstream out;
  out << "lines:      " << done_ << " done, " << failed_ << " failed, " << known_ << " done and "
      << known_failed_ << " failed before\n"
      << FailureText(end.failure_place);
  if (const size_t kept = end.kept.value_or(0); kept > 0) {
    out << "kept:       " << kept << (kept == 1 ? " answer" : " answers")
        << " to ids that the input does not have\n";
  }
  if (!end.stopped.empty()) {
    out << "stopped:    " << Shown(end.stopped);
    if (const auto left = Left(end)) out << "; lines left: " << *left;
    out << "\n";
  }
  out << "tokens in:  " << prompt_tokens_ << " (" << cached_tokens_ << " cached), "
      << Number("prefill %.1f tokens/s",
                Rate(counts_.prompt_tokens - counts_.cached_tokens, prefill_seconds_))
      << "\ntokens out: " << counts_.generated_tokens
      << Number(", decode %.1f tokens/s", Rate(counts_.fed_tokens, decode_seconds_))
      << Number("\ntime to first token: %.3f s (median)", first_token_seconds_.Percentile(0.5))
      << "\nmemory: " << FormatBytes(static_cast<double>(plan_bytes_)) << " planned, "
      << FormatBytes(static_cast<double>(peak_bytes_)) << " taken at most, "
      << FormatBytes(static_cast<double>(PeakResidentBytes())) << " with mapped weights\n";
  return out.str();
}

std::string BatchFigures::SummaryJson(const RunEnd& end) const {
  const auto spread = [](const Spread& values) {
    return nlohmann::ordered_json{{"p50", values.Percentile(0.5)},
                                  {"p95", values.Percentile(0.95)}};
  };
  const Json out = {
      {"lines", {{"done", done_ + known_}, {"failed", failed_ + known_failed_}}},
      {"failures", failures_.empty() ? Json::object() : Json(failures_)},
      {"kept_answers", OrNull(end.kept)},
      {"stopped", end.stopped.empty() ? Json() : Json(end.stopped)},
      {"lines_left", OrNull(Left(end))},
      {"tokens",
       {{"prompt", prompt_tokens_},
        {"cached", cached_tokens_},
        {"completion", counts_.generated_tokens}}},
      {"rows", {{"encoder", counts_.encoder_rows}, {"decoder", counts_.decoder_rows}}},
      {"prefill_tokens_per_s",
       Rate(counts_.prompt_tokens - counts_.cached_tokens, prefill_seconds_)},
      {"decode_tokens_per_s", Rate(counts_.fed_tokens, decode_seconds_)},
      {"seconds", {{"prefill", prefill_seconds_}, {"decode", decode_seconds_}}},
      {"ttft_s", spread(first_token_seconds_)},
      {"token_s", spread(token_seconds_)},
      {"bytes_per_token", bytes_per_token_},
      {"peak_bytes", peak_bytes_},
      {"plan_bytes", plan_bytes_}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cedar
