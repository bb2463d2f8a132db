#include "app/cost_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "app/report.h"
#include "engine/model.h"
#include "simd/memory.h"
#include "simd/team_probes.h"
#include "weights/model_counts.h"

namespace cedar {
namespace {

// Kernels reach between half of what the probes say and all of it.
constexpr double kSlowest = 2;

struct Speeds {
  double read;        // bytes a second
  double arithmetic;  // operations a second
};

Speeds Probe(const Engine& engine) {
  constexpr size_t kBytes = size_t{256} << 20;  // more than most caches hold
  const simd::Memory memory(kBytes, "memory to read");
  std::memset(memory.data(), 1, memory.bytes());  // pages that were never written are all one page
  const simd::Bytes bytes(memory.data(), memory.bytes());
  const simd::TeamProbes probes(engine.isa(), engine.model().workers);
  return {probes.ReadSpeed({&bytes, 1}), probes.ReferencePeak()};
}

// Weights that a step of so many generated tokens reads: those of an expert once, whoever chose it.
double BytesOfStep(const Model& model, double tokens) {
  const double experts = static_cast<double>(model.config.experts);
  const double chosen = static_cast<double>(model.config.experts_per_token);
  const double distinct = experts * (1 - std::pow(1 - chosen / experts, tokens));
  double bytes = static_cast<double>(HeadSize(model.weights).bytes);
  for (const LayerWeights& layer : model.weights.layers) {
    const LayerSizes sizes = SizesOf(layer);
    bytes += static_cast<double>(sizes.common.bytes + sizes.kv_source.bytes) +
             distinct * static_cast<double>(sizes.expert.bytes);
  }
  return bytes;
}

std::string Duration(double seconds) {
  char text[64];
  if (seconds < 120) {
    std::snprintf(text, sizeof(text), "%.1f s", seconds);
  } else {
    std::snprintf(text, sizeof(text), "%.2f h", seconds / 3600);
  }
  return text;
}

std::string FromTo(double seconds) {
  return Duration(seconds) + " to " + Duration(kSlowest * seconds);
}

}  // namespace

std::string CostText(const Engine& engine, const BatchWork& work) {
  const Model& model = engine.model();
  const ModelCounts counts = CountModel(model.weights, model.config, model.plan);
  const double encoder = 2.0 * static_cast<double>(counts.parameters.active_prefill);
  const double both = 2.0 * static_cast<double>(counts.parameters.active_decode);
  const double replayed =
      static_cast<double>(std::min(work.prompt_tokens, work.prompts * model.config.window));
  const double prefill =
      encoder * static_cast<double>(work.prompt_tokens) + (both - encoder) * replayed;

  const double generated = static_cast<double>(work.generated_tokens);
  const double at_once = static_cast<double>(std::clamp<size_t>(work.prompts, 1, work.parallel));
  const double step = BytesOfStep(model, at_once);
  const Speeds speeds = Probe(engine);
  const double step_seconds = std::max(step / speeds.read, at_once * both / speeds.arithmetic);
  return "work:    " + FormatCount(prefill) + " operations of prefill; " + FormatBytes(step) +
         " of weights read for each token of " + FormatCount(at_once) +
         " answers at once\ntime:    " + FromTo(prefill / speeds.arithmetic) +
         " of prefill and at most " + FromTo(generated / at_once * step_seconds) +
         " of generation, less what common prefixes save; memory and arithmetic were probed just "
         "now: " +
         FormatBytes(speeds.read) + "/s and " + FormatCount(speeds.arithmetic) +
         " operations/s, of which kernels reach a half or more\n";
}

}  // namespace cedar
