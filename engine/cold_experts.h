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
  // Starts to read the experts of `groups` that were not asked for before. An expert is asked for
  // once: asking again costs more than it gains, even if the system has dropped its pages since.
  void StartReading(const ExpertGroups& groups, Prefetcher& prefetcher);

 private:
  std::unordered_set<const ExpertWeights*> asked_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_COLD_EXPERTS_H_
