#include "tests/weights/tokenizer_data.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/paths.h"
#include "weights/byte_alphabet.h"

namespace cedar {
namespace {

struct Close {
  void operator()(FILE* pipe) const { pclose(pipe); }
};

}  // namespace

std::string ReadTokenizerData(const std::string& name) {
  const std::string path = TestDataPath("tokenizer/" + name);
  const std::string command = (name.ends_with(".gz") ? "gzip -dc '" : "cat '") + path + "'";
  const std::unique_ptr<FILE, Close> pipe(popen(command.c_str(), "r"));
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string bytes;
  char buffer[1 << 16];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe.get())) {
    bytes.append(buffer, count);
  }
  if (bytes.empty()) throw std::runtime_error("nothing came from " + command);
  return bytes;
}

const Tokenizer& RealTokenizer() {
  static const Tokenizer tokenizer(ReadTokenizerData("tokenizer.json.gz"), "tokenizer.json");
  return tokenizer;
}

const Tokenizer& DemoTokenizer() {
  static const Tokenizer tokenizer(ReadTokenizerData("../../../app/demo/tokenizer.json"), "demo");
  return tokenizer;
}

std::string SmallTokenizerJson(const std::vector<std::string>& texts,
                               const std::vector<std::string>& merges) {
  nlohmann::json vocab;
  for (int byte = 0; byte < 256; ++byte) vocab[ByteCharacter(static_cast<uint8_t>(byte))] = byte;
  for (const std::string& text : texts) {
    const size_t id = vocab.size();
    vocab[text] = id;
  }
  const nlohmann::json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const nlohmann::json file = {
      {"added_tokens", nlohmann::json::array()},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {byte_level}}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
  return file.dump();
}

}  // namespace cedar
