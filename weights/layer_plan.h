#ifndef CEDAR_WEIGHTS_LAYER_PLAN_H_
#define CEDAR_WEIGHTS_LAYER_PLAN_H_

// What each layer does, derived once from the config, so that no code asks for a layer's number
// (model.md, Shape).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weights/config.h"

namespace cedar {

// The causal encoder lies below the last KV source; the decoder is the rest. All global KV that the
// decoder reads is made from the encoder's output.
enum class Half : uint8_t { kEncoder, kDecoder };

// A layer that turns its attention input into compressed rows and index keys.
struct KvSource {
  int layer = 0;
  int ratio = 1;  // tokens that share a row, at least 1
};

struct PlannedLayer {
  Half half = Half::kEncoder;
  int ratio = 0;                     // compress ratio; 0: window only, and the six below say no
  int kv_source = -1;                // index into kv_sources: whose rows it reads; -1: none
  bool is_kv_source = false;         // publishes kv_sources[kv_source] itself
  int index_source = -1;             // layer whose selection it uses, maybe itself; -1: none
  bool is_index_source = false;      // selects rows
  bool is_candidate_source = false;  // its selection also marks the candidate blocks
  bool uses_candidates = false;      // selects inside the candidate blocks only
  int engram = -1;                   // index into EngramConfig::layers: added before it; -1: none
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;
  std::vector<KvSource> kv_sources;  // by ascending layer
  int first_decoder_layer = 0;       // the last KV source

  int encoder_layers() const { return first_decoder_layer; }
  int decoder_layers() const { return static_cast<int>(layers.size()) - first_decoder_layer; }
};

LayerPlan PlanLayers(const ModelConfig& config);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_LAYER_PLAN_H_
