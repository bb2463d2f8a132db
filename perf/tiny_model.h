#ifndef CEDAR_PERF_TINY_MODEL_H_
#define CEDAR_PERF_TINY_MODEL_H_

// A model to measure single parts of the engine with: its rows have the released width, all else is
// tiny. Whoever measures a part puts weights of the released size in its place.

#include <stdlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/memory_plan.h"
#include "engine/model.h"
#include "simd/error.h"
#include "weights/synthetic_checkpoint.h"
#include "weights/synthetic_config.h"

namespace cedar::perf {

inline constexpr size_t kTinyLayers = 4;

class TinyModel {
 public:
  TinyModel(Isa isa, int threads, Numerics numerics = Numerics::kReference)
      : model_(Files(folder_.path), isa, {.threads = threads, .numerics = numerics}) {}

  Model& model() { return model_; }
  const Model& model() const { return model_; }

  // For scratch that holds so many rows.
  PlanOptions PlanFor(size_t rows) const {
    PlanOptions plan;
    plan.context = plan.chunk = rows;
    plan.threads = model_.workers.threads();
    plan.isa = model_.kernels.isa;
    return plan;
  }

 private:
  // Holds the files until they are mapped.
  struct Folder {
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "cedar-bench-XXXXXX").string();
      CEDAR_CHECK(mkdtemp(name.data()) != nullptr);
      path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
  };

  static ModelFiles Files(const std::filesystem::path& folder) {
    auto config = nlohmann::ordered_json::parse(SliceConfig());
    auto& text = config["text_config"];
    for (const auto& [key, value] : {std::pair{"moe_intermediate_size", 32},
                                     {"num_attention_heads", 1},
                                     {"head_dim", 64},
                                     {"q_lora_rank", 32},
                                     {"o_lora_rank", 32},
                                     {"o_groups", 1},
                                     {"index_n_heads", 1}}) {
      text[key] = value;
    }
    text["engram_layer_ids"] = nlohmann::ordered_json::array();
    const SyntheticModel model = MakeSyntheticModel(
        config.dump(), "config.json", {.experts = 6, .layers = kTinyLayers, .vocab = 1024});
    WriteSyntheticCheckpoint(folder.string(), model, 0, [](size_t, size_t) {});
    return ModelFiles::InDirectory(folder.string());
  }

  Folder folder_;
  Model model_;
};

}  // namespace cedar::perf

#endif  // CEDAR_PERF_TINY_MODEL_H_
