#include "app/cost_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "app/memory_fit.h"
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

// Weights of the first `layers` that a step of so many tokens reads: those of an expert once,
// whoever chose it.
double BytesOfLayers(const Model& model, double tokens, size_t layers) {
  const double experts = static_cast<double>(model.config.experts);
  const double chosen = static_cast<double>(model.config.experts_per_token);
  const double distinct = experts * (1 - std::pow(1 - chosen / experts, tokens));
  double bytes = 0;
  for (size_t i = 0; i < layers; ++i) {
    const LayerSizes sizes = SizesOf(model.weights.layers[i]);
    bytes += static_cast<double>(sizes.common.bytes + sizes.kv_source.bytes) +
             distinct * static_cast<double>(sizes.expert.bytes);
  }
  return bytes;
}

// Of a step of generated tokens.
double BytesOfStep(const Model& model, double tokens) {
  return BytesOfLayers(model, tokens, model.weights.layers.size()) +
         static_cast<double>(HeadSize(model.weights).bytes);
}

// Seconds that the disk takes for so many bytes of weights; 0 where they fit into memory, or where
// its speed is not known.
double DiskSeconds(const MemoryFit& fit, double bytes) {
  if (fit.Fits() || !fit.disk->bytes_per_second) return 0;
  return bytes * fit.MissingShare() / *fit.disk->bytes_per_second;
}

// Seconds of the disk for all prompts. A chunk is computed layer by layer.
double DiskSecondsOfPrompts(const Model& model, const MemoryFit& fit, const BatchWork& work) {
  const double tokens = static_cast<double>(work.prompt_tokens);
  const double chunk = static_cast<double>(std::clamp<size_t>(work.prompt_tokens, 1, work.chunk));
  const auto encoder = static_cast<size_t>(model.plan.encoder_layers());
  return DiskSeconds(fit, tokens / chunk * BytesOfLayers(model, chunk, encoder));
}

std::string DiskText(const MemoryFit& fit) {
  if (fit.Fits()) return "";
  return "memory:  " + FitText(fit) +
         (fit.disk->bytes_per_second ? "; the times count that\n"
                                     : "; the times leave the disk out\n");
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
  const MemoryFit fit = MakeMemoryFit(engine, work.plan_bytes);
  const double step_seconds =
      std::max({step / speeds.read, at_once * both / speeds.arithmetic, DiskSeconds(fit, step)});
  const double prompt_seconds =
      std::max(prefill / speeds.arithmetic, DiskSecondsOfPrompts(model, fit, work));
  return "work:    " + FormatCount(prefill) + " operations of prefill; " + FormatBytes(step) +
         " of weights read for each token of " + FormatCount(at_once) +
         " answers at once\ntime:    " + FromTo(prompt_seconds) + " of prefill and at most " +
         FromTo(generated / at_once * step_seconds) +
         " of generation, less what common prefixes save; memory and arithmetic were probed just "
         "now: " +
         FormatBytes(speeds.read) + "/s and " + FormatCount(speeds.arithmetic) +
         " operations/s, of which kernels reach a half or more\n" + DiskText(fit);
}

}  // namespace cedar
