#include "app/load_engine.h"

#include "app/model_source.h"

namespace cedar {

Engine LoadEngine(const std::string& model, const ComputeOptions& compute) {
  return Engine(OpenModel(model), {.isa = compute.isa,
                                   .threads = compute.threads,
                                   .pinning = compute.pinning,
                                   .numerics = compute.numerics});
}

}  // namespace cedar
