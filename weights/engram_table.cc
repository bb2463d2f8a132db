#include "weights/mapped_file.h"
#include "weights/model_weights.h"

namespace cedar {

void EngramTable::AddAbsent(std::span<const size_t> table_rows,
                            std::vector<std::span<const uint8_t>>& absent) const {
  const size_t row_bytes = head_dim * (format == Format::kBf16 ? 2 : 1);
  const size_t row_scales = head_dim / kScaleBlock;
  if (residency == Residency::kAlways) return;
  const bool told = residency == Residency::kTold;
  const auto add = [&](std::span<const uint8_t> place) {
    if (!told || MayBeAbsent(place)) absent.push_back(place);
  };
  for (const size_t row : table_rows) {
    add({data + row * row_bytes, row_bytes});
    if (scales != nullptr) add({scales + row * row_scales, row_scales});
  }
}

}  // namespace cedar
