#include "app/generate.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "app/interrupt.h"
#include "app/progress.h"
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

void Prefill(Session& session, const Generation& generation) {
  ProgressLine line("prefill", "tokens", generation.prompt.size());
  const bool is_long = generation.prompt.size() > generation.compute.chunk;
  session.Prefill(generation.prompt, true, [&](size_t done) {
    CheckInterrupt();
    if (is_long) line.Update(done);
  });
}

}  // namespace

size_t GenerateFrom(Session& session, TokenChooser& chooser, size_t limit, const TokenSink& sink,
                    const std::function<void()>& first) {
  for (size_t made = 1; made <= limit; ++made) {
    const int32_t id = chooser.Next(session.logits()).token.id;
    if (made == 1) first();
    if (chooser.Ends(id)) return made;
    if (made < limit) session.Expect(id);
    sink(id);
    CheckInterrupt();
    if (made < limit) session.Decode(id);
  }
  return limit;
}

Generated Generate(const Engine& engine, const Generation& generation, const TokenSink& sink,
                   const std::function<void()>& begin) {
  const size_t limit = TokenLimit(engine, generation);
  const SessionOptions options{generation.prompt.size() + limit, generation.compute.chunk,
                               generation.compute.replay};
  Session session(engine, options);
  const ModelTokens tokens(engine.tokenizer(), engine.config().vocab);
  TokenChooser chooser(tokens, generation.answer, generation.prompt);

  Generated out{{.prompt_tokens = generation.prompt.size()}, 0};
  out.plan_bytes = session.plan_bytes();
  begin();
  const Stopwatch watch;
  Prefill(session, generation);
  out.figures.prefill_seconds = watch.Seconds();
  out.figures.generated_tokens = GenerateFrom(
      session, chooser, limit, sink, [&] { out.figures.first_token_seconds = watch.Seconds(); });
  out.figures.decode_seconds = watch.Seconds() - out.figures.first_token_seconds;
  return out;
}

}  // namespace cedar
