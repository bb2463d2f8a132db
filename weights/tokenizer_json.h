#ifndef CEDAR_WEIGHTS_TOKENIZER_JSON_H_
#define CEDAR_WEIGHTS_TOKENIZER_JSON_H_

// The JSON of a tokenizer.json, read in one pass. The vocabulary and the merges, some 400,000
// strings, go straight into lists: as a tree they would take most of the time of loading.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cedar {

struct TokenizerJson {
  std::vector<std::pair<std::string, int64_t>> vocab;       // model.vocab, in the file's order
  std::vector<std::pair<std::string, std::string>> merges;  // model.merges, in the file's order
  nlohmann::json rest;                                      // all else, with those two empty
};

// Merges may be written "a b" or ["a", "b"]. Damaged JSON, a vocabulary that does not map strings
// to whole numbers, or merges of another form are an Error (kModel) that names `file`.
TokenizerJson ParseTokenizerJson(std::string_view json, const std::string& file);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_TOKENIZER_JSON_H_
