#include "engine/meter.h"

#include "engine/model.h"
#include "simd/page_size.h"
#include "weights/weight_sample.h"

namespace cedar {
namespace {

// More than any cache holds, and read within a tenth of a second.
constexpr size_t kSampleBytes = size_t{1} << 30;

}  // namespace

Measured& Measured::operator+=(const Measured& piece) {
  seconds += piece.seconds;
  work += piece.work;
  read_seconds += piece.read_seconds;
  compute_seconds += piece.compute_seconds;
  return *this;
}

Meter::Meter(const Engine& engine)
    : probes_(engine.isa(), engine.model().workers),
      sample_(SampleWeights(engine.model().weights, kSampleBytes)),
      counter_(engine.model()),
      int8_experts_(engine.numerics() == Numerics::kInt8 &&
                    engine.model().weights.layers[0].moe.routed[0].w1.format == Format::kFp4) {
  probes_.ReadSpeed(sample_);
}

Meter::Speeds Meter::Probe() const {
  const double peak = probes_.ReferencePeak();
  return {probes_.ReadSpeed(sample_), peak, int8_experts_ ? probes_.Int8Dots() : peak};
}

void Meter::Start() {
  before_ = Probe();
  work_before_ = counter_.work();
  start_ = Clock::now();
}

Measured Meter::Stop() {
  Measured piece;
  piece.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  piece.work = counter_.work() - work_before_;
  // The speed meanwhile is taken for the mean of those before and after.
  const Speeds after = Probe();
  piece.read_seconds = piece.work.weight_bytes * 2 / (before_.read + after.read);
  const double others = piece.work.operations - piece.work.expert_operations;
  piece.compute_seconds = others * 2 / (before_.compute + after.compute) +
                          piece.work.expert_operations * 2 / (before_.experts + after.experts);
  before_ = after;
  return piece;
}

Measured Meter::Split() {
  const Measured piece = Stop();
  work_before_ = counter_.work();
  start_ = Clock::now();
  return piece;
}

size_t Meter::page_size() const {
  const auto use = simd::PagesOf(sample_);
  return use ? use->page_size() : 0;
}

}  // namespace cedar
