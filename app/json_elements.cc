#include "app/json_elements.h"

namespace cedar {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// The first character at or behind `at` that is none of `blank`; 0: there is none yet.
char After(std::string_view text, size_t at, std::string_view blank) {
  const size_t found = text.find_first_not_of(blank, at);
  return found == text.npos ? '\0' : text[found];
}

}  // namespace

std::optional<Layout> LayoutOf(std::string_view begin, bool ended) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (begin.starts_with(kByteOrderMark)) begin.remove_prefix(kByteOrderMark.size());
  const std::optional<Layout> open = ended ? std::optional(Layout::kLines) : std::nullopt;
  const size_t at = begin.find_first_not_of(kBlank);
  if (at == begin.npos) return open;
  if (begin[at] == '[') {
    const char next = After(begin, at + 1, kBlank);
    if (next == '\0') return open;
    return next == '{' || next == ']' ? Layout::kList : Layout::kLines;
  }
  if (begin[at] != '{') return Layout::kLines;
  // An object of which nothing stands in its first line.
  const char next = After(begin, at + 1, " \t\r");
  if (next == '\0') return open;
  if (next != '\n') return Layout::kLines;
  const char first = After(begin, at + 1, kBlank);
  if (first == '\0') return open;
  return first == '"' ? Layout::kSpread : Layout::kLines;
}

std::optional<size_t> ElementScanner::FindEnd(std::string_view text, size_t at) {
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    const char last = last_;
    last_ = c;
    // What is within a value is indented, and no string goes over the end of a line.
    if (layout_ == Layout::kSpread && depth_ > 0 && c == '{' && last == '\n') return i;
    if (in_string_) {
      if (c == '"' && !escaped_) in_string_ = false;
      escaped_ = c == '\\' && !escaped_;
      continue;
    }
    switch (c) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ == 0) return i;  // the end of the list
        if (--depth_ == 0) return i + 1;
        break;
      case ',':
        if (depth_ == 0) return i;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

}  // namespace cedar
