#ifndef CEDAR_APP_JSON_ELEMENTS_H_
#define CEDAR_APP_JSON_ELEMENTS_H_

// Parts text into JSON values that do not stand one a line, while it comes.

#include <cstddef>
#include <optional>
#include <string_view>

namespace cedar {

// How requests stand in a file.
enum class Layout {
  kLines,   // one a line
  kList,    // in one JSON array
  kSpread,  // one after the other, each over several lines
};

// The layout of a file that begins so; nothing while that is open. `ended`: there is no more.
std::optional<Layout> LayoutOf(std::string_view begin, bool ended);

// Finds the end of one value, an object or less, in text that comes in pieces.
class ElementScanner {
 public:
  explicit ElementScanner(Layout layout) : layout_(layout) {}

  // Goes on in `text` from `at`. The place behind the value, if it ends here. A broken value ends
  // where the next begins, if that is certain.
  std::optional<size_t> FindEnd(std::string_view text, size_t at);

 private:
  Layout layout_;
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  char last_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_JSON_ELEMENTS_H_
