#ifndef CEDAR_WEIGHTS_SAFETENSORS_HEADER_H_
#define CEDAR_WEIGHTS_SAFETENSORS_HEADER_H_

// The JSON in a safetensors header, read as it stands: whether its numbers fit the file is not
// asked here (safetensors.h does).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cedar {

// "NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
struct HeaderEntry {
  std::string name;
  std::string dtype;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> data_offsets;  // two
};

// In the order of the header, without __metadata__. What is not JSON, or JSON of another form, or
// names a tensor twice, is an Error (kModel) that names `path`.
std::vector<HeaderEntry> ParseHeader(std::string_view json, const std::string& path);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SAFETENSORS_HEADER_H_
