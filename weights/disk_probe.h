#ifndef CEDAR_WEIGHTS_DISK_PROBE_H_
#define CEDAR_WEIGHTS_DISK_PROBE_H_

// How fast the disk is that weights lie on, past the file cache.

#include <optional>
#include <span>
#include <string>

namespace cedar {

struct DiskProbe {
  std::optional<double> bytes_per_second;
  std::string why;  // nobody knows, if it is unset: "the files are holes"
};

// Reads pieces all over these files with O_DIRECT for half a second, a second at most on a slow
// disk, several at once. Only what the file system says is allocated on disk is read, never a hole.
// Never fails.
DiskProbe ProbeDisk(std::span<const std::string> paths);

// Whether the file's bytes lie in memory anyway: on tmpfs and the like.
bool LiesInMemory(const std::string& path);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_DISK_PROBE_H_
