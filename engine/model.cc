#include "engine/model.h"

#include <string>

#include "engine/model_identity.h"
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

simd::Workers MakeWorkers(const EngineOptions& options) {
  if (!options.nodes.empty()) return simd::Workers(options.nodes);
  return simd::Workers(options.threads > 0 ? options.threads : simd::DefaultThreads(),
                       options.pinning);
}

ModelWeights MakeWeights(Model& model, const EngineOptions& options) {
  if (options.weights == WeightPlace::kMapped) {
    return BindWeights(model.checkpoint, model.config, model.plan);
  }
  return LoadWeights(model.checkpoint, model.config, model.plan, model.workers,
                     options.load_progress, model.weight_memory);
}

}  // namespace

Model::Model(const ModelFiles& from, Isa isa, const EngineOptions& options)
    : files(from),
      config(ReadConfig(files)),
      plan(PlanLayers(config)),
      tokenizer(ReadTokenizer(files)),
      checkpoint(files),
      workers(MakeWorkers(options)),
      weights(MakeWeights(*this, options)),
      engram_hash(MakeHash(config, tokenizer, files.PathOf(kTokenizerFile))),
      local_rope(config.rope_dim, config.rope_theta, nullptr),
      global_rope(config.rope_dim, config.compress_rope_theta,
                  config.yarn ? &*config.yarn : nullptr),
      kernels(simd::KernelsFor(isa)),
      numerics(options.numerics) {
  CheckVocabulary(config, tokenizer, files.PathOf(kTokenizerFile));
}

PageKey Model::Identity() const {
  return MakeIdentity(files, weights, kernels, NumericsName(numerics));
}

}  // namespace cedar
