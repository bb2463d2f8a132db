#include "app/machine_limits.h"

#include <cstdio>

#include "simd/quantities.h"

namespace cedar {
namespace {

std::string Bytes(size_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

std::string Cpus(double cpus) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", cpus);
  return text;
}

}  // namespace

MachineLimits FindMachineLimits() { return {simd::RoomOfMemory(), simd::ReadGroupLimits()}; }

std::vector<std::pair<std::string, std::string>> LimitLines(const MachineLimits& limits) {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("memory", simd::RoomText(limits.room));
  if (const auto& memory = limits.groups.memory) {
    lines.emplace_back("memory limit", Bytes(memory->limit) + ", of which " + Bytes(memory->left) +
                                           " are left: " + memory->file);
  }
  if (const auto& cpus = limits.groups.cpus) {
    lines.emplace_back("CPU quota", Cpus(cpus->cpus) + " CPUs: " + cpus->file);
  }
  return lines;
}

nlohmann::ordered_json MemoryLimitJson(const MachineLimits& limits) {
  nlohmann::ordered_json json = {{"available", limits.room.bytes}, {"source", limits.room.source}};
  if (const auto& memory = limits.groups.memory) {
    json["limit"] = memory->limit;
    json["limit_left"] = memory->left;
    json["limit_file"] = memory->file;
  }
  return json;
}

nlohmann::ordered_json CpuQuotaJson(const MachineLimits& limits) {
  const auto& cpus = limits.groups.cpus;
  if (!cpus) return nullptr;
  return {{"cpus", cpus->cpus}, {"file", cpus->file}};
}

}  // namespace cedar
