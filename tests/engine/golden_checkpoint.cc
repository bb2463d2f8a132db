#include "tests/engine/golden_checkpoint.h"

#include <cstring>
#include <stdexcept>

#include "tests/paths.h"

namespace cedar {

GoldenCheckpoint::GoldenCheckpoint(const std::string& name)
    : directory_(GoldenPath(name)),
      file_(MappedFile::Map(directory_ + "/expected.safetensors")),
      tensors_(ReadSafetensors(file_.bytes(), file_.path())) {}

Engine GoldenCheckpoint::MakeEngine(Isa isa, int threads, Numerics numerics,
                                    WeightPlace weights) const {
  return MakeEngine({.isa = isa, .threads = threads, .numerics = numerics, .weights = weights});
}

Engine GoldenCheckpoint::MakeEngine(const EngineOptions& options) const {
  return Engine(ModelFiles::InDirectory(directory_), options);
}

Table<float> GoldenCheckpoint::Floats(const std::string& tensor) const {
  return Read<float>(tensor, "F32");
}

Table<int32_t> GoldenCheckpoint::Ints(const std::string& tensor) const {
  return Read<int32_t>(tensor, "I32");
}

Table<Bf16> GoldenCheckpoint::Bf16s(const std::string& tensor) const {
  const Table<float> floats = Floats(tensor);
  Table<Bf16> out{floats.width, {}};
  for (const float x : floats.values) {
    out.values.push_back(RoundToBf16(x));
    if (ToFloat(out.values.back()) != x) throw std::runtime_error(tensor + ": not bf16 values");
  }
  return out;
}

std::string GoldenCheckpoint::OfLayer(size_t layer, const std::string& what) {
  return "layer." + std::to_string(layer) + "." + what;
}

const Tensor* GoldenCheckpoint::Find(const std::string& tensor) const {
  for (const Tensor& t : tensors_) {
    if (t.name == tensor) return &t;
  }
  return nullptr;
}

template <typename T>
Table<T> GoldenCheckpoint::Read(const std::string& tensor, const std::string& dtype) const {
  const Tensor* const found = Find(tensor);
  if (found == nullptr || found->dtype_name != dtype) {
    throw std::runtime_error(file_.path() + ": no " + dtype + " tensor " + tensor);
  }
  Table<T> out;
  out.values.resize(found->bytes.size() / sizeof(T));
  std::memcpy(out.values.data(), found->bytes.data(), found->bytes.size());
  const size_t rows = found->shape.size() > 1 ? found->shape[0] : 1;
  out.width = out.values.size() / rows;
  return out;
}

GoldenFiles::GoldenFiles(const std::string& name) {
  for (const std::string file :
       {"config.json", "tokenizer.json", "model.safetensors.index.json",
        "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}) {
    files_[file] = MappedFile::Map(GoldenPath(name) + "/" + file).text();
  }
}

Engine GoldenFiles::MakeEngine() const {
  std::map<std::string, std::span<const uint8_t>, std::less<>> views;
  for (const auto& [name, bytes] : files_) {
    views[name] = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  return Engine(ModelFiles::InMemory("memory", views), {.isa = Isa::kReference, .threads = 1});
}

}  // namespace cedar
