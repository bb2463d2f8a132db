#ifndef CEDAR_APP_LOAD_ENGINE_H_
#define CEDAR_APP_LOAD_ENGINE_H_

// The engine that a command asks for.

#include <string>

#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// Throws what OpenModel() and Engine() throw.
Engine LoadEngine(const std::string& model, const ComputeOptions& compute);

}  // namespace cedar

#endif  // CEDAR_APP_LOAD_ENGINE_H_
