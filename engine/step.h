#ifndef CEDAR_ENGINE_STEP_H_
#define CEDAR_ENGINE_STEP_H_

// What is computed together: rows of one or more sequences, each row one token. The block function
// (engine/block.h) takes a Step, and cannot tell whether it is a chunk of a prompt, a replay or a
// single generated token, but for the kernels that a row's kind entitles it to.

#include <cstddef>
#include <utility>
#include <vector>

#include "simd/formats.h"

namespace cedar {

class Sequence;

// Bits of a row may depend on this, and on nothing else of the company it is in.
enum class RowKind { kPrompt, kGenerated };

// Consecutive tokens of one sequence.
struct Segment {
  Sequence* sequence = nullptr;
  size_t position = 0;  // of its first token
  size_t count = 0;
  RowKind kind = RowKind::kPrompt;
  size_t row = 0;           // its first row in the step, which sets it
  Bf16* streams = nullptr;  // [count][hc][hidden]
  float* pre = nullptr;     // [count][hc]: the mix that the next sublayer collapses with
  size_t selection = 0;     // its first place in the step's Selections
  bool publish = true;      // KV sources add its tokens to the global KV (a replay does not)
  size_t owner = 0;         // whose it is: the number that the caller gave it
};

// A row of a step with the segment it belongs to.
struct RowRef {
  const Segment* segment;
  size_t offset;  // within the segment
  size_t position() const { return segment->position + offset; }
};

// Made of its segments once, and the same from then on.
struct Step {
  Step() = default;
  // Replays first, then the rest of kind kPrompt, then generated.
  explicit Step(std::vector<Segment> from) : segments(std::move(from)) {
    for (Segment& segment : segments) Count(segment);
    row_refs.reserve(rows);
    for (const Segment& segment : segments) {
      for (size_t i = 0; i < segment.count; ++i) row_refs.push_back({&segment, i});
    }
  }
  Step(Step&&) noexcept = default;  // row_refs point into segments, so there are no copies
  Step& operator=(Step&&) noexcept = default;

  std::vector<Segment> segments;
  std::vector<RowRef> row_refs;  // [rows]: the owner of each row, in order
  size_t rows = 0;               // sum of the counts
  size_t prompt_rows = 0;        // of them, those of kind kPrompt
  size_t replay_rows = 0;        // of them, those that are not published

 private:
  void Count(Segment& segment) {
    segment.row = rows;
    rows += segment.count;
    if (segment.kind == RowKind::kPrompt) prompt_rows += segment.count;
    if (!segment.publish) replay_rows += segment.count;
  }
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_STEP_H_
