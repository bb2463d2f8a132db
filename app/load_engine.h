#ifndef CEDAR_APP_LOAD_ENGINE_H_
#define CEDAR_APP_LOAD_ENGINE_H_

// The engine that a command asks for, and what is said of its weights.

#include <functional>
#include <string>

#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// Where --weights is not given, they are mapped, or read into memory if they are large, fit easily
// and is_long() says that the run will make up for it. Draws a progress line while it reads. Throws
// what OpenModel() and Engine() throw, and Interrupted.
Engine LoadEngine(
    const std::string& model, const ComputeOptions& compute,
    const std::function<bool()>& is_long = [] { return false; });

// A line for the end of a run: "weights: mapped, 6.31 GB in memory, 98 % of it on huge pages".
std::string WeightsText(const Engine& engine);

}  // namespace cedar

#endif  // CEDAR_APP_LOAD_ENGINE_H_
