#include "weights/check_model.h"

#include "weights/layer_plan.h"
#include "weights/model_weights.h"
#include "weights/read_model.h"
#include "weights/vocabulary.h"

namespace cedar {

Checkpoint CheckModel(const ModelFiles& files) {
  const ModelConfig config = ReadConfig(files);
  const Tokenizer tokenizer = ReadTokenizer(files);
  Checkpoint checkpoint(files);
  BindWeights(checkpoint, config, PlanLayers(config));
  MakeEngramHash(config, tokenizer, files.PathOf(kTokenizerFile));
  return checkpoint;
}

}  // namespace cedar
