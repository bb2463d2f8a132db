#ifndef CEDAR_ENGINE_ENGINE_H_
#define CEDAR_ENGINE_ENGINE_H_

// The door to the model: an Engine is a loaded checkpoint, a Session is one timeline of tokens.
//
//   Engine engine(ModelFiles::InDirectory("/models/v41"), {});
//   Session session(engine, {.context = 4096});
//   session.Prefill(ids);
//   while ((id = sampler.Pick(session.logits())) != end) session.Decode(id);
//
// Results are bit-identical whatever the chunk size and the number of threads (engine/README.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine_options.h"
#include "engine/numerics.h"
#include "engine/page_key.h"
#include "engine/plan_options.h"
#include "engine/replay.h"
#include "simd/isa.h"
#include "simd/page_size.h"
#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_files.h"
#include "weights/tokenizer.h"

namespace cedar {

class BlockObserver;  // engine/observer.h: looks inside a forward pass
struct Model;         // engine/model.h
struct SessionState;  // engine/session.cc

// A loaded model. Immutable after construction; any number of sessions may share it, but only one
// of them may compute at a time (they share the thread team).
class Engine {
 public:
  // Binds every tensor and makes the tokenizer. Throws Error (kModel) that names the file and the
  // tensor or key, or when memory for the weights is refused; (kUsage) for an ISA that this CPU
  // lacks; and what load_progress throws.
  Engine(const ModelFiles& files, const EngineOptions& options);
  ~Engine();
  Engine(Engine&&) noexcept;

  const ModelConfig& config() const;
  const LayerPlan& plan() const;
  const Tokenizer& tokenizer() const;
  Isa isa() const;
  int threads() const;
  Numerics numerics() const;
  // Bytes of weights in memory of our own; 0 where they are mapped.
  size_t loaded_weight_bytes() const;
  // Nodes of memory (simd/nodes.h) that they are divided among.
  size_t weight_nodes() const;
  // The pages of the weights that are in memory now; nothing where the kernel does not tell.
  std::optional<simd::PageUse> WeightPages() const;

  // Tells this model from others, at no cost worth mentioning (engine/model_identity.h).
  PageKey ContentKey() const;

  const Model& model() const { return *model_; }  // for engine/ and tests

 private:
  std::unique_ptr<Model> model_;
};

struct SessionOptions {
  size_t context = 0;            // positions that the session can hold; 0: max_position_embeddings
  size_t chunk = kDefaultChunk;  // prompt tokens that are computed together
  Replay replay = Replay::kBounded;
};

// One timeline of tokens and everything the model remembers of it, planned and allocated when made.
class Session {
 public:
  // Throws Error (kModel) when the machine lacks the memory of the plan, (kUsage) for a context of
  // more positions than the model has.
  Session(const Engine& engine, const SessionOptions& options);
  ~Session();
  Session(Session&&) noexcept;

  // Called after each chunk with the tokens of this call that are done.
  using Progress = std::function<void(size_t done)>;
  // Called with a position and the logits [vocab_size] that follow it.
  using LogitsSink = std::function<void(size_t position, std::span<const float> logits)>;

  // Appends prompt tokens (model.md, Prefill). A prompt may come in several calls, all but the
  // final one with last = false; the result does not depend on where it is cut. With last, logits()
  // are those of the last token. Throws Error (kInput) for an empty prompt, an id outside the
  // vocabulary or more tokens than the context holds, before anything is computed.
  void Prefill(std::span<const int32_t> tokens, bool last = true, const Progress& progress = {});

  // Appends prompt tokens with every token through every layer and hands out the logits of each.
  // REQUIRES: replay kFull.
  void Score(std::span<const int32_t> tokens, const LogitsSink& sink);

  // Says that Decode(token) comes next, as soon as that is known: the disk looks for its Engram
  // rows meanwhile. Changes nothing else. Throws Error (kInput) for an id outside the vocabulary.
  void Expect(int32_t token);

  // Appends one generated token; logits() are those that follow it. Throws as Prefill.
  // REQUIRES: no prompt waits for its last part.
  void Decode(int32_t token);

  // Logits [vocab_size] after the last token; valid until the next call.
  std::span<const float> logits() const;

  // Clears all but the global KV, as if it had been restored from a store, and rebuilds the
  // encoder's windows from the last tokens (model.md, Prefix reuse). A Prefill must follow.
  // REQUIRES: replay not kFull, no unfinished compression group.
  void Reopen();

  const std::vector<int32_t>& tokens() const;
  size_t context() const;
  // Bytes of the session's memory plan (engine/memory_plan.h).
  size_t plan_bytes() const;

  // For tests and measurements; null stops it.
  void Observe(BlockObserver* observer);

 private:
  std::unique_ptr<SessionState> state_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_ENGINE_H_
