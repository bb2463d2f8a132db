#include "app/batch_runner.h"

#include <algorithm>
#include <utility>

#include "app/interrupt.h"
#include "app/new_file.h"
#include "simd/error.h"
#include "weights/model_counts.h"

namespace cedar {
namespace {

// Lines that are understood ahead of their turn, so that those of a common prefix come together.
constexpr size_t kWindow = 1024;
// Bytes of a line, or of an answer, that by itself may be what the most memory is taken for.
constexpr size_t kLong = size_t{64} << 10;

// Where requests that nobody knows of yet may part from this prompt: at the ends of its messages,
// not too close together, since each is a state to keep.
std::vector<size_t> MessageEnds(const ModelTokens& tokens, std::span<const int32_t> prompt) {
  constexpr size_t kApart = 128;
  std::vector<size_t> ends;
  for (size_t i = kApart; i < prompt.size(); ++i) {
    if (!std::binary_search(tokens.ends.begin(), tokens.ends.end(), prompt[i])) continue;
    if (ends.empty() || i - ends.back() >= kApart) ends.push_back(i);
  }
  return ends;
}

// Each choice draws from a stream of its own; the first from the request's.
uint64_t SeedOf(uint64_t seed, size_t choice) {
  return choice == 0 ? seed : Digest(std::to_string(choice), seed ^ 0xcbf29ce484222325u);
}

// What stands in the file stays until there is something to put in its place. Looks at the file of
// the metrics too, which is made anew each time.
std::optional<Output> OpenSummary(const BatchOptions& options) {
  if (options.metrics) NewFile(*options.metrics);
  if (!options.summary) return std::nullopt;
  return *options.summary == "-" ? Output::Standard() : Output::Append(*options.summary);
}

}  // namespace

// Those that are written last are tried first: they must not turn out to be impossible after hours,
// nor when earlier answers have just been emptied.
BatchFiles::BatchFiles(const BatchOptions& options, const BatchInput& input)
    : source(input.Open()), summary(OpenSummary(options)), answers(options) {}

BatchRunner::BatchRunner(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                         BatchFiles files)
    : engine_(engine),
      options_(options),
      plan_(plan),
      files_(std::move(files)),
      intake_(engine, options, plan, files_.source->total().value_or(0)),
      tokens_(engine.tokenizer(), engine.config().vocab),
      scheduler_(engine, plan.scheduler),
      figures_(plan.bytes,
               static_cast<double>(CountModel(engine.config(), engine.plan()).bytes.decode_token)),
      progress_(figures_, files_.source->total(), options.metrics) {}

ExitCode BatchRunner::Run() {
  figures_.LookAtMemory();
  files_.answers.Begin();
  try {
    AnswerLines();
  } catch (const Interrupted&) {
    files_.answers.Finish();
    progress_.End();
    throw;
  }
  files_.answers.Finish();
  progress_.End();
  return figures_.AnyFailed() ? kExitInput : kExitOk;
}

RunEnd BatchRunner::End(const std::string& stopped) const {
  const std::optional<size_t> lines = files_.source->total();
  // All lines were looked up before the run, or else have been once they have come.
  const bool known = lines.has_value() || input_ended_;
  return {.lines = lines,
          .kept = known ? std::optional(files_.answers.unfound()) : std::nullopt,
          .failure_place = files_.answers.FailurePlace(),
          .stopped = stopped};
}

void BatchRunner::AnswerLines() {
  while (true) {
    CheckInterrupt();
    TakeLines();
    if (scheduler_.Idle()) {
      if (input_ended_ && next_in_window_ == window_.size()) return;
      continue;
    }
    Step();
    progress_.Update();
  }
}

void BatchRunner::TakeLines() {
  if (!input_ended_ && next_in_window_ == window_.size()) FillWindow();
  Queue();
}

// Reads lines for a new window, as many as may be held. Waits for input only when there is nothing
// to compute.
void BatchRunner::FillWindow() {
  window_.clear();
  next_in_window_ = 0;
  InputLine line;
  for (size_t i = 0; i < kWindow; ++i) {
    const bool idle = scheduler_.Idle() && window_.empty();
    if (!idle && (held_bytes_ >= plan_.line_bytes || intake_.GrammarsFull())) break;
    if (PassOver()) continue;
    const LineSource::Status status = files_.source->Next(/*wait=*/idle, line);
    if (status == LineSource::Status::kEnd) input_ended_ = true;
    if (status != LineSource::Status::kLine) break;
    // Its text, JSON and tokens stand side by side, and between no two steps.
    const bool is_long = line.text.size() >= kLong;
    is_long ? figures_.LookAtMemoryWithin([&] { Prepare(line); }) : Prepare(line);
    CheckInterrupt();
  }
  std::sort(window_.begin(), window_.end(), [](const Prepared& a, const Prepared& b) {
    return a.request.prompts[0] < b.request.prompts[0];
  });
}

bool BatchRunner::PassOver() {
  const std::optional<std::string> name = files_.source->NextName();
  if (!name || !files_.answers.IsDone(*name)) return false;
  files_.source->Skip();
  intake_.CountName(*name);
  figures_.LineKnown();
  return true;
}

void BatchRunner::Prepare(const InputLine& input) {
  RequestIntake::Line line = intake_.Identify(input);
  const AnswerLog::Finding earlier = files_.answers.Find(line.id);
  if (earlier.known == AnswerLog::Known::kAnswered) return figures_.LineKnown();
  if (earlier.known == AnswerLog::Known::kFailed) {
    return figures_.LineKnownFailed({line.id.custom_id, earlier.code, earlier.message});
  }
  try {
    BatchRequest request = intake_.Read(line);
    line.id.cut = request.cut;
    window_.push_back({std::move(line.id), std::move(request)});
    held_bytes_ += window_.back().request.bytes();
  } catch (const LineError& error) {
    const std::string text = FormatFailure(line.id, error.code(), error.what());
    files_.answers.Write(line.id, text, /*failed=*/true);
    figures_.LineFailed({line.id.custom_id, error.code(), error.what()});
  }
}

void BatchRunner::Queue() {
  // Enough for the scheduler to see common prefixes, little enough that memory stays flat.
  while (next_in_window_ < window_.size() &&
         scheduler_.counts().waiting < std::max<size_t>(64, 2 * plan_.scheduler.parallel)) {
    Start(std::move(window_[next_in_window_++]));
  }
}

void BatchRunner::Start(Prepared prepared) {
  auto active = std::make_shared<Active>();
  active->line = std::move(prepared.line);
  active->request = std::move(prepared.request);
  const BatchRequest& request = active->request;
  const bool every_logit = request.TopOfPrompt().has_value();
  for (size_t i = 0; i < request.prompts.size() * request.choices; ++i) {
    const std::vector<int32_t>& prompt = request.prompts[i / request.choices];
    AnswerOptions answer = request.answer;
    answer.seed = SeedOf(answer.seed, i);
    active->answerers.push_back(std::make_unique<BatchAnswerer>(
        tokens_, answer, prompt, request.TopOfPrompt().value_or(0), figures_));
    ++active->unfinished;
    const size_t number = scheduler_.Add(
        {.prompt = prompt,
         .client = active->answerers.back().get(),
         .replay = every_logit ? Replay::kFull : options_.compute.replay,
         .reuse = options_.ReuseMode() != Reuse::kOff && !every_logit,
         .keep = files_.source->total() ? std::vector<size_t>() : MessageEnds(tokens_, prompt),
         .prompt_logits = every_logit,
         .generate = !answer.prompt_only});
    places_[number] = {active, i};
  }
  active->choices.resize(active->answerers.size());
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
  BatchAnswerer& answerer = *active.answerers[place.index];
  active.choices[place.index] = {place.index / active.request.choices, answerer.Finish(),
                                 answerer.TakePromptLogprobs(), finished.cached_tokens};
  active.answerers[place.index].reset();  // its candidates are large
  if (--active.unfinished == 0) Write(active);
}

void BatchRunner::Write(const Active& active) {
  const std::string answer =
      FormatAnswer(engine_.tokenizer(), active.line, active.request, active.choices);
  if (answer.size() >= kLong) figures_.LookAtMemory();
  files_.answers.Write(active.line, answer, /*failed=*/false);
  held_bytes_ -= active.request.bytes();
  const PromptUsage usage = PromptUsageOf(active.request, active.choices);
  size_t generated = 0;
  for (const AnswerChoice& choice : active.choices) generated += choice.answer.tokens;
  figures_.LineDone(usage.tokens, usage.cached, generated);
}

}  // namespace cedar
