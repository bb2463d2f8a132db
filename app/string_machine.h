#ifndef CEDAR_APP_STRING_MACHINE_H_
#define CEDAR_APP_STRING_MACHINE_H_

// Runs an automaton over code points byte by byte, as UTF-8 or as what stands between the quotes of
// a JSON string. There a character may be written as it is, or escaped; surrogates, and so pairs of
// them, are not written as escapes.

#include <cstdint>
#include <optional>
#include <vector>

#include "app/byte_machine.h"
#include "app/code_automaton.h"

namespace cedar {

class StringMachine : public ByteMachine {
 public:
  enum class Escapes { kNone, kJson };

  // automaton: trimmed. longest: in characters; lengths are counted only where there is such a
  // limit.
  StringMachine(CodeAutomaton automaton, std::optional<uint64_t> longest, Escapes escapes);

  // Whether any text is left.
  bool HasTexts() const;

  std::unique_ptr<MachineRun> NewRun() const override;
  bool MayBeEmpty() const override { return automaton_.Accepts(CodeAutomaton::kStart); }
  size_t bytes() const override {
    return automaton_.bytes() + distances_.size() * sizeof(distances_[0]);
  }

 private:
  CodeAutomaton automaton_;
  std::optional<uint64_t> longest_;
  std::vector<uint32_t> distances_;  // by state: characters to the nearest end; empty: no limit
  Escapes escapes_;
};

}  // namespace cedar

#endif  // CEDAR_APP_STRING_MACHINE_H_
