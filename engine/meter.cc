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
      counter_(engine.model()) {
  probes_.ReadSpeed(sample_);
}

Meter::Speeds Meter::Probe() const { return {probes_.ReadSpeed(sample_), probes_.ReferencePeak()}; }

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
  piece.compute_seconds = piece.work.operations * 2 / (before_.compute + after.compute);
  before_ = after;
  return piece;
}

Measured Meter::Split() {
  const Measured piece = Stop();
  work_before_ = counter_.work();
  start_ = Clock::now();
  return piece;
}

size_t Meter::page_size() const { return simd::PagesOf(sample_).page_size(); }

}  // namespace cedar
