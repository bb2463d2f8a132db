#include "weights/read_model.h"

namespace cedar {

ModelConfig ReadConfig(const ModelFiles& files) {
  return ParseConfig(files.Open(kConfigFile).text(), files.PathOf(kConfigFile));
}

Tokenizer ReadTokenizer(const ModelFiles& files) {
  return Tokenizer(files.Open(kTokenizerFile).text(), files.PathOf(kTokenizerFile));
}

}  // namespace cedar
