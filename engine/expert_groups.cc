#include "engine/expert_groups.h"

namespace cedar {
namespace {

RowKind KindOf(const Step& step, size_t row) {
  return row < step.prompt_rows ? RowKind::kPrompt : RowKind::kGenerated;
}

}  // namespace

ExpertGroups::ExpertGroups(const MoeWeights& w, const int32_t* ids, const float* weights,
                           size_t per_row, const Step& step)
    : slots_per_row_(per_row + 1), slots_of_row_(step.rows * (per_row + 1)), taken_(step.rows) {
  // A counting sort of the choices by expert keeps the rows of each in order.
  std::vector<size_t> next(w.routed.size() + 1);
  for (size_t i = 0; i < step.rows * per_row; ++i) ++next[static_cast<size_t>(ids[i]) + 1];
  for (size_t e = 1; e < next.size(); ++e) next[e] += next[e - 1];
  std::vector<size_t> choices(step.rows * per_row);
  for (size_t i = 0; i < choices.size(); ++i) choices[next[static_cast<size_t>(ids[i])]++] = i;

  slots_.reserve(slots_of_row_.size());
  for (const size_t i : choices) {
    const size_t row = i / per_row;
    Add({row, KindOf(step, row), &w.routed[static_cast<size_t>(ids[i])], weights + i});
  }
  for (size_t row = 0; row < step.rows; ++row) {
    Add({row, KindOf(step, row), &w.shared, nullptr});
  }
}

void ExpertGroups::Add(const ExpertSlot& slot) {
  if (groups_.empty() || groups_.back().weights != slot.weights ||
      groups_.back().kind != slot.kind) {
    groups_.push_back({slot.weights, slot.kind, slots_.size(), 0});
  }
  ++groups_.back().count;
  slots_of_row_[slot.row * slots_per_row_ + taken_[slot.row]++] = slots_.size();
  slots_.push_back(slot);
}

}  // namespace cedar
