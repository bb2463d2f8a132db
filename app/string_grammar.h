#ifndef CEDAR_APP_STRING_GRAMMAR_H_
#define CEDAR_APP_STRING_GRAMMAR_H_

// Grammars of single strings that follow rules: of length, of patterns, of formats.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/grammar.h"

namespace cedar {

// All of it holds together. Lengths count code points of the value, however it is written.
struct StringRule {
  uint64_t min_length = 0;
  std::optional<uint64_t> max_length = {};
  // Of ECMA-262 (app/regex_parser.h), found anywhere unless anchored.
  std::vector<std::string> patterns = {};
  std::vector<std::string> not_patterns = {};  // found nowhere
  std::vector<std::string> formats = {};       // app/string_formats.h
  std::vector<std::string> excluded = {};      // whole values
};

// How a string is written.
enum class StringForm {
  kJson,  // a JSON literal, with its quotes and escapes
  kCall,  // an argument of a call as it is; never with the mark of calls in it
  kText,  // the value itself
};

// All throw Error (kInput) that says which pattern or format is not supported and why, or that its
// automaton would be too large. The message says nothing of where the rule stands.

// A choice of nothing if no string follows the rule.
Grammar::Node StringGrammar(Grammar& grammar, const StringRule& rule,
                            StringForm form = StringForm::kJson);

// The texts that a regular expression matches from end to end; none is an Error.
Grammar::Node RegexGrammar(Grammar& grammar, const std::string& regex);

// Whether a value, in UTF-8, follows the rule as the grammar has it.
bool FollowsRule(const StringRule& rule, std::string_view value);

}  // namespace cedar

#endif  // CEDAR_APP_STRING_GRAMMAR_H_
