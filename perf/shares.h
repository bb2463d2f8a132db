#ifndef CEDAR_PERF_SHARES_H_
#define CEDAR_PERF_SHARES_H_

// Measures a kernel beside what its threads could do at most in the same moment, and reports
// medians of four figures over the iterations of a benchmark:
//
//   GB/s       of the bytes that the kernel reads from memory
//   read       their share of the speed of plain reads of the same pages
//   GFLOP/s    of its operations; a product and its addition are two
//   peak       their share of the arithmetic peak
//
// Time is that on the wall: run these on a quiet machine.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "simd/isa.h"
#include "simd/team_probes.h"
#include "simd/workers.h"

namespace cedar::perf {

// What one call of a kernel does.
struct CallCost {
  double bytes = 0;
  double operations = 0;
};

class Shares {
 public:
  // workers: who runs the kernel; must outlive this. parts: the memory that it reads.
  Shares(Isa isa, const simd::Workers& workers, std::vector<simd::Bytes> parts)
      : probes_(isa, workers), parts_(std::move(parts)) {}

  // Products are of bytes, and `peak` is a share of what these reach.
  void set_int8() { int8_ = true; }

  // Waits so long before each probe: for kernels whose own threads spin on after their work.
  void set_pause(std::chrono::milliseconds pause) { pause_ = pause; }

  // Calls `work` at least so often in each iteration of the benchmark, and a short one so often
  // that the clock can tell; the time of a call is reported.
  template <class Work>
  void Run(benchmark::State& state, const CallCost& cost, const Work& work, size_t least = 1) {
    work();  // makes pages present and caches warm
    const size_t calls = std::max(least, CallsIn(kLeastSeconds, work));
    Speeds before = Probe();
    for (auto _ : state) {
      const double seconds = Seconds([&] {
        for (size_t i = 0; i < calls; ++i) work();
      });
      const Speeds after = Probe();
      const double each = seconds / static_cast<double>(calls);
      state.SetIterationTime(each);
      bytes_.push_back(cost.bytes / each);
      read_.push_back(bytes_.back() * 2 / (before.read + after.read));
      operations_.push_back(cost.operations / each);
      peak_.push_back(operations_.back() * 2 / (before.compute + after.compute));
      before = after;
    }
    state.counters["GB/s"] = Median(bytes_) * 1e-9;
    state.counters["read"] = Median(read_);
    state.counters["GFLOP/s"] = Median(operations_) * 1e-9;
    state.counters["peak"] = Median(peak_);
  }

 private:
  static constexpr double kLeastSeconds = 2e-3;

  struct Speeds {
    double read, compute;
  };

  template <class Body>
  static double Seconds(const Body& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  template <class Work>
  static size_t CallsIn(double seconds, const Work& work) {
    const double once = Seconds(work);
    return once >= seconds ? 1 : static_cast<size_t>(std::ceil(seconds / std::max(once, 1e-8)));
  }

  Speeds Probe() const {
    std::this_thread::sleep_for(pause_);
    return {probes_.ReadSpeed(parts_), int8_ ? probes_.Int8Dots() : probes_.ReferencePeak()};
  }

  static double Median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  simd::TeamProbes probes_;
  std::vector<simd::Bytes> parts_;
  std::chrono::milliseconds pause_{0};
  bool int8_ = false;
  std::vector<double> bytes_, read_, operations_, peak_;
};

// How all of these are run: figures are medians, so that a fixed number of iterations is enough.
inline void Configure(benchmark::internal::Benchmark* bench, int iterations = 11) {
  bench->UseManualTime()->Iterations(iterations)->Unit(benchmark::kMillisecond);
}

}  // namespace cedar::perf

#endif  // CEDAR_PERF_SHARES_H_
