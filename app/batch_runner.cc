#include "app/batch_runner.h"

#include <algorithm>
#include <utility>

#include "app/interrupt.h"
#include "simd/error.h"
#include "weights/model_counts.h"

namespace cedar {
namespace {

// Lines that are understood ahead of their turn, so that those of a common prefix come together.
constexpr size_t kWindow = 1024;

std::unique_ptr<LineSource> OpenSource(const BatchOptions& options) {
  if (!options.documents) return OpenLines(options.input);
  return OpenDocuments(*options.documents, options.prompt.value_or(""));
}

// Each choice draws from a stream of its own; the first from the request's.
uint64_t SeedOf(uint64_t seed, size_t choice) {
  return choice == 0 ? seed : Digest(std::to_string(choice), seed ^ 0xcbf29ce484222325u);
}

}  // namespace

BatchRunner::BatchRunner(const Engine& engine, const BatchOptions& options,
                         const SchedulerOptions& scheduler, size_t plan_bytes)
    : engine_(engine),
      options_(options),
      limits_(scheduler),
      intake_(engine, options, scheduler.context),
      tokens_(engine.tokenizer(), engine.config().vocab),
      source_(OpenSource(options)),
      answers_(options.output, options.resume),
      scheduler_(engine, scheduler),
      figures_(plan_bytes,
               static_cast<double>(CountModel(engine.config(), engine.plan()).bytes.decode_token)),
      progress_(figures_, source_->total(), options.metrics) {
  if (options.errors) errors_.emplace(*options.errors, options.resume);
}

ExitCode BatchRunner::Run() {
  while (true) {
    CheckInterrupt();
    TakeLines();
    if (scheduler_.Idle()) {
      if (input_ended_ && next_in_window_ == window_.size()) break;
      continue;
    }
    Step();
    progress_.Update();
  }
  answers_.Finish();
  if (errors_) errors_->Finish();
  progress_.End();
  return figures_.AnyFailed() ? kExitInput : kExitOk;
}

// Fills the window when it is used up, and the scheduler's queue from it. Waits for input only when
// there is nothing to compute.
void BatchRunner::TakeLines() {
  if (!input_ended_ && next_in_window_ == window_.size()) {
    window_.clear();
    next_in_window_ = 0;
    InputLine line;
    for (size_t i = 0; i < kWindow; ++i) {
      const bool wait = scheduler_.Idle() && window_.empty();
      const LineSource::Status status = source_->Next(wait, line);
      if (status == LineSource::Status::kEnd) input_ended_ = true;
      if (status != LineSource::Status::kLine) break;
      Prepare(line);
      CheckInterrupt();
    }
    std::sort(window_.begin(), window_.end(), [](const Prepared& a, const Prepared& b) {
      return a.request.prompts[0] < b.request.prompts[0];
    });
  }
  Queue();
}

void BatchRunner::Prepare(const InputLine& input) {
  const RequestIntake::Line line = intake_.Identify(input);
  const std::string id = line.id.id();
  const bool failed_too = !options_.retry_errors;
  AnswerLog::Known known = answers_.Claim(id, failed_too);
  if (known == AnswerLog::Known::kNo && errors_) known = errors_->Claim(id, failed_too);
  if (known != AnswerLog::Known::kNo) {
    intake_.Skip(line);
    return figures_.LineKnown(known == AnswerLog::Known::kFailed);
  }
  try {
    window_.push_back({line.id, intake_.Read(line)});
  } catch (const LineError& error) {
    (errors_ ? *errors_ : answers_).Write(FormatFailure(line.id, error.code(), error.what()));
    figures_.LineFailed();
  }
}

void BatchRunner::Queue() {
  // Enough for the scheduler to see common prefixes, little enough that memory stays flat.
  while (next_in_window_ < window_.size() &&
         scheduler_.counts().waiting < std::max<size_t>(64, 2 * limits_.parallel)) {
    Start(std::move(window_[next_in_window_++]));
  }
}

void BatchRunner::Start(Prepared prepared) {
  auto active = std::make_shared<Active>();
  active->line = std::move(prepared.line);
  active->request = std::move(prepared.request);
  active->queued = BatchFigures::Clock::now();
  const BatchRequest& request = active->request;
  const bool every_logit = request.echo && request.answer.top_logprobs.has_value();
  for (size_t i = 0; i < request.prompts.size() * request.choices; ++i) {
    const std::vector<int32_t>& prompt = request.prompts[i / request.choices];
    AnswerOptions answer = request.answer;
    answer.seed = SeedOf(answer.seed, i);
    active->answerers.push_back(std::make_unique<BatchAnswerer>(tokens_, answer, prompt));
    ++active->unfinished;
    const size_t number =
        scheduler_.Add({.prompt = prompt,
                        .client = active->answerers.back().get(),
                        .replay = every_logit ? Replay::kFull : options_.compute.replay,
                        .reuse = options_.reuse != Reuse::kOff && !every_logit,
                        .prompt_logits = every_logit});
    places_[number] = {active, i};
  }
}

void BatchRunner::Step() {
  const auto begin = BatchFigures::Clock::now();
  const std::vector<Finished> finished = scheduler_.Step();
  const auto seconds = std::chrono::duration<double>(BatchFigures::Clock::now() - begin).count();
  figures_.StepDone(seconds, scheduler_.counts());
  for (const Finished& one : finished) Collect(one);
}

void BatchRunner::Collect(const Finished& finished) {
  const auto it = places_.find(finished.id);
  const Place place = it->second;
  places_.erase(it);
  Active& active = *place.active;
  active.cached += finished.cached_tokens;
  figures_.RequestDone(active.queued, active.answerers[place.index]->times());
  if (--active.unfinished == 0) Write(active);
}

void BatchRunner::Write(const Active& active) {
  std::vector<AnswerChoice> choices;
  for (size_t i = 0; i < active.answerers.size(); ++i) {
    BatchAnswerer& answerer = *active.answerers[i];
    choices.push_back({i / active.request.choices, answerer.Finish(), answerer.prompt_logprobs()});
  }
  answers_.Write(
      FormatAnswer(engine_.tokenizer(), active.line, active.request, choices, active.cached));
  figures_.LineDone();
}

}  // namespace cedar
