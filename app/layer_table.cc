#include "app/layer_table.h"

#include <array>
#include <cstddef>
#include <vector>

namespace cedar {
namespace {

constexpr std::array<size_t, 4> kColumn{12, 10, 16, 18};

// Layers that read the same compressed rows: a line of the table.
struct Stretch {
  int first;
  int last;
};

bool SameRows(const PlannedLayer& a, const PlannedLayer& b) {
  return a.half == b.half && a.ratio == b.ratio && a.kv_source == b.kv_source;
}

std::vector<Stretch> Stretches(const LayerPlan& plan) {
  std::vector<Stretch> stretches;
  for (int layer = 0; layer < static_cast<int>(plan.layers.size()); ++layer) {
    const bool new_stretch = layer == 0 || !SameRows(plan.layers[static_cast<size_t>(layer) - 1],
                                                     plan.layers[static_cast<size_t>(layer)]);
    if (new_stretch) stretches.push_back({layer, layer});
    stretches.back().last = layer;
  }
  return stretches;
}

std::string Join(const std::vector<int>& layers) {
  std::string text;
  for (const int layer : layers) text += (text.empty() ? "" : ", ") + std::to_string(layer);
  return text.empty() ? "none" : text;
}

// The layers whose selections a stretch uses, each once, in order.
std::vector<int> IndexSources(const LayerPlan& plan, Stretch stretch) {
  std::vector<int> sources;
  for (int layer = stretch.first; layer <= stretch.last; ++layer) {
    const int source = plan.layers[static_cast<size_t>(layer)].index_source;
    if (source >= 0 && (sources.empty() || sources.back() != source)) sources.push_back(source);
  }
  return sources;
}

std::string Row(const std::array<std::string, 5>& cells) {
  std::string row = "  ";
  for (size_t i = 0; i < kColumn.size(); ++i) {
    row += cells[i];
    row.append(cells[i].size() < kColumn[i] ? kColumn[i] - cells[i].size() : 1, ' ');
  }
  return row + cells.back() + "\n";
}

std::string StretchRow(const LayerPlan& plan, Stretch stretch) {
  const PlannedLayer& layer = plan.layers[static_cast<size_t>(stretch.first)];
  const std::string layers = stretch.first == stretch.last ? std::to_string(stretch.first)
                                                           : std::to_string(stretch.first) + ".." +
                                                                 std::to_string(stretch.last);
  const std::string rows =
      layer.kv_source < 0
          ? "none"
          : std::to_string(plan.kv_sources[static_cast<size_t>(layer.kv_source)].layer);
  return Row({layers, layer.half == Half::kEncoder ? "encoder" : "decoder",
              layer.ratio == 0 ? "0: window only" : std::to_string(layer.ratio), rows,
              Join(IndexSources(plan, stretch))});
}

}  // namespace

std::string LayerTable(const ModelConfig& config, const LayerPlan& plan) {
  std::string table =
      "\nLayer plan\n" + Row({"layers", "half", "compress ratio", "global KV of", "selections of"});
  for (const Stretch stretch : Stretches(plan)) table += StretchRow(plan, stretch);
  if (config.candidates) {
    table += "  candidate blocks marked by layer " +
             std::to_string(config.candidates->source_layer) + "\n";
  }
  if (!config.engram.layers.empty()) {
    table += "  Engram added before layers " + Join(config.engram.layers) + "\n";
  }
  return table;
}

}  // namespace cedar
