#include "app/batch_check.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/interrupt.h"
#include "app/output.h"
#include "app/report.h"
#include "app/request_intake.h"
#include "weights/model_counts.h"

namespace cedar {
namespace {

struct Totals {
  size_t lines = 0, failed = 0;
  size_t prompt_tokens = 0, longest = 0;
  size_t answers = 0, most_generated = 0;

  void Add(const BatchRequest& request) {
    for (const auto& prompt : request.prompts) {
      prompt_tokens += prompt.size();
      longest = std::max(longest, prompt.size());
      answers += request.choices;
      most_generated += request.choices * request.answer.max_tokens;
    }
  }
};

// Work of the whole input, for those who know what their machine can do.
std::string CostText(const Engine& engine, const Totals& totals, size_t parallel) {
  const ModelCounts counts = CountModel(engine.config(), engine.plan());
  const double operations = 2.0 * static_cast<double>(counts.parameters.active_prefill) *
                            static_cast<double>(totals.prompt_tokens);
  const double bytes =
      static_cast<double>(counts.bytes.decode_token) * static_cast<double>(totals.most_generated);
  const auto hours = [](double seconds) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.2f h", seconds / 3600);
    return std::string(text);
  };
  // A core's worth of each: what an ordinary server core does, several share the reads of a batch.
  constexpr double kOperationsPerCore = 1e11, kBytesPerSecond = 2e10;
  const double cores = engine.threads();
  const double prefill = operations / (kOperationsPerCore * cores);
  const double decode = bytes / (kBytesPerSecond * std::max(1.0, cores / 2)) /
                        static_cast<double>(std::min<size_t>(parallel, 8));
  return "work:    " + FormatCount(operations) + " operations of prefill, " + FormatBytes(bytes) +
         " of weights read if every answer is as long as it may be and alone\n" +
         "time:    about " + hours(prefill) + " of prefill and at most " + hours(decode) +
         " of generation, if each of " + std::to_string(engine.threads()) +
         " cores makes 100 GFLOP/s and two read 20 GB/s\n";
}

}  // namespace

ExitCode CheckLines(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                    LineSource& source) {
  RequestIntake intake(engine, options, plan, source.total().value_or(0));
  Output out = Output::Standard();
  Totals totals;
  InputLine input;
  while (source.Next(/*wait=*/true, input) == LineSource::Status::kLine) {
    CheckInterrupt();
    ++totals.lines;
    const RequestIntake::Line line = intake.Identify(input);
    try {
      totals.Add(intake.Read(line));
    } catch (const LineError& error) {
      ++totals.failed;
      out.Write("line " + std::to_string(input.number) + " (" + line.id.custom_id +
                "): " + error.code() + ": " + error.what() + "\n");
    }
  }
  out.Write("lines:   " + std::to_string(totals.lines) + ", " + std::to_string(totals.failed) +
            " with errors\nprompts: " + std::to_string(totals.prompt_tokens) +
            " tokens, the longest " + std::to_string(totals.longest) +
            "\nanswers: " + std::to_string(totals.answers) + ", at most " +
            std::to_string(totals.most_generated) + " tokens\nplan:    " + PlanText(plan) + "\n" +
            CostText(engine, totals, plan.scheduler.parallel));
  return totals.failed > 0 ? kExitInput : kExitOk;
}

}  // namespace cedar
