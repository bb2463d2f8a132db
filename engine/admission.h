#ifndef CEDAR_ENGINE_ADMISSION_H_
#define CEDAR_ENGINE_ADMISSION_H_

// Who runs, and what is evicted and preempted for whom. Everything that the next step needs is
// taken here: places among those that run, pages of global KV, states; what is kept may be evicted
// for it, and requests that came later preempted.

#include "engine/scheduler_state.h"

namespace cedar {

// To be called before each step.
// - Requests come from the queue while there are places.
// - Those that generate get pages for the tokens that were chosen in the last step. Who finds none
//   is preempted.
// - Prompts that the step has room for begin: from a kept prefix, from global KV alone, or cold.
//   One whose prefix another request is about to compute waits for that.
void Admit(SchedulerState& state);

}  // namespace cedar

#endif  // CEDAR_ENGINE_ADMISSION_H_
