#include "simd/team_probes.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace cedar::simd {
namespace {

// Rounds of arithmetic that take a few milliseconds: long against the start of a team.
constexpr size_t kRounds = size_t{1} << 20;

using Clock = std::chrono::steady_clock;

// Seconds until every thread of the team has done its share; share(i) is that of thread i.
template <class Share>
double TeamSeconds(const Workers& workers, const Share& share) {
  const Clock::time_point start = Clock::now();
  workers.ForRanges(static_cast<size_t>(workers.threads()), 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) share(i);
  });
  return std::chrono::duration<double>(Clock::now() - start).count();
}

size_t TotalBytes(std::span<const Bytes> parts) {
  size_t bytes = 0;
  for (const Bytes part : parts) bytes += part.size();
  return bytes;
}

// Reads bytes `range` of the parts laid end to end.
uint64_t ReadRange(const Probes& probes, std::span<const Bytes> parts, Range range) {
  uint64_t sum = 0;
  size_t first = 0;  // of the part
  for (const Bytes part : parts) {
    const size_t begin = std::clamp(range.begin, first, first + part.size()) - first;
    const size_t end = std::clamp(range.end, first, first + part.size()) - first;
    if (begin < end) sum += probes.read(part.data() + begin, end - begin);
    first += part.size();
  }
  return sum;
}

}  // namespace

TeamProbes::TeamProbes(Isa isa, const Workers& workers)
    : probes_(ProbesFor(isa == Isa::kReference ? AvailableIsas().front() : isa)),
      workers_(workers) {}

double TeamProbes::ReadSpeed(std::span<const Bytes> parts) const {
  const size_t total = TotalBytes(parts), threads = static_cast<size_t>(workers_.threads());
  if (total == 0) return 0;
  const size_t times = std::max<size_t>(1, kLeastRead / total);
  std::atomic<uint64_t> sum = 0;  // what is read must be used
  const double seconds = TeamSeconds(workers_, [&](size_t i) {
    for (size_t pass = 0; pass < times; ++pass) {
      sum += ReadRange(probes_, parts, {total * i / threads, total * (i + 1) / threads});
    }
  });
  return static_cast<double>(total * times) / seconds;
}

double TeamProbes::Arithmetic(float (*probe)(size_t rounds), double operations) const {
  if (probe == nullptr) return 0;
  std::atomic<float> sum = 0;
  const double seconds = TeamSeconds(workers_, [&](size_t) { sum += probe(kRounds); });
  return operations * static_cast<double>(kRounds) * workers_.threads() / seconds;
}

double TeamProbes::Fp32Fmas() const {
  return Arithmetic(probes_.fp32_fmas, probes_.fp32_fma_flops);
}

double TeamProbes::Bf16Dots() const {
  return Arithmetic(probes_.bf16_dots, probes_.bf16_dot_flops);
}

double TeamProbes::Int8Dots() const { return Arithmetic(probes_.int8_dots, probes_.int8_dot_ops); }

double TeamProbes::ReferencePeak() const { return std::max(Fp32Fmas(), Bf16Dots()); }

}  // namespace cedar::simd
