#ifndef CEDAR_TESTS_APP_GRAMMAR_TEXTS_H_
#define CEDAR_TESTS_APP_GRAMMAR_TEXTS_H_

// Texts of grammars: whether one is, and random ones.

#include <optional>
#include <string>
#include <string_view>

#include "app/byte_automaton.h"
#include "app/grammar.h"
#include "weights/random.h"

namespace cedar {

bool IsText(ByteAutomaton& automaton, std::string_view text);
bool IsText(const Grammar& grammar, std::string_view text);

// A walk from byte to byte that prefers plain characters; nothing if it is longer than `longest`.
// Fails the test where no byte may come next and the text may not end.
std::optional<std::string> RandomText(ByteAutomaton& automaton, Random& random, size_t longest);

}  // namespace cedar

#endif  // CEDAR_TESTS_APP_GRAMMAR_TEXTS_H_
