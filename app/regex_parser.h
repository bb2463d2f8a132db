#ifndef CEDAR_APP_REGEX_PARSER_H_
#define CEDAR_APP_REGEX_PARSER_H_

// Regular expressions of ECMA-262 with the flag u. Also understood is what other dialects agree on:
// a name of a group may stand in (?P<...>), braces and brackets that count or close nothing and
// hyphens beside a class are themselves, and so is punctuation behind a backslash. Not supported
// are look-behind, references to groups, flags within, scripts and other properties of Unicode that
// are no general category.

#include <string_view>

#include "app/regex_tree.h"

namespace cedar {

// regex: UTF-8. Throws Error (kInput) that says what is wrong and at which character.
RegexNode ParseRegex(std::string_view regex);

}  // namespace cedar

#endif  // CEDAR_APP_REGEX_PARSER_H_
