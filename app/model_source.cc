#include "app/model_source.h"

#include "app/demo_files.h"

namespace cedar {

ModelFiles OpenModel(const std::string& model) {
  return model == kDemoModel ? ModelFiles::InMemory(model, DemoFiles())
                             : ModelFiles::InDirectory(model);
}

ModelConfig ReadConfig(const ModelFiles& files) {
  return ParseConfig(files.Open(kConfigFile).text(), files.PathOf(kConfigFile));
}

Tokenizer ReadTokenizer(const ModelFiles& files) {
  return Tokenizer(files.Open(kTokenizerFile).text(), files.PathOf(kTokenizerFile));
}

}  // namespace cedar
