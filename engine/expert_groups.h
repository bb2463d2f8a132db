#ifndef CEDAR_ENGINE_EXPERT_GROUPS_H_
#define CEDAR_ENGINE_EXPERT_GROUPS_H_

// The choices of the router turned round: for each expert the rows that chose it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/step.h"
#include "weights/model_weights.h"

namespace cedar {

// One row at one expert.
struct ExpertSlot {
  size_t row;
  RowKind kind;
  const ExpertWeights* weights;
  const float* weight;  // of the router; null at the shared expert
};

// Neighbouring slots of one expert and one kind of row.
struct ExpertGroup {
  const ExpertWeights* weights;
  RowKind kind;
  size_t first;  // slot
  size_t count;
};

class ExpertGroups {
 public:
  // ids and weights: [step.rows][per_row] of the router; they must outlive the groups.
  ExpertGroups(const MoeWeights& w, const int32_t* ids, const float* weights, size_t per_row,
               const Step& step);

  // Routed experts by ascending number, then the shared one; within each, rows ascend.
  std::span<const ExpertSlot> slots() const { return slots_; }
  std::span<const ExpertGroup> groups() const { return groups_; }
  size_t slots_per_row() const { return slots_per_row_; }
  // The slots of a row, ascending: its experts by number, then the shared one.
  std::span<const size_t> SlotsOfRow(size_t row) const {
    return {slots_of_row_.data() + row * slots_per_row_, slots_per_row_};
  }

 private:
  void Add(const ExpertSlot& slot);

  size_t slots_per_row_;
  std::vector<ExpertSlot> slots_;
  std::vector<ExpertGroup> groups_;
  std::vector<size_t> slots_of_row_;  // [rows][slots_per_row_]
  std::vector<size_t> taken_;         // [rows]: entries of slots_of_row_ that are filled
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_EXPERT_GROUPS_H_
