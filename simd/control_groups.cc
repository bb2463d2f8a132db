#include "simd/control_groups.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace cedar::simd {
namespace {

// Version 1 says "no limit" with the largest number of whole pages.
constexpr uint64_t kNoLimit = uint64_t{1} << 62;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool Lists(const std::string& names, std::string_view name) {
  return std::ranges::count(Split(names, ','), name) > 0;
}

// A word of a file; empty if there is none.
std::string ReadWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

std::optional<uint64_t> ParseNumber(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// A limit in bytes; none if it says "max", or another number that limits nothing.
std::optional<size_t> ReadLimit(const std::string& path) {
  const std::optional<uint64_t> value = ParseNumber(ReadWord(path));
  if (!value || *value >= kNoLimit) return std::nullopt;
  return *value;
}

// "KEY NUMBER" in each line.
std::map<std::string, uint64_t> ReadNumbers(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, uint64_t> numbers;
  std::string key;
  for (uint64_t value = 0; file >> key >> value;) numbers[key] = value;
  return numbers;
}

uint64_t At(const std::map<std::string, uint64_t>& numbers, const std::string& key) {
  const auto found = numbers.find(key);
  return found == numbers.end() ? 0 : found->second;
}

// One hierarchy of groups as this process sees it.
struct Hierarchy {
  bool v2 = false;
  std::string mount;               // where it is mounted
  std::vector<std::string> names;  // of our group, below the mount; none: it is the mount itself
};

struct Mount {
  std::string type, controllers;  // cgroup2, or cgroup with these
  std::string root;               // the group that is mounted
  std::string place;
};

// mountinfo writes a space as \040, and other bytes alike.
std::string Unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string digits = text[i] == '\\' ? text.substr(i + 1, 3) : "";
    int byte = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 8);
    const bool escaped = digits.size() == 3 && stop == digits.data() + 3 && byte < 256;
    out += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += 3;
  }
  return out;
}

// "31 23 0:28 ROOT PLACE OPTIONS [MORE...] - TYPE SOURCE CONTROLLERS"
std::vector<Mount> ReadMounts(const std::string& path) {
  std::vector<Mount> mounts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4) continue;
    if (dash[1] != "cgroup2" && dash[1] != "cgroup") continue;
    mounts.push_back({dash[1], dash[3], Unescaped(words[3]), Unescaped(words[4])});
  }
  return mounts;
}

std::vector<std::string> NamesOf(const std::string& group) {
  std::vector<std::string> names = Split(group, '/');
  std::erase(names, "");
  return names;
}

// The names of `group` below the group that is mounted; none if it does not lie there.
std::optional<std::vector<std::string>> NamesBelow(const std::string& root,
                                                   const std::string& group) {
  const std::vector<std::string> above = NamesOf(root), names = NamesOf(group);
  if (above.size() > names.size() || !std::equal(above.begin(), above.end(), names.begin())) {
    return std::nullopt;
  }
  std::vector<std::string> below(names.begin() + static_cast<std::ptrdiff_t>(above.size()),
                                 names.end());
  if (std::ranges::count(below, "..") > 0) return std::nullopt;
  return below;
}

// Where our group of one hierarchy is to be seen. If no mount has it, it was named from outside of
// a container, and what is mounted is the container's own group.
void AddPlaces(const std::vector<Mount>& mounts, bool v2, const std::string& group,
               std::vector<Hierarchy>& found) {
  const size_t before = found.size();
  for (const Mount& mount : mounts) {
    const auto names = NamesBelow(mount.root, group);
    if (names) found.push_back({v2, mount.place, *names});
  }
  if (found.size() > before) return;
  for (const Mount& mount : mounts) found.push_back({v2, mount.place, {}});
}

// The hierarchies that have a controller: of version 1 one at most, and that of version 2.
std::vector<Hierarchy> Find(const std::string& root, std::string_view controller) {
  const std::vector<Mount> all = ReadMounts(root + "/proc/self/mountinfo");
  std::vector<Hierarchy> found;
  std::ifstream file(root + "/proc/self/cgroup");
  // "4:memory,hugetlb:/GROUP", of version 2 "0::/GROUP". A group's name may have colons.
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && !Lists(controllers, controller)) continue;
    std::vector<Mount> mounts;
    std::ranges::copy_if(all, std::back_inserter(mounts), [&](const Mount& mount) {
      return v2 ? mount.type == "cgroup2"
                : mount.type == "cgroup" && Lists(mount.controllers, controller);
    });
    AddPlaces(mounts, v2, line.substr(second + 1), found);
  }
  return found;
}

// The folders of our group and of all above it, ours first.
std::vector<std::string> Folders(const Hierarchy& hierarchy) {
  std::vector<std::string> folders = {hierarchy.mount};
  for (const std::string& name : hierarchy.names) {
    folders.insert(folders.begin(), (folders[0] == "/" ? "" : folders[0]) + "/" + name);
  }
  return folders;
}

// What a group has taken without what the kernel drops when it needs room.
size_t UsedV2(const std::string& folder) {
  const size_t used = ReadLimit(folder + "/memory.current").value_or(0);
  const auto stat = ReadNumbers(folder + "/memory.stat");
  const size_t pages =
      At(stat, "inactive_file") + At(stat, "active_file") + At(stat, "slab_reclaimable");
  return used - std::min(used, pages);
}

// Here the numbers of groups below count only with "total_".
size_t UsedV1(const std::string& folder) {
  const size_t used = ReadLimit(folder + "/memory.usage_in_bytes").value_or(0);
  const auto stat = ReadNumbers(folder + "/memory.stat");
  const std::string all = stat.contains("total_inactive_file") ? "total_" : "";
  const size_t pages = At(stat, all + "inactive_file") + At(stat, all + "active_file");
  return used - std::min(used, pages);
}

void Take(std::optional<GroupMemory>& least, std::optional<size_t> limit, size_t used,
          const std::string& file) {
  if (!limit) return;
  const size_t left = *limit - std::min(*limit, used);
  if (!least || left < least->left) least = GroupMemory{*limit, left, file};
}

std::optional<GroupMemory> LeastMemory(const std::string& root) {
  std::optional<GroupMemory> least;
  for (const Hierarchy& hierarchy : Find(root, "memory")) {
    for (const std::string& folder : Folders(hierarchy)) {
      const std::string path = root + folder;
      if (hierarchy.v2) {
        for (const char* name : {"/memory.max", "/memory.high"}) {
          Take(least, ReadLimit(path + name), UsedV2(path), folder + name);
        }
        continue;
      }
      const char* const name = "/memory.limit_in_bytes";
      Take(least, ReadLimit(path + name), UsedV1(path), folder + name);
      // Groups above ours count too, also those that a container does not see.
      const auto stat = ReadNumbers(path + "/memory.stat");
      const auto above = stat.find("hierarchical_memory_limit");
      if (above == stat.end() || above->second >= kNoLimit) continue;
      Take(least, above->second, UsedV1(path), folder + "/memory.stat");
    }
  }
  return least;
}

// Microseconds of CPU in each period: "QUOTA PERIOD" or "max PERIOD"; version 1 has a file for each
// and writes -1 for no quota.
std::optional<double> Quota(const std::string& quota, const std::string& period) {
  const std::optional<uint64_t> some = ParseNumber(quota), of = ParseNumber(period);
  if (!some || !of || *some == 0 || *of == 0) return std::nullopt;
  return static_cast<double>(*some) / static_cast<double>(*of);
}

std::optional<double> QuotaV2(const std::string& path) {
  std::ifstream file(path);
  std::string quota, period;
  file >> quota >> period;
  return Quota(quota, period);
}

std::optional<GroupCpus> LeastCpus(const std::string& root) {
  std::optional<GroupCpus> least;
  for (const Hierarchy& hierarchy : Find(root, "cpu")) {
    const std::string name = hierarchy.v2 ? "/cpu.max" : "/cpu.cfs_quota_us";
    for (const std::string& folder : Folders(hierarchy)) {
      const std::string path = root + folder + name;
      const std::optional<double> cpus =
          hierarchy.v2 ? QuotaV2(path)
                       : Quota(ReadWord(path), ReadWord(root + folder + "/cpu.cfs_period_us"));
      if (cpus && (!least || *cpus < least->cpus)) least = GroupCpus{*cpus, folder + name};
    }
  }
  return least;
}

}  // namespace

GroupLimits ReadGroupLimits(const std::string& root) {
  return {LeastMemory(root), LeastCpus(root)};
}

}  // namespace cedar::simd
