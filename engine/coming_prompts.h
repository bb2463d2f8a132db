#ifndef CEDAR_ENGINE_COMING_PROMPTS_H_
#define CEDAR_ENGINE_COMING_PROMPTS_H_

// Whose Engram rows are fetched while a step is computed, beside the rest of the prompts in it.

#include <vector>

#include "engine/batch_step.h"
#include "engine/scheduler_state.h"
#include "engine/step_plan.h"

namespace cedar {

// Prompts that are not in this step and may be in the next, as far as that one has room. Notes in
// requests that have not begun where they will probably start.
std::vector<ComingTokens> ComingPrompts(SchedulerState& state, const PlannedStep& plan);

}  // namespace cedar

#endif  // CEDAR_ENGINE_COMING_PROMPTS_H_
