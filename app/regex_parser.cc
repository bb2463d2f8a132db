#include "app/regex_parser.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/code_points.h"
#include "app/regex_classes.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Kind = RegexNode::Kind;

constexpr size_t kMostLevels = 200;  // of groups; each calls the parser again
constexpr uint32_t kMostCount = 100'000;

RegexNode OfSet(ClassSets set) { return {.kind = Kind::kSet, .set = std::move(set)}; }
RegexNode OfCode(char32_t code) {
  const CodeSet set({{code, code}});
  return OfSet({set, set});
}

bool IsDigit(char32_t code) { return code >= '0' && code <= '9'; }
bool IsLetter(char32_t code) { return (code | 0x20) >= 'a' && (code | 0x20) <= 'z'; }

class Parser {
 public:
  explicit Parser(std::u32string text) : text_(std::move(text)) {}

  RegexNode Whole() {
    RegexNode node = Disjunction();
    if (!AtEnd()) Fail("a parenthesis closes nothing");
    return node;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, "character " + std::to_string(at_ + 1) + ": " + what);
  }

  bool AtEnd() const { return at_ == text_.size(); }
  char32_t Peek() const { return AtEnd() ? 0 : text_[at_]; }
  bool Takes(std::u32string_view expected) {
    if (std::u32string_view(text_).substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  char32_t Any() {
    if (AtEnd()) Fail("it ends too early");
    return text_[at_++];
  }

  RegexNode Disjunction() {
    if (++level_ > kMostLevels) Fail("more than " + std::to_string(kMostLevels) + " levels");
    RegexNode choice{.kind = Kind::kChoice};
    do {
      RegexNode sequence;
      while (!AtEnd() && Peek() != '|' && Peek() != ')') sequence.parts.push_back(Term());
      choice.parts.push_back(std::move(sequence));
    } while (Takes(U"|"));
    --level_;
    return choice.parts.size() == 1 ? std::move(choice.parts[0]) : choice;
  }

  RegexNode Term() {
    if (Takes(U"^")) return {.kind = Kind::kBegin};
    if (Takes(U"$")) return {.kind = Kind::kEnd};
    if (Takes(U"\\b")) return {.kind = Kind::kBoundary};
    if (Takes(U"\\B")) return {.kind = Kind::kNoBoundary};
    RegexNode atom = Atom();
    return atom.kind == Kind::kLookAhead ? atom : Repeated(std::move(atom));
  }

  RegexNode Repeated(RegexNode atom) {
    uint32_t least = 0, most = RegexNode::kNoLimit;
    if (Takes(U"*")) {
    } else if (Takes(U"+")) {
      least = 1;
    } else if (Takes(U"?")) {
      most = 1;
    } else if (!TakesCounts(least, most)) {
      return atom;
    }
    Takes(U"?");  // lazy
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') Fail("there is nothing to repeat");
    RegexNode node{.kind = Kind::kRepeat, .least = least, .most = most};
    node.parts.push_back(std::move(atom));
    return node;
  }

  // {n}, {n,} or {n,m}; anything else in braces is itself.
  bool TakesCounts(uint32_t& least, uint32_t& most) {
    const size_t before = at_;
    if (!Takes(U"{")) return false;
    const auto first = Number();
    const bool open = first && Takes(U",");
    const auto last = open ? Number() : first;
    if (!first || !Takes(U"}")) {
      at_ = before;
      return false;
    }
    if (*first > kMostCount || (last && *last > kMostCount)) {
      Fail("it counts to more than " + std::to_string(kMostCount));
    }
    if (last && *last < *first) Fail("the counts in braces are the wrong way around");
    least = *first;
    most = last.value_or(RegexNode::kNoLimit);
    return true;
  }

  std::optional<uint32_t> Number() {
    if (!IsDigit(Peek())) return std::nullopt;
    uint32_t value = 0;
    while (IsDigit(Peek())) value = std::min(value * 10 + (Any() - '0'), kMostCount + 1);
    return value;
  }

  RegexNode Atom() {
    const char32_t code = Any();
    switch (code) {
      case '.':
        return OfSet(DotClass());
      case '(':
        return Group();
      case '[':
        return OfSet(Class());
      case '\\':
        return Escape();
      case '*':
      case '+':
      case '?':
        --at_;
        Fail("there is nothing to repeat");
      default:
        return OfCode(code);
    }
  }

  RegexNode Group() {
    const size_t before = at_;
    RegexNode look{.kind = Kind::kLookAhead};
    bool looks = false;
    if (Takes(U"?")) {
      if (Takes(U"=") || Takes(U"!")) {
        looks = true;
        look.negative = text_[at_ - 1] == '!';
      } else if (Takes(U"<=") || Takes(U"<!")) {
        at_ = before;
        Fail("look-behind is not supported");
      } else if (Takes(U"<") || Takes(U"P<")) {
        while (Any() != '>') {
        }
      } else if (!Takes(U":")) {
        Fail("flags and groups of this kind are not supported");
      }
    }
    RegexNode inside = Disjunction();
    if (!Takes(U")")) Fail("a parenthesis is not closed");
    if (!looks) return inside;
    look.parts.push_back(std::move(inside));
    return look;
  }

  RegexNode Escape() {
    if (IsDigit(Peek()) && Peek() != '0') Fail("references to groups are not supported");
    if (Peek() == 'k') Fail("references to groups are not supported");
    if (const auto set = TakeClass()) return OfSet(*set);
    return OfCode(EscapedCode());
  }

  // What stands for several code points behind a backslash.
  std::optional<ClassSets> TakeClass() {
    const char32_t code = Peek();
    const char32_t lower = code | 0x20;
    std::optional<ClassSets> set;
    if (lower == 'd') set = DigitClass();
    if (lower == 'w') set = WordClass();
    if (lower == 's') set = SpaceClass();
    if (lower == 'p') {
      ++at_;
      set = Property();
    } else if (set) {
      ++at_;
    }
    if (!set) return std::nullopt;
    return code == lower ? *set : ~*set;
  }

  ClassSets Property() {
    if (!Takes(U"{")) Fail("expected {...} behind \\p");
    std::string name;
    for (char32_t code = Any(); code != '}'; code = Any()) {
      name += code < 0x80 ? static_cast<char>(code) : '?';
    }
    const auto set = PropertyClass(name);
    if (!set) Fail("\\p{" + name + "} is not supported: it is no general category");
    return {*set, *set};
  }

  char32_t EscapedCode() {
    const char32_t code = Any();
    switch (code) {
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case '0':
        if (IsDigit(Peek())) Fail("octal numbers are not supported");
        return 0;
      case 'c':
        if (!IsLetter(Peek())) Fail("expected a letter behind \\c");
        return Any() % 32;
      case 'x':
        return Hex(2);
      case 'u':
        return UnicodeEscape();
      default:
        break;
    }
    if (IsLetter(code) || IsDigit(code)) {
      --at_;
      Fail(std::string("\\") + static_cast<char>(code) + " is not supported");
    }
    return code;
  }

  char32_t Hex(size_t digits) {
    char32_t value = 0;
    for (size_t i = 0; i < digits; ++i) value = value * 16 + HexDigit();
    return value;
  }

  char32_t HexDigit() {
    const char32_t code = Any();
    if (IsDigit(code)) return code - '0';
    const char32_t lower = code | 0x20;
    if (lower < 'a' || lower > 'f') Fail("expected a hexadecimal digit");
    return lower - 'a' + 10;
  }

  char32_t UnicodeEscape() {
    if (Takes(U"{")) {
      char32_t value = 0;
      do {
        value = value * 16 + HexDigit();
        if (value > CodeSet::kLast) Fail("there is no such code point");
      } while (!Takes(U"}"));
      return value;
    }
    const char32_t high = Hex(4);
    const bool is_pair = high >= 0xD800 && high < 0xDC00 && Takes(U"\\u");
    if (!is_pair) return high;
    const char32_t low = Hex(4);
    if (low < 0xDC00 || low > 0xDFFF) Fail("expected the second half of a surrogate pair");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  // Behind its bracket.
  ClassSets Class() {
    const bool negative = Takes(U"^");
    ClassSets set;
    while (!Takes(U"]")) {
      if (AtEnd()) Fail("a bracket is not closed");
      set = set | ClassPart();
    }
    return negative ? ~set : set;
  }

  // A class, a code point, or a range of them.
  ClassSets ClassPart() {
    const auto first = ClassAtom();
    if (!first.code) return first.sets;
    const size_t before = at_;
    if (!Takes(U"-") || Peek() == ']') {
      at_ = before;
      return first.sets;
    }
    const auto last = ClassAtom();
    if (!last.code) {  // then the hyphen is itself
      const CodeSet hyphen({{'-', '-'}});
      return first.sets | last.sets | ClassSets{hyphen, hyphen};
    }
    if (*last.code < *first.code) Fail("the range is the wrong way around");
    const CodeSet range({{*first.code, *last.code}});
    return {range, range};
  }

  struct ClassMember {
    ClassSets sets;
    std::optional<char32_t> code;  // if it is a single one
  };

  ClassMember ClassAtom() {
    char32_t code = Any();
    if (code == '\\') {
      if (const auto set = TakeClass()) return {*set, std::nullopt};
      if (IsDigit(Peek()) && Peek() != '0') Fail("octal numbers are not supported");
      code = Takes(U"b") ? '\b' : EscapedCode();
    }
    const CodeSet set({{code, code}});
    return {{set, set}, code};
  }

  std::u32string text_;
  size_t at_ = 0;
  size_t level_ = 0;
};

}  // namespace

RegexNode ParseRegex(std::string_view regex) { return Parser(CodePoints(regex)).Whole(); }

}  // namespace cedar
