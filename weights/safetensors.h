#ifndef CEDAR_WEIGHTS_SAFETENSORS_H_
#define CEDAR_WEIGHTS_SAFETENSORS_H_

// The header of a safetensors file, read as untrusted input (checkpoint.md): 8 bytes of length,
// JSON of that length, then the tensors' bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cedar {

enum class DType : uint8_t {
  kF32,
  kBf16,
  kFp8E4m3,
  kE8m0,
  kI8,
  kOther,  // any other, also one that we have never heard of
};

struct Tensor {
  std::string name;
  DType dtype = DType::kOther;
  std::string dtype_name;  // as the header spells it
  std::vector<size_t> shape;
  std::span<const uint8_t> bytes;  // in the file, at any alignment
};

// The tensors of a file in the order of its header; their bytes are views into `file`. A header
// that is not what it should be, a range outside of the file, ranges that overlap, a size that is
// not that of dtype and shape (when the dtype is known): Error (kModel) that names `path`, the
// tensor, what was found and what was expected.
std::vector<Tensor> ReadSafetensors(std::span<const uint8_t> file, const std::string& path);

// "[512, 64]"
std::string ShapeText(std::span<const size_t> shape);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SAFETENSORS_H_
