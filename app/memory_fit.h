#ifndef CEDAR_APP_MEMORY_FIT_H_
#define CEDAR_APP_MEMORY_FIT_H_

// Does it fit? What a model needs in memory, what is there, and what a run does otherwise.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "simd/memory.h"
#include "weights/checkpoint.h"
#include "weights/disk_probe.h"

namespace cedar {

struct MemoryFit {
  uint64_t layers = 0;            // bytes of weights that should be in memory: all but the tables
  uint64_t plan = 0;              // bytes that a run takes of its own
  uint64_t token = 0;             // bytes of weights that a generated token reads
  simd::MemoryRoom room;          // room.bytes = 0: nobody knows
  std::optional<DiskProbe> disk;  // set only if it does not fit

  bool Fits() const { return room.bytes == 0 || layers + plan <= room.bytes; }
  bool PlanFits() const { return room.bytes == 0 || plan <= room.bytes; }
  // Of the layers, what will not be in memory when it is needed: 0 to 1.
  double MissingShare() const;
  double DiskBytesOfToken() const;
};

// `files`: those of the weights that lie on a disk; where they do not, no layer needs room. If it
// does not fit, the disk is probed, which takes a second at most.
MemoryFit MakeMemoryFit(uint64_t layers, uint64_t plan, uint64_t token,
                        const std::vector<std::string>& files);
MemoryFit MakeMemoryFit(const Engine& engine, uint64_t plan);

// Files of a checkpoint that are on a disk.
std::vector<std::string> FilesOnDisk(const Checkpoint& checkpoint);

// "fits", or a sentence that begins with "does not fit".
std::string FitText(const MemoryFit& fit);

// {"layers", "plan", "needed", "fits"} and, if it does not, {"disk_bytes_per_token",
// "disk_bytes_per_second"}, null where nobody knows.
nlohmann::ordered_json FitJson(const MemoryFit& fit);

// A warning on standard error if the model does not fit.
void WarnIfUnfit(const MemoryFit& fit);

// The value of --memory must be there. Throws Error (kUsage); `held` bytes of it, the process has
// already.
void CheckMemoryOption(std::optional<size_t> memory, size_t held);

}  // namespace cedar

#endif  // CEDAR_APP_MEMORY_FIT_H_
