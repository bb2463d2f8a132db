#ifndef CEDAR_TESTS_ENGINE_GOLDEN_CHECKPOINT_H_
#define CEDAR_TESTS_ENGINE_GOLDEN_CHECKPOINT_H_

// A small checkpoint and what the oracle says of it: the expected.safetensors that
// tests/oracle/golden.py wrote beside it. That file says what each tensor is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "simd/formats.h"
#include "weights/mapped_file.h"
#include "weights/safetensors.h"

namespace cedar {

// A tensor as rows: [n][..] has n of them, [n] is a single row.
template <typename T>
struct Table {
  size_t width = 0;
  std::vector<T> values;

  size_t rows() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const T> operator[](size_t row) const {
    return std::span<const T>(values).subspan(row * width, width);
  }
};

class GoldenCheckpoint {
 public:
  // name: a folder below golden/ in the build folder (CMakeLists.txt makes them).
  explicit GoldenCheckpoint(const std::string& name);

  Engine MakeEngine(Isa isa, int threads = 1, Numerics numerics = Numerics::kReference,
                    WeightPlace weights = WeightPlace::kMapped) const;
  Engine MakeEngine(const EngineOptions& options) const;

  bool Has(const std::string& tensor) const { return Find(tensor) != nullptr; }
  Table<float> Floats(const std::string& tensor) const;
  Table<int32_t> Ints(const std::string& tensor) const;
  // Of an F32 tensor whose values are bf16 ones.
  Table<Bf16> Bf16s(const std::string& tensor) const;
  // layer.L.what
  static std::string OfLayer(size_t layer, const std::string& what);

  std::vector<int32_t> tokens() const { return Ints("tokens").values; }

 private:
  const Tensor* Find(const std::string& tensor) const;
  template <typename T>
  Table<T> Read(const std::string& tensor, const std::string& dtype) const;

  std::string directory_;
  MappedFile file_;
  std::vector<Tensor> tensors_;
};

// The files of a golden checkpoint in memory, for tests that change one. It must outlive its
// engines.
class GoldenFiles {
 public:
  explicit GoldenFiles(const std::string& name);

  std::string& operator[](const std::string& file) { return files_.at(file); }
  Engine MakeEngine() const;

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_GOLDEN_CHECKPOINT_H_
