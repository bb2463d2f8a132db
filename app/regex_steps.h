#ifndef CEDAR_APP_REGEX_STEPS_H_
#define CEDAR_APP_REGEX_STEPS_H_

// A regular expression as a nondeterministic automaton.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/regex_automaton.h"
#include "app/regex_tree.h"

namespace cedar {

// What stands beside a place in a text, as far as assertions ask.
enum class Beside {
  kEdge,       // nothing: the text begins or ends
  kOther,      // no character of a word
  kMaybeWord,  // one in some languages
  kWord,       // one in all of them
};

class RegexSteps {
 public:
  using State = uint32_t;

  RegexSteps(const RegexNode& node, RegexMatch match, RegexDialects dialects);

  State start() const { return start_; }
  // Once it is reached, any text may follow; none in whole matches.
  State tail() const { return tail_; }
  // All states that are reached without a character, ascending; `from` is ascending too.
  std::vector<State> Reach(const std::vector<State>& from, Beside before, Beside behind) const;
  bool Matches(const std::vector<State>& reached) const { return reached[0] == kMatch; }

  // Where a state leads by a character of a set: one of sets(). kNone: it takes no character.
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t SetOf(State state) const { return steps_[state].set; }
  State Next(State state) const { return steps_[state].out[0]; }
  const std::vector<CodeSet>& sets() const { return sets_; }
  bool asks_for_words() const { return asks_for_words_; }

 private:
  static constexpr State kMatch = 0;

  struct Step {
    enum class Kind { kMatch, kSet, kSplit, kAssert } kind;
    uint32_t set = kNone;
    RegexNode::Kind assertion = RegexNode::Kind::kBegin;
    std::vector<State> out = {};
  };

  State Add(Step step);
  State AddSet(const CodeSet& set, State next);
  // A state from which the part and then `next` follow.
  State Build(const RegexNode& node, State next);
  State BuildRepeat(const RegexNode& node, State next);
  // Any text, then `next`.
  State BuildAny(State next);
  bool Holds(RegexNode::Kind assertion, Beside before, Beside behind) const;

  RegexDialects dialects_;
  std::vector<Step> steps_;
  std::vector<CodeSet> sets_;
  bool asks_for_words_ = false;
  State start_ = 0, tail_ = kNone;
};

}  // namespace cedar

#endif  // CEDAR_APP_REGEX_STEPS_H_
