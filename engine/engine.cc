#include "engine/engine.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

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

std::optional<simd::PageUse> Engine::WeightPages() const {
  if (weight_nodes() == 0) return simd::PagesOf(PlacesOfLayers(model_->weights));
  std::vector<std::span<const uint8_t>> nodes;
  for (const simd::Memory& node : model_->weight_memory.nodes) {
    nodes.emplace_back(node.data(), node.bytes());
  }
  return simd::PagesOf(nodes);
}

}  // namespace cedar
