#include "weights/vocabulary.h"

#include "simd/error.h"
#include "weights/engram_token_map.h"

namespace cedar {
namespace {

// Ids at the end may be without a token, but Engram hashes every id that has an embedding.
void CheckVocabulary(const ModelConfig& config, const Tokenizer& tokenizer,
                     const std::string& file) {
  const size_t tokens = static_cast<size_t>(tokenizer.size());
  const bool all = !config.engram.layers.empty();
  if (tokens == config.vocab || (tokens < config.vocab && !all)) return;
  throw Error(ErrorKind::kModel, file + ": found " + std::to_string(tokens) + " tokens, expected " +
                                     (all ? "" : "at most ") + std::to_string(config.vocab) +
                                     " (vocab_size)");
}

}  // namespace

std::optional<EngramHash> MakeEngramHash(const ModelConfig& config, const Tokenizer& tokenizer,
                                         const std::string& file) {
  CheckVocabulary(config, tokenizer, file);
  if (config.engram.layers.empty()) return std::nullopt;
  return EngramHash(config.engram, EngramTokenMap(tokenizer), file);
}

}  // namespace cedar
