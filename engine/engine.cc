#include "engine/engine.h"

#include <limits>
#include <string>
#include <utility>

#include "engine/model.h"
#include "engine/model_identity.h"
#include "simd/error.h"
#include "simd/workers.h"
#include "weights/weight_sample.h"

namespace cedar {
namespace {

Isa ChooseIsa(const std::optional<Isa>& wanted) {
  const std::vector<Isa> available = AvailableIsas();
  if (!wanted) return available.front();
  std::string names;
  for (const Isa isa : available) {
    if (isa == *wanted) return isa;
    names += (names.empty() ? "" : ", ") + std::string(IsaName(isa));
  }
  throw Error(ErrorKind::kUsage, "this CPU has no kernels for ISA " +
                                     std::string(IsaName(*wanted)) + "; it has: " + names);
}

}  // namespace

Engine::Engine(const ModelFiles& files, const EngineOptions& options)
    : model_(std::make_unique<Model>(files, ChooseIsa(options.isa), options)) {}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;

const ModelConfig& Engine::config() const { return model_->config; }
const LayerPlan& Engine::plan() const { return model_->plan; }
const Tokenizer& Engine::tokenizer() const { return model_->tokenizer; }
Isa Engine::isa() const { return model_->kernels.isa; }
int Engine::threads() const { return model_->workers.threads(); }
Numerics Engine::numerics() const { return model_->numerics; }
PageKey Engine::ContentKey() const { return MakeContentKey(model_->files, model_->weights); }

size_t Engine::loaded_weight_bytes() const { return model_->weight_memory.bytes(); }
size_t Engine::weight_nodes() const { return model_->weight_memory.nodes.size(); }

simd::PageUse Engine::WeightPages() const {
  constexpr size_t kEverything = std::numeric_limits<size_t>::max();
  return simd::PagesOf(SampleWeights(model_->weights, kEverything));
}

}  // namespace cedar
