#include "weights/engram_token_map.h"

#include <utf8proc.h>

#include <algorithm>
#include <new>
#include <unordered_map>
#include <utility>

#include "simd/error.h"
#include "weights/utf8.h"
#include "weights/white_space.h"

namespace cedar {
namespace {

// NFKD, which is what NFKC followed by NFD comes to.
std::u32string Decompose(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  std::vector<utf8proc_int32_t> buffer(2 * text.size() + 1);
  utf8proc_ssize_t length = 0;
  // It says how much room it needs when the buffer is too small.
  while ((length = utf8proc_decompose(bytes, size, buffer.data(), buffer.size(), options)) >
         static_cast<utf8proc_ssize_t>(buffer.size())) {
    buffer.resize(length);
  }
  if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  CEDAR_CHECK(length >= 0);  // else the text was not UTF-8
  return std::u32string(buffer.begin(), buffer.begin() + length);
}

bool IsMark(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

bool IsPlainSpace(char32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::u32string WithoutMarksInLowerCase(const std::u32string& text) {
  std::u32string result;
  for (const char32_t c : text) {
    if (!IsMark(c)) result += utf8proc_tolower(static_cast<utf8proc_int32_t>(c));
  }
  return result;
}

std::u32string CollapseSpaces(const std::u32string& text) {
  std::u32string result;
  bool in_run = false;
  for (const char32_t c : text) {
    const bool space = IsPlainSpace(c);
    if (!space) result += c;
    if (space && !in_run) result += U' ';
    in_run = space;
  }
  return result;
}

std::u32string Strip(const std::u32string& text) {
  const auto first = std::find_if_not(text.begin(), text.end(), IsWhiteSpace);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), IsWhiteSpace).base();
  return first < last ? std::u32string(first, last) : std::u32string();
}

std::string ToUtf8(const std::u32string& text) {
  std::string result;
  for (const char32_t c : text) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    result.append(reinterpret_cast<const char*>(bytes), length);
  }
  return result;
}

// What a token must share with another to be in one class with it.
std::string Key(const Tokenizer& tokenizer, int32_t id) {
  const std::string_view text = tokenizer.TokenBytes(id);
  if (FirstInvalidUtf8(text) || text.find(kReplacementCharacter) != text.npos) {
    return std::string(tokenizer.TokenText(id));
  }
  std::string normalised = NormaliseForEngram(text);
  return normalised.empty() ? std::string(text) : normalised;
}

}  // namespace

std::string NormaliseForEngram(std::string_view text) {
  const std::u32string collapsed = CollapseSpaces(WithoutMarksInLowerCase(Decompose(text)));
  return ToUtf8(collapsed == U" " ? collapsed : Strip(collapsed));
}

std::vector<int32_t> EngramTokenMap(const Tokenizer& tokenizer) {
  std::vector<int32_t> map(tokenizer.size());
  std::unordered_map<std::string, int32_t> classes;
  classes.reserve(map.size());
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const auto next = static_cast<int32_t>(classes.size());
    map[id] = classes.try_emplace(Key(tokenizer, id), next).first->second;
  }
  return map;
}

}  // namespace cedar
