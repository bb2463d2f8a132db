#include "app/batch_check.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/cost_estimate.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "app/request_intake.h"

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

}  // namespace

ExitCode CheckLines(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                    LineSource& source, const VisitLine& visit) {
  RequestIntake intake(engine, options, plan, source.total().value_or(0));
  Output out = Output::Standard();
  Totals totals;
  InputLine input;
  while (source.Next(/*wait=*/true, input) == LineSource::Status::kLine) {
    CheckInterrupt();
    ++totals.lines;
    const RequestIntake::Line line = intake.Identify(input);
    try {
      const BatchRequest request = intake.Read(line);
      totals.Add(request);
      if (visit) visit(line, request);
    } catch (const LineError& error) {
      ++totals.failed;
      out.Write("line " + std::to_string(input.number) + " (" + line.id.custom_id +
                "): " + error.code() + ": " + error.what() + "\n");
    }
  }
  std::fputs("check: probing memory and arithmetic; the model does not run\n", stderr);
  out.Write("lines:   " + std::to_string(totals.lines) + ", " + std::to_string(totals.failed) +
            " with errors\nprompts: " + std::to_string(totals.prompt_tokens) +
            " tokens, the longest " + std::to_string(totals.longest) +
            "\nanswers: " + std::to_string(totals.answers) + ", at most " +
            std::to_string(totals.most_generated) + " tokens\nplan:    " + PlanText(plan) + "\n" +
            CostText(engine, {totals.answers, totals.prompt_tokens, totals.most_generated,
                              plan.scheduler.parallel, plan.scheduler.chunk,
                              plan.bytes - engine.loaded_weight_bytes()}));
  return totals.failed > 0 ? kExitInput : kExitOk;
}

}  // namespace cedar
