#ifndef CEDAR_APP_STRING_MACHINE_H_
#define CEDAR_APP_STRING_MACHINE_H_

// Runs an automaton over code points byte by byte, as UTF-8 or as what stands between the quotes of
// a JSON string. There a character may be written as it is, or escaped; surrogates, and so pairs of
// them, are not written as escapes.

#include "app/byte_machine.h"
#include "app/code_automaton.h"

namespace cedar {

class StringMachine : public ByteMachine {
 public:
  enum class Escapes { kNone, kJson };

  // automaton: trimmed, and of one text at least.
  StringMachine(CodeAutomaton automaton, Escapes escapes)
      : automaton_(std::move(automaton)), escapes_(escapes) {}

  std::unique_ptr<MachineRun> NewRun() const override;
  bool MayBeEmpty() const override { return automaton_.Accepts(CodeAutomaton::kStart); }
  size_t bytes() const override { return automaton_.bytes(); }

 private:
  CodeAutomaton automaton_;
  Escapes escapes_;
};

}  // namespace cedar

#endif  // CEDAR_APP_STRING_MACHINE_H_
