#ifndef CEDAR_APP_CODE_AUTOMATON_H_
#define CEDAR_APP_CODE_AUTOMATON_H_

// Deterministic automata over code points, written out in full.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/code_set.h"

namespace cedar {

// Classes of code points, none in two of them.
class CodeClasses {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Range {
    char32_t first, last;
    uint32_t which;  // class
  };

  // The coarsest classes that tell these sets apart; what is in no set is in no class.
  explicit CodeClasses(const std::vector<CodeSet>& sets);
  // Those that tell apart what two others do; a code point needs a class in both.
  struct Pair {
    uint32_t a, b;
  };
  CodeClasses(const CodeClasses& a, const CodeClasses& b, std::vector<Pair>& pairs);

  size_t count() const { return count_; }
  uint32_t Of(char32_t code) const;
  const std::vector<Range>& ranges() const { return ranges_; }  // ascending
  // The first range that ends at `code` or behind it.
  size_t Find(char32_t code) const;

 private:
  std::vector<Range> ranges_;
  size_t count_ = 0;
};

class CodeAutomaton {
 public:
  using State = uint32_t;
  static constexpr State kDead = ~State{0};
  static constexpr State kStart = 0;
  static constexpr size_t kMostStates = 200'000;
  static constexpr size_t kMostArcs = 8'000'000;  // states times classes

  explicit CodeAutomaton(CodeClasses classes) : classes_(std::move(classes)) {}
  // Texts of so many code points, or more.
  static CodeAutomaton OfAtLeast(uint64_t least);
  static CodeAutomaton OfText(const std::u32string& text);

  // A new state, with all its arcs dead. Throws Error (kInput) for more than the most.
  State Add(bool accepts);
  void Set(State from, uint32_t which, State to) { next_[from * classes_.count() + which] = to; }

  const CodeClasses& classes() const { return classes_; }
  size_t states() const { return accepts_.size(); }
  State Next(State from, uint32_t which) const { return next_[from * classes_.count() + which]; }
  // By code point.
  State Step(State from, char32_t code) const;
  bool Accepts(State state) const { return accepts_[state]; }
  bool Matches(const std::u32string& text) const;

  // The texts of both, and all that are none of this one's. Both results are trimmed.
  CodeAutomaton And(const CodeAutomaton& other) const;
  CodeAutomaton Not() const;
  // By state: characters to the nearest end. This one is trimmed.
  std::vector<uint32_t> Distances() const;
  // Without states from which no text is accepted; without any for no text at all.
  CodeAutomaton Trimmed() const;

  size_t bytes() const;  // of memory, about

 private:
  // By state: those that lead to it.
  std::vector<std::vector<State>> Predecessors() const;

  CodeClasses classes_;
  std::vector<State> next_;  // by state and class
  std::vector<bool> accepts_;
};

}  // namespace cedar

#endif  // CEDAR_APP_CODE_AUTOMATON_H_
