#ifndef CEDAR_SIMD_WORKERS_H_
#define CEDAR_SIMD_WORKERS_H_

// The only place where threads exist: a team that lives as long as its Workers, used for ranges of
// independent work. What a body computes for an index must not depend on which thread runs it or
// where the range is cut; then results do not depend on the number of threads.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "simd/matrix.h"
#include "simd/nodes.h"

namespace cedar::simd {

enum class Pinning {
  kCores,  // each thread keeps to a core of its own, if the team has one for each core there is
  kNone,
};

class Workers {
 public:
  using Body = std::function<void(Range range, int worker)>;

  // threads >= 1; DefaultThreads() makes one for each core. The thread that makes the team is
  // worker 0 and is bound as the others are. A smaller team than there are cores is left to the
  // scheduler, which knows what else runs here. Throws Error (kModel) when threads are refused.
  explicit Workers(int threads, Pinning pinning = Pinning::kCores);
  // For tests: a team that is not bound and takes itself to be on these nodes.
  explicit Workers(std::vector<NodeThreads> nodes);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  // The nodes whose cores the workers are bound to, in the order of workers, each once; of a team
  // that is not bound a single one, kAnyNode.
  std::span<const NodeThreads> nodes() const { return nodes_; }
  // Which of nodes() a worker belongs to.
  size_t NodeOfWorker(int worker) const;

  // Calls body(range, worker) on disjoint ranges that cover [0, n), each a multiple of `grain` long
  // except the last; worker is in [0, threads()), for per-thread scratch. Worker w walks the w-th
  // part of [0, n) upwards and then helps others at the end of theirs, so that memory is read in
  // one ascending stream a thread and a body with uneven work still balances. n <= grain runs in
  // the calling thread. Bodies must not throw and must not call Workers again; one ForRanges at a
  // time.
  void ForRanges(size_t n, size_t grain, const Body& body) const;

 private:
  class Team;

  int threads_;
  std::vector<NodeThreads> nodes_;
  std::unique_ptr<Team> team_;  // none for one thread
};

// One for each physical core that this process may run on, but no more than its control groups give
// it CPUs.
int DefaultThreads();
// Of so many cores, when a quota gives so many CPUs: rounded up, one at least.
int ThreadsWithin(double cpus, int cores);

}  // namespace cedar::simd

#endif  // CEDAR_SIMD_WORKERS_H_
