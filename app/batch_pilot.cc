#include "app/batch_pilot.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/batch_check.h"
#include "app/batch_runner.h"
#include "app/earlier_lookup.h"
#include "app/load_engine.h"
#include "app/output.h"
#include "app/pilot_estimate.h"
#include "simd/error.h"

namespace cedar {
namespace {

// The lines of a source that have one of these numbers, which are in order.
class DrawnLines : public LineSource {
 public:
  DrawnLines(std::unique_ptr<LineSource> source, std::vector<size_t> numbers)
      : source_(std::move(source)), numbers_(std::move(numbers)) {
    source_->Rewind();
  }

  Status Next(bool wait, InputLine& line) override {
    while (next_ < numbers_.size()) {
      source_->SkipTo(numbers_[next_]);
      const Status status = source_->Next(wait, line);
      if (status != Status::kLine) return status;
      if (line.number != numbers_[next_]) continue;
      ++next_;
      return status;
    }
    return Status::kEnd;
  }
  void Rewind() override {
    source_->Rewind();
    next_ = 0;
  }
  std::optional<size_t> total() const override { return numbers_.size(); }

 private:
  std::unique_ptr<LineSource> source_;
  std::vector<size_t> numbers_;
  size_t next_ = 0;
};

void Add(const BatchRequest& request, PilotWork& work) {
  ++work.lines;
  for (const auto& prompt : request.prompts) work.prompt_tokens += prompt.size();
  const size_t answers = request.prompts.size() * request.choices;
  work.answers += answers;
  work.most_generated += answers * request.answer.max_tokens;
}

// What can be answered, and what of it is not yet.
struct Lines {
  PilotWork all;
  PilotWork left;
  std::vector<size_t> numbers;  // of those left
};

void WriteSummary(std::optional<Output> file, const BatchRunner& runner,
                  const PilotResult& result) {
  if (!file) return;
  auto summary = nlohmann::ordered_json::parse(runner.figures().SummaryJson(runner.End("")));
  summary["pilot"] = PilotJson(result);
  file->Empty();
  file->Write(summary.dump(1) + "\n");
  file->Close();
}

}  // namespace

ExitCode RunPilot(const Engine& engine, const BatchOptions& options, const BatchInput& input,
                  const std::function<BatchPlan(const LineSource&)>& make_plan) {
  if (!input.IsKnown()) {
    throw Error(ErrorKind::kUsage, "--pilot: found the input " + options.input +
                                       ", expected a file, as lines are drawn from all of them");
  }
  BatchFiles files(options, input);
  LookUpLines(engine, options, *files.source, files.answers);
  std::optional<Output> summary = std::move(files.summary);
  const BatchPlan plan = make_plan(*files.source);
  Lines lines;
  const ExitCode code =
      CheckLines(engine, options, plan, *files.source,
                 [&](const RequestIntake::Line& line, const BatchRequest& request) {
                   Add(request, lines.all);
                   if (files.answers.Find(line.id).known != AnswerLog::Known::kNo) return;
                   Add(request, lines.left);
                   lines.numbers.push_back(line.number);
                 });
  std::vector<size_t> drawn;
  for (const size_t i : DrawEvenly(lines.numbers.size(), *options.pilot)) {
    drawn.push_back(lines.numbers[i]);
  }
  files.source = std::make_unique<DrawnLines>(std::move(files.source), std::move(drawn));
  BatchRunner runner(engine, options, plan, std::move(files));
  runner.Run();
  const BatchFigures& figures = runner.figures();
  PilotResult result = {.sample = figures.sample(),
                        .seconds = figures.Elapsed(),
                        .parallel = plan.scheduler.parallel,
                        .all = lines.all,
                        .left = lines.left};
  const size_t answered = std::min(result.sample.prompt.count(), result.left.lines);
  const double prompts = result.sample.prompt.mean() * static_cast<double>(answered);
  result.left.lines -= answered;
  result.left.prompt_tokens -=
      std::min(result.left.prompt_tokens, static_cast<size_t>(prompts + 0.5));
  std::fputs((figures.SummaryText(runner.End("")) + WeightsText(engine)).c_str(), stderr);
  Output::Standard().Write(PilotText(result));
  WriteSummary(std::move(summary), runner, result);
  return code;
}

}  // namespace cedar
