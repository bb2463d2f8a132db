#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "simd/error.h"
#include "weights/byte_alphabet.h"
#include "weights/synthetic_config.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Control tokens that have fixed ids at the front, and those that go to the end of the vocabulary
// (text.md, A.2).
constexpr std::array<std::string_view, 3> kFirst = {"<｜begin▁of▁sentence｜>",
                                                    "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"};
constexpr std::array<std::string_view, 14> kLast = {"<｜System｜>",
                                                    "<｜User｜>",
                                                    "<｜Assistant｜>",
                                                    "<think>",
                                                    "</think>",
                                                    "｜DSML｜",
                                                    "<｜latest_reminder｜>",
                                                    "<｜action｜>",
                                                    "<｜query｜>",
                                                    "<｜authority｜>",
                                                    "<｜domain｜>",
                                                    "<｜task｜>",
                                                    "<｜title｜>",
                                                    "<｜deepseek_image｜>"};
constexpr std::array<std::string_view, 3> kSplits = {
    R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)"
    "\r\n"
    R"(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)"
    "\r\n"
    R"(]*|\s*[)"
    "\r\n"
    R"(]+|\s+(?!\S)|\s+)"};

Json AddedToken(size_t id, std::string_view content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Json PreTokenizer() {
  Json steps = Json::array();
  for (const std::string_view split : kSplits) {
    steps.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", split}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  }
  steps.push_back({{"type", "ByteLevel"},
                   {"add_prefix_space", false},
                   {"trim_offsets", true},
                   {"use_regex", false}});
  return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

Json AddedTokens(size_t vocab) {
  Json added = Json::array();
  size_t id = 0;
  for (const std::string_view content : kFirst) added.push_back(AddedToken(id++, content));
  id += 256;
  for (size_t n = 0; id + kLast.size() < vocab; ++n) {
    added.push_back(AddedToken(id++, "<｜place▁holder▁no▁" + std::to_string(n) + "｜>"));
  }
  for (const std::string_view content : kLast) added.push_back(AddedToken(id++, content));
  return added;
}

Json Vocabulary() {
  Json vocabulary = Json::object();
  for (size_t byte = 0; byte < 256; ++byte) {
    vocabulary[ByteCharacter(static_cast<uint8_t>(byte))] = kFirst.size() + byte;
  }
  return vocabulary;
}

}  // namespace

std::string SyntheticTokenizer(size_t vocab) {
  const size_t least = kFirst.size() + 256 + kLast.size();
  if (vocab < least) {
    throw Error(ErrorKind::kUsage, "a vocabulary of " + std::to_string(vocab) +
                                       ": every byte and the control tokens need " +
                                       std::to_string(least));
  }
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", AddedTokens(vocab)},
                          {"normalizer", {{"type", "Sequence"}, {"normalizers", Json::array()}}},
                          {"pre_tokenizer", PreTokenizer()},
                          {"post_processor", nullptr},
                          {"decoder",
                           {{"type", "ByteLevel"},
                            {"add_prefix_space", true},
                            {"trim_offsets", true},
                            {"use_regex", true}}},
                          {"model",
                           {{"type", "BPE"},
                            {"dropout", nullptr},
                            {"unk_token", nullptr},
                            {"continuing_subword_prefix", nullptr},
                            {"end_of_word_suffix", nullptr},
                            {"fuse_unk", false},
                            {"byte_fallback", false},
                            {"vocab", Vocabulary()},
                            {"merges", Json::array()}}}};
  return tokenizer.dump(1) + "\n";
}

}  // namespace cedar
