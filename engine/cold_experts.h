#ifndef CEDAR_ENGINE_COLD_EXPERTS_H_
#define CEDAR_ENGINE_COLD_EXPERTS_H_

// Experts that nobody has used may still be on the disk. As soon as the router has chosen them, all
// their pages are asked for at once, so that the disk reads those of the next ones while the first
// are computed; left to page faults it would read little at a time.

#include <unordered_set>

#include "engine/expert_groups.h"
#include "weights/prefetcher.h"

namespace cedar {

class ColdExperts {
 public:
  // Starts to read what is absent of the experts of `groups` that were not looked at before. An
  // expert is looked at once, even if the system drops its pages later. To be called only where
  // experts may be absent (ModelWeights::may_be_cold).
  void StartReading(const ExpertGroups& groups, Prefetcher& prefetcher);

 private:
  std::unordered_set<const ExpertWeights*> seen_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_COLD_EXPERTS_H_
