// Arrays of a schema as grammar.

#include <algorithm>
#include <bit>
#include <utility>

#include "app/schema_grammar.h"
#include "simd/error.h"

namespace cedar {

using Json = nlohmann::ordered_json;
using Node = Grammar::Node;

namespace {

// With so few values an array of different ones has them in any order: a part for each set of them.
constexpr size_t kMostInAnyOrder = 10;
constexpr size_t kMostValues = 1000;
constexpr uint64_t kMostParts = 100'000;

uint32_t Limit(uint64_t most) {
  return most >= GrammarNode::kNoLimit ? GrammarNode::kNoLimit : static_cast<uint32_t>(most);
}

}  // namespace

Node SchemaGrammar::Array(const SchemaTerms& terms, const ArrayRule& rule) {
  // Behind items of their own no others are written that the schema says nothing of.
  ArrayRule said = rule;
  if (!said.first.empty() && !said.others) {
    said.most = std::min(said.most, std::max<uint64_t>(said.first.size(), said.least));
  }
  std::erase_if(said.counts, [](const ArrayRule::Count& count) {
    return count.least == 0 && count.most == kNoMost;
  });
  if (said.unique && said.most > 1 && !AreApart(said)) return UniqueArray(terms, said);
  if (!said.counts.empty()) return CountedArray(terms, said);
  return TupleArray(said);
}

// Whether all items are of lists of their own, no two of which have a value in common.
bool SchemaGrammar::AreApart(const ArrayRule& rule) {
  if (rule.most > rule.first.size()) return false;
  for (size_t i = 0; i < rule.first.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!normaliser_.AreDisjoint(rule.first[i], rule.first[j])) return false;
    }
  }
  return true;
}

Node SchemaGrammar::TupleArray(const ArrayRule& rule) {
  const uint64_t first = std::min<uint64_t>(rule.first.size(), rule.most);
  if (first == 0) {
    if (rule.most == 0) return json_.Brackets(g_.Sequence({}));
    return json_.Array(Value(rule.At(0)), Limit(rule.least), Limit(rule.most));
  }
  Node rest = g_.Sequence({});
  if (rule.most > first) {
    const uint64_t least = rule.least > first ? rule.least - first : 0;
    rest = g_.Repeat(json_.Item(Value(rule.At(first)), /*first=*/false), Limit(least),
                     Limit(rule.most == kNoMost ? kNoMost : rule.most - first));
  }
  for (uint64_t i = first; i > 0; --i) {
    const Node item = json_.Item(Value(rule.first[i - 1]), /*first=*/i == 1);
    const Node with = g_.Sequence({item, rest});
    rest = i - 1 >= rule.least ? g_.Optional(with) : with;
  }
  return json_.Brackets(rest);
}

// Items that `contains` counts and others.
Node SchemaGrammar::CountedArray(const SchemaTerms& terms, const ArrayRule& rule) {
  if (rule.counts.size() > 1) Fail(terms, "contains: more than one for an array is not supported");
  const ArrayRule::Count& count = rule.counts[0];
  SchemaTerms not_counted;
  if (count.most != kNoMost) {
    // Items that are not meant to count must not.
    if (count.item.size() > 1) Fail(terms, "maxContains is not supported here");
    not_counted = {{SchemaDocument::kNever}};
    if (!count.item.empty()) not_counted = {{count.item[0].place, !count.item[0].negated}};
  }
  const auto hit = [&](uint64_t i) {
    SchemaTerms both = rule.At(i);
    AddTerms(both, count.item);
    return json_.Item(Value(both), /*first=*/i == 0);
  };
  const auto other = [&](uint64_t i) {
    SchemaTerms both = rule.At(i);
    AddTerms(both, not_counted);
    return json_.Item(Value(both), /*first=*/i == 0);
  };
  const uint64_t end =
      rule.most != kNoMost ? rule.most : std::max<uint64_t>({rule.first.size(), rule.least, 1});
  const uint64_t counted = std::min(count.most == kNoMost ? count.least : count.most, end + 1);
  if ((end + 1) * (counted + 2) > kMostParts) {
    Fail(terms, "contains beside so many items takes too many parts");
  }
  // What may follow, by the number of items that counted.
  const Node none = g_.Choice({}), empty = g_.Sequence({});
  std::vector<Node> next(counted + 1);
  for (uint64_t hits = counted + 1; hits > 0; --hits) {
    const uint64_t have = hits - 1;
    Node rest = have >= count.least ? empty : none;
    if (rule.most == kNoMost) {
      const Node more = g_.Repeat(other(end), 0);
      const Node again = have < counted ? g_.Sequence({hit(end), next[have + 1]}) : none;
      rest = g_.Sequence({more, g_.Choice({rest, again})});
    }
    next[have] = rest;
  }
  for (uint64_t i = end; i > 0; --i) {
    std::vector<Node> here(counted + 1);
    for (uint64_t have = 0; have <= std::min(counted, i - 1); ++have) {
      std::vector<Node> choices = {g_.Sequence({other(i - 1), next[have]})};
      if (have < counted) choices.push_back(g_.Sequence({hit(i - 1), next[have + 1]}));
      if (i - 1 >= rule.least && have >= count.least) choices.push_back(empty);
      here[have] = g_.Choice(std::move(choices));
    }
    next = std::move(here);
  }
  return json_.Brackets(next[0]);
}

// Items that are all different, of a list of values.
Node SchemaGrammar::UniqueArray(const SchemaTerms& terms, const ArrayRule& rule) {
  if (!rule.counts.empty()) Fail(terms, "uniqueItems beside contains is not supported");
  std::vector<Json> values;
  std::map<std::string, size_t> index;
  std::vector<std::vector<bool>> allowed;  // by the place of the item, the last one for all others
  for (size_t i = 0; i <= rule.first.size(); ++i) {
    allowed.emplace_back();
    if (i >= rule.most) continue;
    const auto here = normaliser_.AllValues(rule.At(i), kMostValues);
    if (!here) {
      Fail(terms, "uniqueItems is supported where the items are of a list of values (enum) only");
    }
    for (const Json& value : *here) {
      const auto [at, is_new] = index.emplace(KeyOf(value), values.size());
      if (is_new) values.push_back(value);
      allowed.back().resize(values.size());
      allowed.back()[at->second] = true;
    }
  }
  for (std::vector<bool>& list : allowed) list.resize(values.size());
  const uint64_t most = std::min<uint64_t>(rule.most, values.size());
  if (rule.least > most) return g_.Choice({});
  if (values.size() <= kMostInAnyOrder) return InAnyOrder(values, allowed, rule.least, most);
  if (!rule.first.empty()) Fail(terms, "uniqueItems beside prefixItems: too many values");
  return InOneOrder(terms, values, rule.least, most);
}

Node SchemaGrammar::InAnyOrder(const std::vector<Json>& values,
                               const std::vector<std::vector<bool>>& allowed, uint64_t least,
                               uint64_t most) {
  // What may follow, by the set of values before it.
  std::vector<Node> next(size_t{1} << values.size());
  for (size_t set = next.size(); set > 0; --set) {
    const size_t before = set - 1;
    const auto count = static_cast<uint64_t>(std::popcount(before));
    std::vector<Node> choices;
    if (count >= least) choices.push_back(g_.Sequence({}));
    const std::vector<bool>& here = allowed[std::min<size_t>(count, allowed.size() - 1)];
    for (size_t i = 0; i < values.size() && count < most; ++i) {
      if ((before >> i & 1) != 0 || !here[i]) continue;
      const Node item = json_.Item(g_.Literal(values[i].dump()), /*first=*/count == 0);
      choices.push_back(g_.Sequence({item, next[before | size_t{1} << i]}));
    }
    next[before] = g_.Choice(std::move(choices));
  }
  return json_.Brackets(next[0]);
}

// Of many values those that are there come in the order of the schema.
Node SchemaGrammar::InOneOrder(const SchemaTerms& terms, const std::vector<Json>& values,
                               uint64_t least, uint64_t most) {
  const uint64_t counted = std::max<uint64_t>({1, least, most < values.size() ? most : 0});
  if (values.size() * (counted + 1) > kMostParts) {
    Fail(terms, "uniqueItems: minItems or maxItems beside so many values takes too many parts");
  }
  std::vector<Node> next(counted + 1);
  for (uint64_t count = 0; count <= counted; ++count) {
    next[count] = count >= least ? g_.Sequence({}) : g_.Choice({});
  }
  for (size_t i = values.size(); i > 0; --i) {
    std::vector<Node> here = next;
    const Node value = g_.Literal(values[i - 1].dump());
    for (uint64_t count = 0; count <= counted; ++count) {
      const bool full = most < values.size() && count == most;
      if (full) continue;
      const Node item = json_.Item(value, /*first=*/count == 0);
      here[count] =
          g_.Choice({g_.Sequence({item, next[std::min(count + 1, counted)]}), next[count]});
    }
    next = std::move(here);
  }
  return json_.Brackets(next[0]);
}

}  // namespace cedar
