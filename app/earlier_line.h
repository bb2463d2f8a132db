#ifndef CEDAR_APP_EARLIER_LINE_H_
#define CEDAR_APP_EARLIER_LINE_H_

// Lines of an output that is there already: which are answers of ours, which have been damaged,
// and which somebody else wrote.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/line_id.h"

namespace cedar {

// A whole line of ours.
struct EarlierLine {
  LineId id;
  std::string failure_code;  // empty: an answer
  std::string message;       // of a failure
  bool failed() const { return !failure_code.empty(); }
};

enum class LineState {
  kWhole,
  kBlank,
  kTorn,     // the beginning of a line of ours
  kDamaged,  // ours, with something missing or wrong
  kForeign,
};

struct JudgedLine {
  LineState state = LineState::kForeign;
  std::optional<EarlierLine> line{};  // of one that is whole
};

// last: no line end follows, so that it may be torn.
JudgedLine JudgeLine(std::string_view text, bool last);

// Whole lines of ours that stand inside a damaged one, in their order: where a line end was lost.
struct WholePiece {
  size_t offset;
  size_t bytes;
  EarlierLine line;
};
std::vector<WholePiece> WholeLinesIn(std::string_view damaged);

}  // namespace cedar

#endif  // CEDAR_APP_EARLIER_LINE_H_
