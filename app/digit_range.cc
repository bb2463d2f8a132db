#include "app/digit_range.h"

#include <string>
#include <vector>

namespace cedar {
namespace {

using Node = Grammar::Node;

Node Digit(Grammar& g, char first, char last) {
  return g.Range(static_cast<uint8_t>(first), static_cast<uint8_t>(last));
}

Node AnyDigits(Grammar& g, size_t n) {
  return g.Repeat(Digit(g, '0', '9'), static_cast<uint32_t>(n), static_cast<uint32_t>(n));
}

// Texts of digits between two of the same length.
Node Between(Grammar& g, const std::string& low, const std::string& high) {
  if (low == std::string(low.size(), '0') && high == std::string(low.size(), '9')) {
    return AnyDigits(g, low.size());
  }
  const size_t rest = low.size() - 1;
  if (low[0] == high[0]) {
    return g.Sequence({Digit(g, low[0], low[0]), Between(g, low.substr(1), high.substr(1))});
  }
  std::vector<Node> choices = {
      g.Sequence({Digit(g, low[0], low[0]), Between(g, low.substr(1), std::string(rest, '9'))}),
      g.Sequence({Digit(g, high[0], high[0]), Between(g, std::string(rest, '0'), high.substr(1))})};
  if (high[0] - low[0] > 1) {
    const char first = static_cast<char>(low[0] + 1), last = static_cast<char>(high[0] - 1);
    choices.push_back(g.Sequence({Digit(g, first, last), AnyDigits(g, rest)}));
  }
  return g.Choice(std::move(choices));
}

}  // namespace

Grammar::Node DigitRange(Grammar& grammar, uint64_t least, uint64_t most) {
  const std::string low = std::to_string(least), high = std::to_string(most);
  std::vector<Node> choices;  // by length
  for (size_t length = low.size(); length <= high.size(); ++length) {
    const std::string from = length == low.size() ? low : "1" + std::string(length - 1, '0');
    const std::string to = length == high.size() ? high : std::string(length, '9');
    choices.push_back(Between(grammar, from, to));
  }
  return grammar.Choice(std::move(choices));
}

}  // namespace cedar
