#include "weights/split_pattern.h"

#include <array>
#include <cstdio>

#include "simd/error.h"
#include "weights/white_space.h"

namespace cedar {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

std::string ClassRange(char32_t first, char32_t last) {
  char text[32];
  std::snprintf(text, sizeof text, "\\x{%X}-\\x{%X}", static_cast<unsigned>(first),
                static_cast<unsigned>(last));
  return text;
}

// The inside of a class of all White_Space characters.
std::string SpaceClass() {
  std::string inside;
  for (const CodePointRange& range : kWhiteSpace) inside += ClassRange(range.first, range.last);
  return inside;
}

// The inside of a class of all others.
std::string NonSpaceClass() {
  std::string inside;
  char32_t next = 0;
  for (const CodePointRange& range : kWhiteSpace) {
    inside += ClassRange(next, range.first - 1);
    next = range.last + 1;
  }
  return inside + ClassRange(next, kLastCodePoint);
}

// The groups that mean the same to both libraries.
constexpr std::array<std::string_view, 7> kGroups = {
    "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"};

// Letters after a backslash that mean the same to both, besides p, P, s and S.
constexpr std::string_view kEscapes = "aefnrtxdD";

class Translator {
 public:
  Translator(std::string_view pattern, const std::string& where)
      : pattern_(pattern), where_(where) {}

  std::string Translate() {
    while (at_ < pattern_.size()) {
      if (pattern_[at_] == '\\') {
        Escape();
      } else if (in_class_) {
        ClassCharacter();
      } else {
        Character();
      }
    }
    return out_;
  }

 private:
  bool Sees(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  void Copy(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }

  void Replace(size_t count, const std::string& by) {
    out_ += by;
    at_ += count;
  }

  [[noreturn]] void Refuse(size_t count) const {
    throw Error(ErrorKind::kModel,
                where_ + ": found \"" + std::string(pattern_.substr(at_, count)) + "\" in \"" +
                    std::string(pattern_) + "\", which Oniguruma and PCRE2 may read differently");
  }

  void Escape() {
    if (at_ + 1 == pattern_.size()) Refuse(1);
    const char c = pattern_[at_ + 1];
    if (c == 's') {
      Replace(2, in_class_ ? SpaceClass() : "[" + SpaceClass() + "]");
    } else if (c == 'S') {
      Replace(2, in_class_ ? NonSpaceClass() : "[" + NonSpaceClass() + "]");
    } else if (c == 'p' || c == 'P') {
      Property();
    } else if (IsLetterOrDigit(c) && kEscapes.find(c) == kEscapes.npos) {
      Refuse(2);
    } else {
      Copy(2);
    }
  }

  static bool IsLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  // \p{...}, whole, so that its braces are not taken for a repetition.
  void Property() {
    const size_t end = pattern_.find('}', at_);
    if (end == pattern_.npos || pattern_.substr(at_ + 2, 1) != "{") Refuse(2);
    Copy(end + 1 - at_);
  }

  void ClassCharacter() {
    if (Sees("[")) Refuse(1);
    if (Sees("&&")) Refuse(2);
    if (Sees("]")) in_class_ = false;
    Copy(1);
  }

  void Character() {
    if (Sees("^") || Sees("$")) Refuse(1);
    if (Sees("}+")) Refuse(2);
    if (Sees("(?") || Sees("(*")) return Group();
    if (!Sees("[")) return Copy(1);
    in_class_ = true;
    Copy(Sees("[^") ? 2 : 1);
    if (Sees("]")) Refuse(1);  // empty, or a literal ]
  }

  void Group() {
    for (const std::string_view group : kGroups) {
      if (Sees(group)) return Copy(group.size());
    }
    Refuse(3);
  }

  std::string_view pattern_;
  const std::string& where_;
  size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

std::string PcrePattern(std::string_view pattern, const std::string& where) {
  return Translator(pattern, where).Translate();
}

}  // namespace cedar
