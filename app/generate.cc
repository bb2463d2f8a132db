#include "app/generate.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "app/control_names.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "engine/reserved_ids.h"
#include "simd/error.h"

namespace cedar {
namespace {

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// How many tokens may be generated: a prompt and its answer fit into the positions of the model.
size_t TokenLimit(const Engine& engine, const Generation& generation) {
  const size_t positions = engine.config().max_positions;
  const size_t tokens = generation.prompt.size();
  if (tokens == 0) throw Error(ErrorKind::kInput, "the prompt is empty");
  if (tokens >= positions) {
    throw Error(ErrorKind::kInput, "the prompt has " + std::to_string(tokens) +
                                       " tokens, expected less than the " +
                                       std::to_string(positions) + " positions of the model");
  }
  return std::min(generation.max_tokens.value_or(positions), positions - tokens);
}

// What may never be picked: reserved tokens, and ids that the tokenizer has no token for.
std::vector<int32_t> ForbiddenIds(const Engine& engine) {
  std::vector<int32_t> ids = ReservedIds(engine.tokenizer());
  for (int32_t id = engine.tokenizer().size(); id < static_cast<int32_t>(engine.config().vocab);
       ++id) {
    ids.push_back(id);
  }
  return ids;
}

void Prefill(Session& session, const Generation& generation) {
  ProgressLine line("prefill", "tokens", generation.prompt.size());
  const bool is_long = generation.prompt.size() > generation.compute.chunk;
  session.Prefill(generation.prompt, true, [&](size_t done) {
    CheckInterrupt();
    if (is_long) line.Update(done);
  });
}

PlanOptions Planned(const Engine& engine, const SessionOptions& options) {
  return {.context = options.context,
          .parallel = 1,
          .chunk = options.chunk,
          .replay = options.replay,
          .threads = engine.threads(),
          .isa = engine.isa()};
}

}  // namespace

Generated Generate(const Engine& engine, const Generation& generation, const TokenSink& sink) {
  const size_t limit = TokenLimit(engine, generation);
  const SessionOptions options{generation.prompt.size() + limit, generation.compute.chunk,
                               generation.compute.replay};
  Session session(engine, options);
  Sampler sampler(generation.sampling, generation.seed, ForbiddenIds(engine));
  const std::optional<int32_t> end = engine.tokenizer().FindControl(kEndOfText);

  Generated out{Finish::kLength, {.prompt_tokens = generation.prompt.size()}, 0};
  out.plan_bytes = PlanMemory(engine.config(), engine.plan(), Planned(engine, options)).total;
  const Stopwatch watch;
  Prefill(session, generation);
  out.figures.prefill_seconds = watch.Seconds();
  for (size_t made = 1; made <= limit; ++made) {
    const int32_t id = sampler.Pick(session.logits());
    out.figures.generated_tokens = made;
    if (made == 1) out.figures.first_token_seconds = watch.Seconds();
    if (id == end) {
      out.finish = Finish::kStop;
      break;
    }
    sink(id);
    CheckInterrupt();
    if (made < limit) session.Decode(id);
  }
  out.figures.decode_seconds = watch.Seconds() - out.figures.first_token_seconds;
  return out;
}

}  // namespace cedar
