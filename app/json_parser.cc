#include "app/json_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "app/json_text.h"
#include "simd/error.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(uint32_t point, std::string& to) {
  const auto tail = [&](int shift) { to += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    to += static_cast<char>(point);
  } else if (point < 0x800) {
    to += static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    to += static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    to += static_cast<char>(0xf0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& source, SameKeys same)
      : text_(text), source_(source), same_(same) {}

  Json Parse() {
    if (const auto bad = FirstInvalidUtf8(text_)) FailAt(*bad, "UTF-8");
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    Json value = Value();
    SkipSpace();
    if (at_ < text_.size()) Fail("the end of the text");
    return value;
  }

 private:
  [[noreturn]] void Complain(const std::string& what) const {
    throw Error(ErrorKind::kInput, source_ + ": " + what);
  }
  [[noreturn]] void FailAt(size_t at, const std::string& expected) const {
    Complain("byte " + std::to_string(at) + ": found " + Found(at) + ", expected " + expected);
  }
  [[noreturn]] void Fail(const std::string& expected) const { FailAt(at_, expected); }

  // The character at a byte, quoted as JSON, so that what cannot be seen can be read.
  std::string Found(size_t at) const {
    if (at >= text_.size()) return "the end of the text";
    const Utf8Unit unit = FirstUtf8Unit(text_.substr(at));
    if (unit.kind == Utf8Kind::kValid) return Json(text_.substr(at, unit.length)).dump();
    constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text_[at]);
    return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Skip(char c) {
    const bool here = at_ < text_.size() && text_[at_] == c;
    if (here) ++at_;
    return here;
  }
  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  Json Value() {
    SkipSpace();
    const char c = Peek();
    if (c == '{') return Object();
    if (c == '[') return Array();
    if (c == '"') return String();
    if (c == '-' || IsDigit(c)) return Number();
    if (c == 't') return Word("true", true);
    if (c == 'f') return Word("false", false);
    if (c == 'n') return Word("null", nullptr);
    Fail("a JSON value");
  }

  Json Word(std::string_view word, Json value) {
    if (text_.substr(at_, word.size()) != word) Fail("a JSON value");
    at_ += word.size();
    return value;
  }

  void GoDown() {
    if (++level_ <= kMostJsonLevels) return;
    Complain("found JSON of more than " + std::to_string(kMostJsonLevels) +
             " levels, expected no more");
  }

  Json Array() {
    GoDown();
    ++at_;
    Json list = Json::array();
    for (SkipSpace(); !Skip(']'); SkipSpace()) {
      if (!list.empty() && !Skip(',')) Fail("\",\" or \"]\"");
      list.push_back(Value());
    }
    --level_;
    return list;
  }

  Json Object() {
    GoDown();
    ++at_;
    Json object = Json::object();
    auto& members = object.get_ref<Json::object_t&>();
    std::map<std::string, size_t> places;  // of the keys
    for (SkipSpace(); !Skip('}'); SkipSpace()) {
      if (!members.empty() && !Skip(',')) Fail("\",\" or \"}\"");
      SkipSpace();
      const size_t begin = at_;
      if (Peek() != '"') Fail(members.empty() ? "a key or \"}\"" : "a key");
      std::string key = String();
      SkipSpace();
      if (!Skip(':')) Fail("\":\"");
      const auto [place, is_new] = places.emplace(key, members.size());
      if (!is_new && same_ == SameKeys::kError) FailTwice(begin, key);
      Json value = Value();
      if (is_new) {
        // Not by the functions of objects, which look for the key first.
        members.emplace_back(std::move(key), std::move(value));
      } else {
        members.begin()[static_cast<std::ptrdiff_t>(place->second)].second = std::move(value);
      }
    }
    --level_;
    return object;
  }

  [[noreturn]] void FailTwice(size_t at, const std::string& key) const {
    Complain("byte " + std::to_string(at) + ": found the key " + Json(key).dump() +
             " a second time in its object, expected each key once");
  }

  std::string String() {
    ++at_;
    std::string out;
    while (!Skip('"')) {
      if (at_ == text_.size()) Fail("the end of a string (\")");
      if (static_cast<unsigned char>(text_[at_]) < 0x20)
        Fail("an escape for it, or the string's end");
      if (Skip('\\')) {
        Escape(out);
      } else {
        out += text_[at_++];
      }
    }
    return out;
  }

  // Behind a backslash.
  void Escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (Skip('u')) return AppendUtf8(CodePoint(), out);
    const size_t name = at_ < text_.size() ? kNames.find(text_[at_]) : kNames.npos;
    if (name == kNames.npos) Fail("one of \"\\/bfnrtu");
    out += kMeanings[name];
    ++at_;
  }

  // Behind \u; those above U+FFFF are two halves.
  uint32_t CodePoint() {
    const size_t begin = at_;
    const uint32_t first = FourDigits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    const bool more = first < 0xDC00 && Skip('\\') && Skip('u');
    const uint32_t second = more ? FourDigits() : 0;
    if (second < 0xDC00 || second > 0xDFFF) FailAt(begin, "two halves of a surrogate pair");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  uint32_t FourDigits() {
    uint32_t value = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    at_ += static_cast<size_t>(end - digits.data());
    if (error != std::errc() || end != digits.data() + 4) Fail("four hexadecimal digits");
    return value;
  }

  void SkipDigits() {
    if (!IsDigit(Peek())) Fail("a digit");
    while (IsDigit(Peek())) ++at_;
  }

  Json Number() {
    const size_t begin = at_;
    const bool negative = Skip('-');
    if (!Skip('0')) SkipDigits();
    const size_t whole = at_;
    if (Skip('.')) SkipDigits();
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (!Skip('+')) Skip('-');
      SkipDigits();
    }
    const std::string digits(text_.substr(begin, at_ - begin));
    if (at_ == whole) {
      if (const auto integer = Integer(digits, negative)) return *integer;
    }
    // The nearest number, as the locale "C" of every program that sets none reads it.
    const double value = std::strtod(digits.c_str(), nullptr);
    if (!std::isfinite(value)) FailAt(begin, "a number that is not so large");
    return value;
  }

  // Nothing where 64 bits are too few.
  static std::optional<Json> Integer(const std::string& digits, bool negative) {
    const char* const end = digits.data() + digits.size();
    int64_t below_zero = 0;
    uint64_t value = 0;
    if (negative) {
      if (std::from_chars(digits.data(), end, below_zero).ec == std::errc()) return below_zero;
    } else if (std::from_chars(digits.data(), end, value).ec == std::errc()) {
      return value;
    }
    return std::nullopt;
  }

  std::string_view text_;
  const std::string& source_;
  SameKeys same_;
  size_t at_ = 0;
  size_t level_ = 0;
};

}  // namespace

Json ReadJson(std::string_view text, const std::string& source, SameKeys same) {
  return JsonParser(text, source, same).Parse();
}

}  // namespace cedar
