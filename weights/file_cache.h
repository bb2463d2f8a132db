#ifndef CEDAR_WEIGHTS_FILE_CACHE_H_
#define CEDAR_WEIGHTS_FILE_CACHE_H_

// How much of a checkpoint's files is in memory before anything was computed with it, and on what
// pages: what a run will find. Looks at some thousand places evenly spread over the files, however
// large they are, and reads nothing from disk.

#include <cstddef>
#include <optional>

#include "weights/checkpoint.h"

namespace cedar {

struct FileCacheUse {
  size_t bytes = 0;          // of the files
  double present_share = 0;  // of them
  size_t places = 0;         // of 2 MB that were looked at and are wholly in memory, if
                             // it is known on what pages
  double huge_share = 0;     // of these places, on one huge page each
};

// Nothing where the kernel does not tell, or the weights lie inside the program (Residency).
std::optional<FileCacheUse> LookAtFileCache(const Checkpoint& checkpoint);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_FILE_CACHE_H_
