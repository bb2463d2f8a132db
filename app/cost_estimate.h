#ifndef CEDAR_APP_COST_ESTIMATE_H_
#define CEDAR_APP_COST_ESTIMATE_H_

// How long a batch may take, before anything of it has run.

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace cedar {

// What a batch has to do.
struct BatchWork {
  size_t prompts = 0;
  size_t prompt_tokens = 0;
  size_t generated_tokens = 0;  // at most
  size_t parallel = 1;          // requests at once
  size_t chunk = 1;             // prompt tokens that are computed together
  uint64_t plan_bytes = 0;      // memory that the run takes of its own
};

// Lines for people. The speed of memory and of arithmetic is probed right now, by all threads,
// which takes about a second; no row of the model is computed.
std::string CostText(const Engine& engine, const BatchWork& work);

}  // namespace cedar

#endif  // CEDAR_APP_COST_ESTIMATE_H_
