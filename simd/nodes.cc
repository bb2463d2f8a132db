#include "simd/nodes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "simd/formats.h"

namespace cedar::simd {
namespace {

// The number that a name ends with: 3 of "node3". False for other names.
bool ParseNode(std::string_view name, int& node) {
  constexpr std::string_view kPrefix = "node";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), node);
  return error == std::errc() && end == name.data() + name.size();
}

// "0-15,32,40-41"; empty for a node that has memory alone.
void AddCpus(std::istream& list, int node, std::map<int, int>& node_of) {
  for (int first; list >> first;) {
    int last = first;
    char separator = 0;
    if (list >> separator && separator == '-') list >> last >> separator;
    for (int cpu = first; cpu <= last; ++cpu) node_of[cpu] = node;
  }
}

}  // namespace

int ThreadsOf(std::span<const NodeThreads> nodes) {
  int threads = 0;
  for (const NodeThreads& node : nodes) threads += node.threads;
  return threads;
}

// Rounded up, so that a matrix of one block belongs to the first node: worker 0 computes it.
Range RowsOfNode(size_t rows, std::span<const NodeThreads> nodes, size_t i) {
  const size_t blocks = (rows + kScaleBlock - 1) / kScaleBlock;
  const size_t threads = static_cast<size_t>(ThreadsOf(nodes));
  const auto first = [&](size_t node) {
    const size_t before = static_cast<size_t>(ThreadsOf(nodes.first(node)));
    return std::min(rows, (blocks * before + threads - 1) / threads * kScaleBlock);
  };
  return {first(i), first(i + 1)};
}

std::map<int, int> NodesOfCpus(const std::string& folder) {
  std::map<int, int> node_of;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    int node = 0;
    if (!ParseNode(entry.path().filename().native(), node)) continue;
    std::ifstream list(entry.path() / "cpulist");
    AddCpus(list, node, node_of);
  }
  return node_of;
}

}  // namespace cedar::simd
