#include "engine/model.h"

#include <string>

#include "engine/model_identity.h"
#include "simd/error.h"
#include "weights/read_model.h"
#include "weights/vocabulary.h"

namespace cedar {
namespace {

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
      engram_hash(MakeEngramHash(config, tokenizer, files.PathOf(kTokenizerFile))),
      local_rope(config.rope_dim, config.rope_theta, nullptr),
      global_rope(config.rope_dim, config.compress_rope_theta,
                  config.yarn ? &*config.yarn : nullptr),
      kernels(simd::KernelsFor(isa)),
      numerics(options.numerics) {}

PageKey Model::Identity() const {
  return MakeIdentity(files, weights, kernels, NumericsName(numerics));
}

}  // namespace cedar
