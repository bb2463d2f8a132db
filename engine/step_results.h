#ifndef CEDAR_ENGINE_STEP_RESULTS_H_
#define CEDAR_ENGINE_STEP_RESULTS_H_

// What becomes of the results of a step: states that others share are kept, clients get their
// logits and choose tokens, and requests end.

#include <vector>

#include "engine/batch_step.h"
#include "engine/scheduler_state.h"
#include "engine/step_plan.h"

namespace cedar {

// To be called after the step was run. Returns the requests that ended with it.
std::vector<Finished> TakeResults(SchedulerState& state, const PlannedStep& plan,
                                  const StepOutputs& outputs);

}  // namespace cedar

#endif  // CEDAR_ENGINE_STEP_RESULTS_H_
