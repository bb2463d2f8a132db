#ifndef CEDAR_WEIGHTS_UTF8_H_
#define CEDAR_WEIGHTS_UTF8_H_

// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cedar {

// What stands at the start of some bytes.
enum class Utf8Kind {
  kValid,       // a whole code point
  kIncomplete,  // the bytes end inside what may still become one
  kInvalid,     // can never become one, whatever follows
};

struct Utf8Unit {
  Utf8Kind kind;
  size_t length;        // bytes taken: of an invalid unit its longest well-begun part, at least 1
  char32_t code_point;  // of a valid unit
};

// The first unit of `bytes`, which must not be empty.
Utf8Unit FirstUtf8Unit(std::string_view bytes);

// Offset of the first byte that belongs to no valid code point; nothing if all of `bytes` is UTF-8.
// Text from outside is checked with this when it is read.
std::optional<size_t> FirstInvalidUtf8(std::string_view bytes);

// `bytes` with every invalid unit, and an incomplete one at the end, as U+FFFD.
std::string RepairUtf8(std::string_view bytes);

// U+FFFD in UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_UTF8_H_
