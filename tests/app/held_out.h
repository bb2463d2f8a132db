#ifndef CEDAR_TESTS_APP_HELD_OUT_H_
#define CEDAR_TESTS_APP_HELD_OUT_H_

// Questions about ledgers that the demo model was not trained on, with what the oracle says
// (tests/data/demo/held_out.jsonl).

#include <string>
#include <vector>

namespace cedar::test {

struct HeldOut {
  std::string text;         // the document, a blank line, the question
  std::string bounded;      // the oracle's answer, bounded replay, no thinking, temperature 0
  std::string thinking;     // the same with thinking at effort 75: reasoning, </think>, answer
  std::vector<int> ids;     // prompt, answer, end of text
  std::vector<double> nll;  // of each id after the first, full replay
  double nll_int8;          // their mean with int8 activations in the routed experts
};

std::vector<HeldOut> ReadHeldOut();
HeldOut LongestHeldOut();

// Separated by spaces.
std::string Join(const std::vector<int>& ids);

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_HELD_OUT_H_
