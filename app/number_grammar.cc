#include "app/number_grammar.h"

#include <optional>

#include "app/json_grammar.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Grammar::Node NumberGrammar(Grammar& grammar, const NumberRule& rule) {
  JsonGrammar json(grammar);
  const bool limited = !rule.exclusive_minimum.empty() || !rule.exclusive_maximum.empty() ||
                       !rule.multiple_of.empty();
  std::optional<int64_t> least, most;
  for (const Json& limit : rule.minimum) {
    if (!limit.is_number_integer()) throw Error(ErrorKind::kInput, "minimum: not supported");
    least = std::max(least.value_or(limit), limit.get<int64_t>());
  }
  for (const Json& limit : rule.maximum) {
    if (!limit.is_number_integer()) throw Error(ErrorKind::kInput, "maximum: not supported");
    most = std::min(most.value_or(limit), limit.get<int64_t>());
  }
  if (limited || (!rule.integer && (least || most))) {
    throw Error(ErrorKind::kInput, "these limits of numbers are not supported");
  }
  return rule.integer ? json.Integer(least, most) : json.Number();
}

}  // namespace cedar
