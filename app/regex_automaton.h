#ifndef CEDAR_APP_REGEX_AUTOMATON_H_
#define CEDAR_APP_REGEX_AUTOMATON_H_

#include <string_view>

#include "app/code_automaton.h"

namespace cedar {

enum class RegexMatch { kAnywhere, kWhole };
// Where languages differ (app/regex_tree.h): texts that match in all of them, or in any.
enum class RegexDialects { kAll, kAny };

// The texts that a regular expression matches, trimmed. Look-ahead is supported at its beginning:
// there it is one more condition of the whole text. Throws Error (kInput) that says what is wrong
// or not supported, or that the automaton is too large.
CodeAutomaton AutomatonOfRegex(std::string_view regex, RegexMatch match,
                               RegexDialects dialects = RegexDialects::kAll);

}  // namespace cedar

#endif  // CEDAR_APP_REGEX_AUTOMATON_H_
