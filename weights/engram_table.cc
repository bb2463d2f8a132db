#include "weights/mapped_file.h"
#include "weights/model_weights.h"

namespace cedar {

void EngramTable::Prefetch(std::span<const size_t> table_rows) const {
  const size_t row_bytes = head_dim * (format == Format::kBf16 ? 2 : 1);
  const size_t row_scales = head_dim / kScaleBlock;
  for (const size_t row : table_rows) {
    StartReading({data + row * row_bytes, row_bytes});
    if (scales != nullptr) StartReading({scales + row * row_scales, row_scales});
  }
}

}  // namespace cedar
