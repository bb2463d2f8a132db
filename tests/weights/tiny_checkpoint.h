#ifndef CEDAR_TESTS_WEIGHTS_TINY_CHECKPOINT_H_
#define CEDAR_TESTS_WEIGHTS_TINY_CHECKPOINT_H_

// A whole checkpoint of some 100 KB with every kind of layer, for tests that damage one: its parts
// are plain values, to be changed before they are written. The numbers in it mean nothing.

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cedar {

struct StoredTensor {
  std::string name;
  std::string dtype;
  std::vector<size_t> shape;
  std::string bytes;
};

// 8 bytes of length, the header, the data.
std::string SafetensorsFile(const std::string& header, const std::string& data);
std::string SafetensorsFile(const std::vector<StoredTensor>& tensors);

class TinyCheckpoint {
 public:
  // 4 layers (ratios 0, 2, 2, 1; KV sources 1 and 3, candidates at 3, Engram before 1), hidden 64.
  static nlohmann::json TinyConfig();

  // All tensors that the config needs, in the released formats, in random codes.
  explicit TinyCheckpoint(const nlohmann::json& config = TinyConfig());

  StoredTensor& At(const std::string& name);
  void Remove(const std::string& name);
  // Puts other storage in the place of a tensor: random bytes of that dtype and shape.
  void Replace(const std::string& name, const std::string& dtype, const std::vector<size_t>& shape);

  // File name -> content: config.json, tokenizer.json, two shards and their index.
  std::map<std::string, std::string> Files() const;
  void Write(const std::string& directory) const;

  nlohmann::json config;
  std::vector<StoredTensor> tensors;
};

inline constexpr char kFirstShard[] = "model-00001-of-00002.safetensors";
inline constexpr char kSecondShard[] = "model-00002-of-00002.safetensors";
inline constexpr char kShardIndex[] = "model.safetensors.index.json";

}  // namespace cedar

#endif  // CEDAR_TESTS_WEIGHTS_TINY_CHECKPOINT_H_
