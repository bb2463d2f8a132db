#ifndef CEDAR_APP_REGEX_TREE_H_
#define CEDAR_APP_REGEX_TREE_H_

#include <cstdint>
#include <vector>

#include "app/code_set.h"

namespace cedar {

// What a class such as \w stands for differs from one language to another: JavaScript's holds ASCII
// alone, those of Python and Rust hold the letters of all scripts.
struct ClassSets {
  CodeSet sure;   // what it holds in all of them
  CodeSet maybe;  // what it holds in any of them

  ClassSets operator~() const { return {~maybe, ~sure}; }
  ClassSets operator|(const ClassSets& other) const {
    return {sure | other.sure, maybe | other.maybe};
  }
};

// A regular expression. Groups and laziness do not show in it: they do not change what it matches.
struct RegexNode {
  enum class Kind {
    kSet,         // one code point
    kSequence,    // all parts, in order
    kChoice,      // one of the parts
    kRepeat,      // parts[0], between `least` and `most` times
    kBegin,       // of the text
    kEnd,         // of the text
    kBoundary,    // of a word
    kNoBoundary,  // of a word
    kLookAhead,   // parts[0] comes next, or does not if `negative`
  };
  static constexpr uint32_t kNoLimit = ~uint32_t{0};

  Kind kind = Kind::kSequence;
  ClassSets set = {};
  std::vector<RegexNode> parts = {};
  uint32_t least = 0, most = kNoLimit;
  bool negative = false;
};

}  // namespace cedar

#endif  // CEDAR_APP_REGEX_TREE_H_
