#ifndef CEDAR_WEIGHTS_SPLIT_PATTERN_H_
#define CEDAR_WEIGHTS_SPLIT_PATTERN_H_

// The regular expressions of a tokenizer.json are written for Oniguruma; ours run on PCRE2.

#include <string>
#include <string_view>

namespace cedar {

// `pattern` such that PCRE2 (with UTF and UCP) matches what Oniguruma matches: \s and \S, inside
// classes too, become explicit lists of White_Space (text.md, A.1, trap (e)). Whatever the two
// libraries may read differently (\w, \b, \h, ^, $, nested classes, option groups, ...) is an Error
// (kModel) that begins with `where` and quotes it.
std::string PcrePattern(std::string_view pattern, const std::string& where);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SPLIT_PATTERN_H_
