#ifndef CEDAR_ENGINE_STEP_PLAN_H_
#define CEDAR_ENGINE_STEP_PLAN_H_

// What the next step of a scheduler holds. Planning changes nothing, allocates no state and
// computes nothing: all that a step needs was taken before (engine/admission.h).

#include <cstddef>
#include <vector>

#include "engine/batch_step.h"
#include "engine/running_request.h"
#include "engine/scheduler_state.h"

namespace cedar {

// A request in a step.
struct StepMember {
  RunningRequest* request;
  size_t tokens;  // of it in this step
  bool prompt;    // they are of its prompt; else generated
  bool ends;      // its prompt is through all layers after this step
};

struct PlannedStep {
  BatchStep step;
  std::vector<StepMember> members;  // the owner of a chunk or a run is a number of these
};

// The next token of each request that generates, then chunks of prompts in the order of admission,
// as many as the step has room for.
PlannedStep PlanStep(const SchedulerState& state);

// Whether that step has room for a prompt behind those that were admitted before `request`.
bool HasRoomFor(const SchedulerState& state, const RunningRequest& request);

}  // namespace cedar

#endif  // CEDAR_ENGINE_STEP_PLAN_H_
