#ifndef CEDAR_ENGINE_METER_H_
#define CEDAR_ENGINE_METER_H_

// Measures work of an engine beside what its machine could do at most in the same moment: plain
// reads of the same weights and bare arithmetic, by all of its threads.
//
//   Meter meter(engine);
//   session.Observe(meter.observer());
//   meter.Start();
//   ... work ...
//   const Measured piece = meter.Stop();
//
// The speed of a machine changes within seconds: measure long work in pieces and add them up.

#include <chrono>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/work_counter.h"
#include "simd/team_probes.h"

namespace cedar {

struct Measured {
  double seconds = 0;
  Work work;
  // What the work would have taken at the speed of the probes.
  double read_seconds = 0;
  double compute_seconds = 0;

  Measured& operator+=(const Measured& piece);

  // Of the probed speed; the larger of the two is the share of what is possible at all.
  double read_share() const { return seconds > 0 ? read_seconds / seconds : 0; }
  double compute_share() const { return seconds > 0 ? compute_seconds / seconds : 0; }
};

class Meter {
 public:
  // `engine` must outlive this. Reads a sample of the weights once, so that they are in memory.
  explicit Meter(const Engine& engine);

  // For the session or scheduler that does the work.
  BlockObserver* observer() { return &counter_; }

  void Start();
  // What was done since Start.
  Measured Stop();
  // Stop, and Start at once.
  Measured Split();

  // The page that most of the weights lie on.
  size_t page_size() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Speeds {
    double read = 0;     // bytes a second
    double compute = 0;  // operations a second
    double experts = 0;  // the same for those of the routed experts, in the numerics in use
  };

  Speeds Probe() const;

  simd::TeamProbes probes_;
  std::vector<std::span<const uint8_t>> sample_;
  WorkCounter counter_;
  bool int8_experts_;
  Speeds before_;
  Work work_before_;
  Clock::time_point start_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_METER_H_
