#ifndef CEDAR_TESTS_ENGINE_GOLDEN_STEP_H_
#define CEDAR_TESTS_ENGINE_GOLDEN_STEP_H_

// An engine on one ISA, ready to run any sublayer on all tokens of a golden prompt at once, with
// inputs that the test chooses.

#include <cstddef>
#include <span>

#include "engine/engine.h"
#include "engine/forward.h"
#include "engine/kv_pages.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/sequence.h"
#include "engine/step.h"
#include "tests/engine/golden_checkpoint.h"

namespace cedar {

class GoldenStep {
 public:
  GoldenStep(const GoldenCheckpoint& golden, Isa isa, RowKind kind);

  const Model& model() const { return engine_.model(); }
  const ModelConfig& config() const { return model().config; }
  const Forward& forward() const { return forward_; }
  const Step& step() const { return step_; }
  Scratch& scratch() { return scratch_; }
  Sequence& sequence() { return sequence_; }
  CompressedKv& KvOf(size_t layer);

  // What the next sublayer works on: [rows][hidden], [rows][hc][hidden], [rows][hc].
  void SetInput(const Table<Bf16>& x);
  void SetOutput(const Table<Bf16>& y);
  void SetStreams(const Table<Bf16>& streams);
  void SetPre(const Table<float>& pre);

  size_t rows() const { return step_.rows; }
  std::span<const Bf16> Input(size_t row) const;
  std::span<const Bf16> Output(size_t row) const;
  std::span<const Bf16> Streams(size_t row) const;

 private:
  Engine engine_;
  KvPages pages_;
  Sequence sequence_;
  Scratch scratch_;
  Forward forward_;
  Step step_;
};

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_GOLDEN_STEP_H_
