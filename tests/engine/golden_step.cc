#include "tests/engine/golden_step.h"

#include <algorithm>

#include "engine/block.h"
#include "engine/engram.h"
#include "simd/error.h"

namespace cedar {
namespace {

PlanOptions PlanFor(const GoldenCheckpoint& golden, Isa isa) {
  const size_t rows = golden.tokens().size();
  return {.context = rows, .chunk = rows, .replay = Replay::kFull, .threads = 1, .isa = isa};
}

template <typename T>
void Fill(const Table<T>& from, T* to, size_t values) {
  CEDAR_CHECK(from.values.size() == values);
  std::copy(from.values.begin(), from.values.end(), to);
}

}  // namespace

GoldenStep::GoldenStep(const GoldenCheckpoint& golden, Isa isa, RowKind kind)
    : engine_(golden.MakeEngine(isa)),
      pages_(KvPageLayout(config(), model().plan),
             KvPageLayout(config(), model().plan).PagesFor(golden.tokens().size())),
      sequence_(config(), model().plan, pages_, golden.tokens().size(), Replay::kFull),
      scratch_(config(), model().plan, PlanFor(golden, isa)),
      forward_{model(), scratch_} {
  sequence_.tokens = golden.tokens();
  sequence_.Grow(sequence_.tokens.size());
  step_ = Step(std::vector<Segment>{{.sequence = &sequence_,
                                     .count = sequence_.tokens.size(),
                                     .kind = kind,
                                     .streams = scratch_.chunk.streams,
                                     .pre = scratch_.chunk.pre}});
  BeginStep(forward_, step_);
  LookUpEngrams(forward_, step_);
}

CompressedKv& GoldenStep::KvOf(size_t layer) {
  const int source = model().plan.layers[layer].kv_source;
  CEDAR_CHECK(source >= 0);
  return sequence_.compressed[static_cast<size_t>(source)];
}

void GoldenStep::SetInput(const Table<Bf16>& x) { Fill(x, scratch_.x, rows() * config().hidden); }
void GoldenStep::SetOutput(const Table<Bf16>& y) { Fill(y, scratch_.y, rows() * config().hidden); }
void GoldenStep::SetStreams(const Table<Bf16>& streams) {
  Fill(streams, scratch_.chunk.streams, rows() * config().streams_width());
}
void GoldenStep::SetPre(const Table<float>& pre) {
  Fill(pre, scratch_.chunk.pre, rows() * config().hc);
}

std::span<const Bf16> GoldenStep::Input(size_t row) const {
  return {scratch_.x + row * config().hidden, config().hidden};
}
std::span<const Bf16> GoldenStep::Output(size_t row) const {
  return {scratch_.y + row * config().hidden, config().hidden};
}
std::span<const Bf16> GoldenStep::Streams(size_t row) const {
  return {scratch_.chunk.streams + row * config().streams_width(), config().streams_width()};
}

}  // namespace cedar
