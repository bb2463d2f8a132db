#include "tests/app/model_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "tests/paths.h"

namespace cedar::test {
namespace {

using nlohmann::json;

constexpr const char* kShard = "model.safetensors";

// A safetensors file: the length of its header in 8 bytes, the header, the data.
uint64_t HeaderLength(const std::string& bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  return length;
}

json Header(const std::string& bytes) { return json::parse(bytes.substr(8, HeaderLength(bytes))); }

}  // namespace

ModelFolder::ModelFolder() {
  for (const char* file : {"config.json", "tokenizer.json", kShard}) {
    std::filesystem::copy_file(SourcePath(std::string("app/demo/") + file), folder_ / file);
  }
}

void ModelFolder::Remove(const std::string& file) const {
  EXPECT_TRUE(std::filesystem::remove(folder_ / file)) << file;
}

void ModelFolder::EditConfig(const std::function<void(json&)>& edit) const {
  json config = json::parse(ReadBytes(folder_ / "config.json"));
  edit(config.at("text_config"));
  folder_.Write("config.json", config.dump());
}

void ModelFolder::EditHeader(const std::function<void(json&)>& edit) const {
  EditBytes(kShard, [&](std::string& bytes) {
    json header = Header(bytes);
    edit(header);
    const std::string text = header.dump();
    const uint64_t length = text.size();
    std::string edited(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes = edited + text + bytes.substr(8 + HeaderLength(bytes));
  });
}

void ModelFolder::AddIndex(const std::function<void(json&)>& edit) const {
  json index;
  const json header = Header(ReadBytes(folder_ / kShard));
  for (const auto& [name, tensor] : header.items()) {
    if (name != "__metadata__") index["weight_map"][name] = kShard;
  }
  edit(index["weight_map"]);
  folder_.Write("model.safetensors.index.json", index.dump());
}

void ModelFolder::EditBytes(const std::string& file,
                            const std::function<void(std::string&)>& edit) const {
  std::string bytes = ReadBytes(folder_ / file);
  edit(bytes);
  folder_.Write(file, bytes);
}

}  // namespace cedar::test
