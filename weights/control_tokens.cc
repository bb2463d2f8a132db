#include "weights/control_tokens.h"

#include <algorithm>

namespace cedar {

ControlTokens::ControlTokens(const std::vector<ControlToken>& tokens) {
  for (const ControlToken& token : tokens) {
    (token.normalized ? normalized_ : raw_).Add(token.text, token.id);
  }
  raw_.Sort();
  normalized_.Sort();
}

std::optional<int32_t> ControlTokens::Find(std::string_view text) const {
  for (const Group* group : {&raw_, &normalized_}) {
    const std::optional<size_t> found = group->LongestAt(text);
    if (found && group->sorted[*found].first.size() == text.size()) {
      return group->sorted[*found].second;
    }
  }
  return std::nullopt;
}

std::vector<TextSegment> ControlTokens::Split(std::string_view text) const {
  std::vector<TextSegment> first_pass;
  raw_.Split(text, first_pass);
  std::vector<TextSegment> segments;
  for (const TextSegment& segment : first_pass) {
    if (segment.control) {
      segments.push_back(segment);
    } else {
      normalized_.Split(segment.text, segments);
    }
  }
  return segments;
}

void ControlTokens::Group::Add(const std::string& text, int32_t id) {
  sorted.emplace_back(text, id);
  starts[static_cast<uint8_t>(text[0])] = true;
}

void ControlTokens::Group::Sort() { std::sort(sorted.begin(), sorted.end()); }

std::optional<size_t> ControlTokens::Group::LongestAt(std::string_view text) const {
  // The tokens that agree with `text` in its first `depth` bytes are a range, which narrows as
  // depth grows; one of exactly that length comes first in it.
  auto low = sorted.begin();
  auto high = sorted.end();
  std::optional<size_t> longest;
  for (size_t depth = 0; low != high; ++depth) {
    if (low->first.size() == depth) longest = low++ - sorted.begin();
    if (depth == text.size()) break;
    const auto byte = static_cast<uint8_t>(text[depth]);
    const auto at_depth = [depth](const auto& token) {
      return static_cast<uint8_t>(token.first[depth]);
    };
    low = std::partition_point(low, high, [&](const auto& t) { return at_depth(t) < byte; });
    high = std::partition_point(low, high, [&](const auto& t) { return at_depth(t) == byte; });
  }
  return longest;
}

void ControlTokens::Group::Split(std::string_view text, std::vector<TextSegment>& out) const {
  size_t begin = 0;  // of the text since the last token
  size_t at = 0;
  while (at < text.size()) {
    const bool may_start = starts[static_cast<uint8_t>(text[at])];
    const std::optional<size_t> found =
        may_start ? LongestAt(text.substr(at)) : std::optional<size_t>();
    if (!found) {
      ++at;
      continue;
    }
    const size_t length = sorted[*found].first.size();
    if (at > begin) out.push_back({text.substr(begin, at - begin), std::nullopt});
    out.push_back({text.substr(at, length), sorted[*found].second});
    begin = at += length;
  }
  if (at > begin) out.push_back({text.substr(begin), std::nullopt});
}

}  // namespace cedar
