#ifndef CEDAR_TESTS_WEIGHTS_LOADED_MODEL_H_
#define CEDAR_TESTS_WEIGHTS_LOADED_MODEL_H_

// A checkpoint, read and bound as the program does it.

#include <string>

#include "tests/weights/tiny_checkpoint.h"
#include "weights/checkpoint.h"
#include "weights/config.h"
#include "weights/layer_plan.h"
#include "weights/model_files.h"
#include "weights/model_weights.h"

namespace cedar {

inline ModelConfig ReadConfig(const MappedFile& file) {
  return ParseConfig(file.text(), file.path());
}

struct LoadedModel {
  explicit LoadedModel(const ModelFiles& model)
      : files(model),
        config(ReadConfig(files.Open(kConfigFile))),
        plan(PlanLayers(config)),
        checkpoint(files),
        weights(BindWeights(checkpoint, config, plan)) {}
  explicit LoadedModel(const std::string& directory)
      : LoadedModel(ModelFiles::InDirectory(directory)) {}

  const uint8_t* DataOf(const std::string& name) const {
    return checkpoint.Find(name)->bytes.data();
  }

  ModelFiles files;
  ModelConfig config;
  LayerPlan plan;
  Checkpoint checkpoint;
  ModelWeights weights;
};

// Views of the content, which must outlive the result.
inline ModelFiles InMemory(const std::map<std::string, std::string>& contents) {
  std::map<std::string, std::span<const uint8_t>, std::less<>> files;
  for (const auto& [name, content] : contents) {
    files[name] = {reinterpret_cast<const uint8_t*>(content.data()), content.size()};
  }
  return ModelFiles::InMemory("memory", files);
}

}  // namespace cedar

#endif  // CEDAR_TESTS_WEIGHTS_LOADED_MODEL_H_
