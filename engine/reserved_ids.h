#ifndef CEDAR_ENGINE_RESERVED_IDS_H_
#define CEDAR_ENGINE_RESERVED_IDS_H_

#include <cstdint>
#include <vector>

#include "weights/tokenizer.h"

namespace cedar {

// The ids of tokens that are no text and stand for nothing that a model may say: placeholders and
// the marks of images (text.md, section D). They are found by their texts; in ascending order.
std::vector<int32_t> ReservedIds(const Tokenizer& tokenizer);

}  // namespace cedar

#endif  // CEDAR_ENGINE_RESERVED_IDS_H_
