#include "app/model_source.h"

#include "app/demo_files.h"

namespace cedar {

ModelFiles OpenModel(const std::string& model) {
  return model == kDemoModel ? ModelFiles::InMemory(model, DemoFiles())
                             : ModelFiles::InDirectory(model);
}

}  // namespace cedar
