#ifndef CEDAR_WEIGHTS_WHITE_SPACE_H_
#define CEDAR_WEIGHTS_WHITE_SPACE_H_

// The characters with the Unicode property White_Space. They have not changed since Unicode 6.3;
// libraries disagree about them (PCRE2's \s adds U+180E), hence our own list.

namespace cedar {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

inline constexpr CodePointRange kWhiteSpace[] = {
    {0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

constexpr bool IsWhiteSpace(char32_t code_point) {
  for (const CodePointRange& range : kWhiteSpace) {
    if (range.first <= code_point && code_point <= range.last) return true;
  }
  return false;
}

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_WHITE_SPACE_H_
