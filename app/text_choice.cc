#include "app/text_choice.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace cedar {
namespace {

using Node = Grammar::Node;

// What comes behind the first `from` bytes, which all have in common. texts: ascending, each once.
Node Behind(Grammar& g, std::span<const std::string> texts, size_t from) {
  const std::string_view first = std::string_view(texts.front()).substr(from);
  if (texts.size() == 1) return g.Literal(first);
  const std::string_view last = std::string_view(texts.back()).substr(from);
  const auto [end, unused] = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  const size_t common = static_cast<size_t>(end - first.begin());
  const size_t at = from + common;
  std::vector<Node> choices;
  while (!texts.empty()) {
    size_t alike = 1;
    if (texts[0].size() == at) {
      choices.push_back(g.Sequence({}));
    } else {
      while (alike < texts.size() && texts[alike][at] == texts[0][at]) ++alike;
      choices.push_back(Behind(g, texts.first(alike), at));
    }
    texts = texts.subspan(alike);
  }
  const Node choice = g.Choice(std::move(choices));
  return common == 0 ? choice : g.Sequence({g.Literal(first.substr(0, common)), choice});
}

}  // namespace

Grammar::Node TextChoice(Grammar& grammar, std::vector<std::string> texts) {
  if (texts.empty()) return grammar.Choice({});
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return Behind(grammar, texts, 0);
}

}  // namespace cedar
