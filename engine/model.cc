#include "engine/model.h"

#include <string>

#include "simd/error.h"
#include "weights/engram_token_map.h"

namespace cedar {
namespace {

ModelConfig ReadConfig(const ModelFiles& files) {
  return ParseConfig(files.Open(kConfigFile).text(), files.PathOf(kConfigFile));
}

Tokenizer ReadTokenizer(const ModelFiles& files) {
  return Tokenizer(files.Open(kTokenizerFile).text(), files.PathOf(kTokenizerFile));
}

// The map is made over the tokens that the model has rows for.
std::optional<EngramHash> MakeHash(const ModelConfig& config, const Tokenizer& tokenizer,
                                   const std::string& file) {
  if (config.engram.layers.empty()) return std::nullopt;
  return EngramHash(config.engram, EngramTokenMap(tokenizer), file);
}

void CheckVocabulary(const ModelConfig& config, const Tokenizer& tokenizer,
                     const std::string& file) {
  if (static_cast<size_t>(tokenizer.size()) <= config.vocab) return;
  throw Error(ErrorKind::kModel, file + ": " + std::to_string(tokenizer.size()) +
                                     " tokens, but the config's vocab_size is " +
                                     std::to_string(config.vocab));
}

}  // namespace

Model::Model(const ModelFiles& files, Isa isa, int threads)
    : config(ReadConfig(files)),
      plan(PlanLayers(config)),
      tokenizer(ReadTokenizer(files)),
      checkpoint(files),
      weights(BindWeights(checkpoint, config, plan)),
      engram_hash(MakeHash(config, tokenizer, files.PathOf(kTokenizerFile))),
      local_rope(config.rope_dim, config.rope_theta, nullptr),
      global_rope(config.rope_dim, config.compress_rope_theta,
                  config.yarn ? &*config.yarn : nullptr),
      kernels(simd::KernelsFor(isa)),
      workers(threads) {
  CheckVocabulary(config, tokenizer, files.PathOf(kTokenizerFile));
}

}  // namespace cedar
