#ifndef CEDAR_WEIGHTS_CHECKPOINT_INDEX_H_
#define CEDAR_WEIGHTS_CHECKPOINT_INDEX_H_

// model.safetensors.index.json: which shard each tensor lies in.

#include <string>
#include <string_view>
#include <vector>

namespace cedar {

struct IndexEntry {
  std::string tensor;
  std::string shard;  // a plain file name: no path, so that an index cannot reach outside
};

// The weight_map, in the order of the file. What is not JSON, has no weight_map, lists a tensor
// twice or a shard that is no plain file name, is an Error (kModel) that names `path`.
std::vector<IndexEntry> ParseIndex(std::string_view json, const std::string& path);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CHECKPOINT_INDEX_H_
