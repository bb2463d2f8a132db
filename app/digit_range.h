#ifndef CEDAR_APP_DIGIT_RANGE_H_
#define CEDAR_APP_DIGIT_RANGE_H_

#include <cstdint>

#include "app/grammar.h"

namespace cedar {

// The decimal numbers from least to most, without leading zeros.
Grammar::Node DigitRange(Grammar& grammar, uint64_t least, uint64_t most);

}  // namespace cedar

#endif  // CEDAR_APP_DIGIT_RANGE_H_
