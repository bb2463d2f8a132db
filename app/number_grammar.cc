#include "app/number_grammar.h"

#include <memory>
#include <optional>
#include <string>

#include "app/json_grammar.h"
#include "app/number_limits.h"
#include "app/number_machine.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOf(const NumberRule& rule) {
  const Json name = {"number",        rule.integer,           rule.minimum,
                     rule.maximum,    rule.exclusive_minimum, rule.exclusive_maximum,
                     rule.multiple_of};
  return name.dump();
}

}  // namespace

Grammar::Node NumberGrammar(Grammar& grammar, const NumberRule& rule) {
  const bool has_limits = !rule.minimum.empty() || !rule.maximum.empty() ||
                          !rule.exclusive_minimum.empty() || !rule.exclusive_maximum.empty() ||
                          !rule.multiple_of.empty();
  if (!has_limits) {
    JsonGrammar json(grammar);
    return rule.integer ? json.Integer(std::nullopt, std::nullopt) : json.Number();
  }
  const std::string name = NameOf(rule);
  if (const Grammar::Node known = grammar.FindMachine(name)) return known;
  auto machine = std::make_unique<NumberMachine>(NumberLimits(rule));
  if (!machine->HasTexts()) return grammar.Choice({});
  return grammar.Machine(name, std::move(machine));
}

}  // namespace cedar
