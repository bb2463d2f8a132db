#include "simd/cores.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace cedar::simd {
namespace {

// A set of CPUs large enough for any machine. It allocates nothing: new threads use one.
class CpuSet {
 public:
  static constexpr int kMaxCpus = 16384;
  bool Has(int cpu) const { return CPU_ISSET_S(static_cast<size_t>(cpu), kBytes, sets_); }
  void Add(int cpu) { CPU_SET_S(static_cast<size_t>(cpu), kBytes, sets_); }
  // The CPUs that a thread may run on.
  void AddAllowed(int thread) {
    CpuSet allowed;
    if (sched_getaffinity(thread, kBytes, allowed.sets_) != 0) return;
    CPU_OR_S(kBytes, sets_, sets_, allowed.sets_);
  }
  void BindCallingThread() const { sched_setaffinity(0, kBytes, sets_); }

 private:
  static constexpr size_t kBytes = kMaxCpus / 8;

  cpu_set_t sets_[kBytes / sizeof(cpu_set_t)] = {};
};

// The CPUs that share the core of `cpu`, as Linux lists them; its own number where that is unknown.
std::string SiblingsOf(int cpu) {
  const std::string number = std::to_string(cpu);
  std::ifstream file("/sys/devices/system/cpu/cpu" + number + "/topology/thread_siblings_list");
  std::string siblings;
  return std::getline(file, siblings) ? siblings : number;
}

std::vector<int> ThreadsOfProcess() {
  std::vector<int> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    threads.push_back(std::atoi(entry.path().filename().c_str()));
  }
  if (threads.empty()) threads.push_back(0);  // without /proc: the calling thread
  return threads;
}

}  // namespace

std::vector<Core> AllowedCores() {
  CpuSet allowed;
  for (const int thread : ThreadsOfProcess()) allowed.AddAllowed(thread);
  std::map<int, int> node_of = NodesOfCpus();  // and of those that are missing, node 0
  std::map<std::string, size_t> index_of;
  std::vector<Core> cores;
  for (int cpu = 0; cpu < CpuSet::kMaxCpus; ++cpu) {
    if (!allowed.Has(cpu)) continue;
    const auto [core, is_new] = index_of.emplace(SiblingsOf(cpu), cores.size());
    if (is_new) cores.push_back({{}, node_of[cpu]});
    cores[core->second].cpus.push_back(cpu);
  }
  std::ranges::sort(cores, {}, [](const Core& core) { return std::pair(core.node, core.cpus[0]); });
  return cores;
}

std::vector<NodeThreads> NodesOf(std::span<const Core> cores) {
  std::vector<NodeThreads> nodes;
  for (const Core& core : cores) {
    if (nodes.empty() || nodes.back().node != core.node) nodes.push_back({core.node, 0});
    ++nodes.back().threads;
  }
  return nodes;
}

void BindTo(std::span<const Core> cores) {
  CpuSet cpus;
  for (const Core& core : cores) {
    for (const int cpu : core.cpus) cpus.Add(cpu);
  }
  cpus.BindCallingThread();
}

}  // namespace cedar::simd
