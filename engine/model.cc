#include "engine/model.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "simd/error.h"
#include "weights/engram_token_map.h"
#include "weights/read_model.h"

namespace cedar {
namespace {

// The map is made over the tokens that the model has rows for.
std::optional<EngramHash> MakeHash(const ModelConfig& config, const Tokenizer& tokenizer,
                                   const std::string& file) {
  if (config.engram.layers.empty()) return std::nullopt;
  return EngramHash(config.engram, EngramTokenMap(tokenizer), file);
}

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

// The first bytes of a matrix: enough to tell checkpoints apart without reading them.
void AddSample(const WeightMatrix& w, std::string& text) {
  text.append(reinterpret_cast<const char*>(w.data), std::min<size_t>(w.cols / 2, 64));
}

// What the content of the global KV follows from, but the tokens: files, kernels, numerics and the
// version of the code that computes it.
PageKey MakeIdentity(const ModelFiles& files, const Model& model) {
  constexpr std::string_view kVersion = "global KV 1";
  std::string text(kVersion);
  for (const std::string_view file : {kConfigFile, kTokenizerFile}) {
    text += files.Open(file).text();
  }
  for (const LayerWeights& layer : model.weights.layers) {
    AddSample(layer.attn.wq_a, text);
    AddSample(layer.moe.routed[0].w1, text);
  }
  text += IsaName(model.kernels.isa);
  text += model.kernels.prompt.name;
  text += model.kernels.generated.name;
  text += NumericsName(model.numerics);
  return KeyOf({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

ModelWeights MakeWeights(Model& model, const EngineOptions& options) {
  if (options.weights == WeightPlace::kMapped) {
    return BindWeights(model.checkpoint, model.config, model.plan);
  }
  return LoadWeights(model.checkpoint, model.config, model.plan, model.workers,
                     options.load_progress, model.weight_memory);
}

}  // namespace

Model::Model(const ModelFiles& files, Isa isa, const EngineOptions& options)
    : config(ReadConfig(files)),
      plan(PlanLayers(config)),
      tokenizer(ReadTokenizer(files)),
      checkpoint(files),
      workers(options.threads > 0 ? options.threads : simd::DefaultThreads(), options.pinning),
      weights(MakeWeights(*this, options)),
      engram_hash(MakeHash(config, tokenizer, files.PathOf(kTokenizerFile))),
      local_rope(config.rope_dim, config.rope_theta, nullptr),
      global_rope(config.rope_dim, config.compress_rope_theta,
                  config.yarn ? &*config.yarn : nullptr),
      kernels(simd::KernelsFor(isa)),
      numerics(options.numerics),
      identity(MakeIdentity(files, *this)) {
  CheckVocabulary(config, tokenizer, files.PathOf(kTokenizerFile));
}

}  // namespace cedar
