#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "app/field_names.h"

namespace cedar {
namespace {

// Without what people write differently: maxTokens, max-tokens, max_tokens.
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ') {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

// How many letters were added, left out, changed, or swapped with the next.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> known) {
  constexpr size_t kShortest = 3, kLongest = 64, kBegun = 4;
  const std::string plain = Plain(name);
  if (plain.size() < kShortest || plain.size() > kLongest) return {};
  const size_t most = std::max<size_t>(1, plain.size() / 4);
  std::string_view nearest;
  size_t least = most + 1;
  for (const std::string_view candidate : known) {
    const std::string other = Plain(candidate);
    size_t distance = Distance(plain, other);
    // The beginning of one name, and of no shorter mistake.
    if (plain.size() >= kBegun && other.starts_with(plain)) distance = std::min(distance, most);
    if (distance >= least || other.size() < kShortest) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace cedar
