#ifndef CEDAR_APP_CODE_SET_H_
#define CEDAR_APP_CODE_SET_H_

#include <string_view>
#include <vector>

namespace cedar {

// A set of Unicode's scalar values: code points but for surrogates.
class CodeSet {
 public:
  struct Range {
    char32_t first, last;
    bool operator==(const Range&) const = default;
  };
  static constexpr char32_t kLast = 0x10FFFF;

  CodeSet() = default;
  // Surrogates in the ranges are left out; ranges may overlap.
  explicit CodeSet(std::vector<Range> ranges);
  static CodeSet All();
  // Those of a text of ASCII characters.
  static CodeSet Of(std::string_view ascii);

  bool Contains(char32_t code) const;
  bool empty() const { return ranges_.empty(); }
  // Ascending, neither overlapping nor touching.
  const std::vector<Range>& ranges() const { return ranges_; }

  CodeSet operator|(const CodeSet& other) const;
  CodeSet operator~() const;
  bool operator==(const CodeSet&) const = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace cedar

#endif  // CEDAR_APP_CODE_SET_H_
