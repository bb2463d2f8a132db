#include "app/code_set.h"

#include <algorithm>
#include <utility>

namespace cedar {
namespace {

constexpr CodeSet::Range kSurrogates{0xD800, 0xDFFF};

// Ascending; ranges that overlap or touch become one.
std::vector<CodeSet::Range> Joined(std::vector<CodeSet::Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CodeSet::Range> out;
  for (const CodeSet::Range& range : ranges) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

}  // namespace

CodeSet::CodeSet(std::vector<Range> ranges) {
  for (const Range& range : Joined(std::move(ranges))) {
    if (range.first < kSurrogates.first) {
      ranges_.push_back({range.first, std::min<char32_t>(range.last, kSurrogates.first - 1)});
    }
    if (range.last > kSurrogates.last) {
      ranges_.push_back({std::max<char32_t>(range.first, kSurrogates.last + 1), range.last});
    }
  }
}

CodeSet CodeSet::All() { return CodeSet({{0, kLast}}); }

CodeSet CodeSet::Of(std::string_view ascii) {
  std::vector<Range> ranges;
  for (const char c : ascii) ranges.push_back({static_cast<char32_t>(c), static_cast<char32_t>(c)});
  return CodeSet(std::move(ranges));
}

bool CodeSet::Contains(char32_t code) const {
  const auto range =
      std::lower_bound(ranges_.begin(), ranges_.end(), code,
                       [](const Range& one, char32_t sought) { return one.last < sought; });
  return range != ranges_.end() && range->first <= code;
}

CodeSet CodeSet::operator|(const CodeSet& other) const {
  std::vector<Range> ranges = ranges_;
  ranges.insert(ranges.end(), other.ranges_.begin(), other.ranges_.end());
  return CodeSet(std::move(ranges));
}

CodeSet CodeSet::operator~() const {
  std::vector<Range> ranges;
  char32_t next = 0;
  for (const Range& range : ranges_) {
    if (range.first > next) ranges.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) ranges.push_back({next, kLast});
  return CodeSet(std::move(ranges));
}

}  // namespace cedar
