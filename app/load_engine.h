#ifndef CEDAR_APP_LOAD_ENGINE_H_
#define CEDAR_APP_LOAD_ENGINE_H_

// The engine that a command asks for, and what is said of its weights.

#include <functional>
#include <string>

#include "app/long_run.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// Where --weights is not given, they are mapped, or read into memory if they are large, fit easily
// and the run will make up for it: work() says what is known of it (app/long_run.h), and is not
// called where that does not matter. Draws a progress line while it reads. Throws what OpenModel()
// and Engine() throw, and Interrupted.
Engine LoadEngine(
    const std::string& model, const ComputeOptions& compute,
    const std::function<KnownWork()>& work = [] { return KnownWork{}; });

// A line for the end of a run: "weights: mapped, 6.31 GB in memory, 98 % of it on huge pages".
std::string WeightsText(const Engine& engine);

}  // namespace cedar

#endif  // CEDAR_APP_LOAD_ENGINE_H_
