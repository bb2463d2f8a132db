#include "simd/workers.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "simd/control_groups.h"
#include "simd/cores.h"
#include "simd/error.h"
#include "simd/pieces.h"

namespace cedar::simd {
namespace {

// How many ranges a thread's part of the work is cut into, where the grain allows as many: they
// cost little, and the last one is what others may have to wait for.
constexpr size_t kPiecesPerThread = 64;

// How long a thread without work looks for more before it sleeps: about what lies between two
// regions of a step.
constexpr std::chrono::microseconds kSpin(50);

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// True as soon as `ready` says so; false if it did not for kSpin.
template <typename F>
bool SpinUntil(const F& ready) {
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      Pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// Work is done in rounds. The caller describes a round and raises its number; whoever is awake
// takes pieces; it is over when all pieces are done. So nobody waits for a thread that the system
// does not let run, unless it holds a piece.
class Workers::Team {
 public:
  Team(int threads, Pinning pinning);
  ~Team();

  void Run(size_t n, size_t step, const Body& body);
  // The core of every worker; none if they are not bound.
  std::span<const Core> cores() const {
    return bound_ ? std::span(cores_) : std::span<const Core>();
  }

 private:
  using Round = Pieces::Round;  // odd while it is being described

  struct Job {
    const Body* body = nullptr;
    size_t n = 0, step = 0;
    size_t pieces() const { return (n + step - 1) / step; }
  };

  void Bind(int worker) const;
  void Describe(const Job& job);
  std::optional<Job> Description(Round round) const;
  void Help(int worker);
  void Work(Round round, const Job& job, int worker);
  void Stop();

  alignas(64) std::atomic<Round> round_ = 0;
  std::atomic<const Body*> body_ = nullptr;
  std::atomic<size_t> n_ = 0, step_ = 0;
  std::atomic<bool> stop_ = false;
  alignas(64) std::atomic<uint32_t> done_ = 0;  // pieces of this round
  Pieces pieces_;
  std::vector<Core> cores_;
  bool bound_;
  std::vector<std::thread> helpers_;
};

// A thread's stack is as large as the main thread's may become, which ulimit -s may make too small,
// and ulimit -v too large.
void SetStackOfThreads() {
  constexpr size_t kStack = size_t{4} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kStack) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

Workers::Team::Team(int threads, Pinning pinning)
    : pieces_(static_cast<size_t>(threads)), cores_(AllowedCores()) {
  bound_ = pinning == Pinning::kCores && cores_.size() == static_cast<size_t>(threads);
  SetStackOfThreads();
  try {
    for (int worker = 1; worker < threads; ++worker) {
      helpers_.emplace_back([=, this] {
        Bind(worker);
        Help(worker);
      });
    }
  } catch (const std::system_error& error) {
    Stop();
    throw Error(ErrorKind::kModel, std::string("threads: ") + error.what());
  }
  Bind(0);
}

Workers::Team::~Team() {
  Stop();
  BindTo(cores_);
}

// A helper starts with the cores of the thread that made it, which may be a single one.
void Workers::Team::Bind(int worker) const {
  BindTo(bound_ ? std::span(cores_).subspan(static_cast<size_t>(worker), 1) : cores_);
}

void Workers::Team::Stop() {
  stop_ = true;
  round_ += 2;
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Workers::Team::Describe(const Job& job) {
  const Round round = round_.load(std::memory_order_relaxed);
  round_.store(round + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  body_.store(job.body, std::memory_order_relaxed);
  n_.store(job.n, std::memory_order_relaxed);
  step_.store(job.step, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  round_ = round + 2;  // in one order with the sleepers' counts, or one might not be woken
}

// The description of a round; none if the round is over and another one being described.
std::optional<Workers::Team::Job> Workers::Team::Description(Round round) const {
  const Job job{body_.load(std::memory_order_relaxed), n_.load(std::memory_order_relaxed),
                step_.load(std::memory_order_relaxed)};
  std::atomic_thread_fence(std::memory_order_acquire);
  if (round_.load(std::memory_order_relaxed) != round) return std::nullopt;
  return job;
}

void Workers::Team::Run(size_t n, size_t step, const Body& body) {
  const Job job{&body, n, step};
  Describe(job);
  round_.notify_all();
  Work(round_.load(std::memory_order_relaxed), job, 0);
  const uint32_t pieces = static_cast<uint32_t>(job.pieces());
  const auto done = [&] { return done_.load(std::memory_order_acquire) == pieces; };
  if (SpinUntil(done)) return;
  for (uint32_t seen; (seen = done_.load(std::memory_order_acquire)) != pieces;) done_.wait(seen);
}

void Workers::Team::Help(int worker) {
  Round seen = 0;
  for (;;) {
    const auto begun = [&] {
      const Round now = round_.load(std::memory_order_acquire);
      return now != seen && now % 2 == 0;
    };
    if (!SpinUntil(begun)) round_.wait(seen);
    const Round round = round_.load(std::memory_order_acquire);
    if (stop_) return;
    if (round == seen || round % 2 == 1) continue;
    seen = round;
    if (const std::optional<Job> job = Description(round)) Work(round, *job, worker);
  }
}

// Takes pieces of the worker's own part upwards, then of the ends of the others'.
void Workers::Team::Work(Round round, const Job& job, int worker) {
  const size_t threads = helpers_.size() + 1, me = static_cast<size_t>(worker);
  uint32_t done = 0;
  for (size_t i = 0; i < threads; ++i) {
    const size_t owner = (me + i) % threads;
    while (const std::optional<size_t> piece = i == 0
                                                   ? pieces_.TakeFirst(round, job.pieces(), owner)
                                                   : pieces_.TakeLast(round, job.pieces(), owner)) {
      (*job.body)({*piece * job.step, std::min(job.n, (*piece + 1) * job.step)}, worker);
      ++done;
    }
  }
  if (done == 0) return;
  done_ += done;
  if (worker != 0) done_.notify_one();
}

Workers::Workers(int threads, Pinning pinning)
    : threads_(threads), nodes_{{.node = kAnyNode, .threads = threads}} {
  CEDAR_CHECK(threads >= 1);
  if (threads == 1) return;
  team_ = std::make_unique<Team>(threads, pinning);
  if (!team_->cores().empty()) nodes_ = NodesOf(team_->cores());
}

Workers::Workers(std::vector<NodeThreads> nodes) : Workers(ThreadsOf(nodes), Pinning::kNone) {
  nodes_ = std::move(nodes);
}

Workers::~Workers() = default;

void Workers::ForRanges(size_t n, size_t grain, const Body& body) const {
  if (n == 0) return;
  if (n <= grain || threads_ == 1) return body({0, n}, 0);
  const size_t grains = (n + grain - 1) / grain;
  const size_t most = std::min(Pieces::kMost, kPiecesPerThread * static_cast<size_t>(threads_));
  team_->Run(n, grain * ((grains + most - 1) / most), body);
}

size_t Workers::NodeOfWorker(int worker) const {
  size_t node = 0;
  while (worker >= nodes_[node].threads) worker -= nodes_[node++].threads;
  return node;
}

int DefaultThreads() {
  const int cores = std::max(1, static_cast<int>(AllowedCores().size()));
  const std::optional<GroupCpus> quota = ReadGroupLimits().cpus;
  return quota ? ThreadsWithin(quota->cpus, cores) : cores;
}

int ThreadsWithin(double cpus, int cores) {
  return static_cast<int>(std::clamp<double>(std::ceil(cpus), 1, cores));
}

}  // namespace cedar::simd
