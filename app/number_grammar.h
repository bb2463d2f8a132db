#ifndef CEDAR_APP_NUMBER_GRAMMAR_H_
#define CEDAR_APP_NUMBER_GRAMMAR_H_

// Grammars of single JSON numbers within limits.

#include <nlohmann/json.hpp>
#include <vector>

#include "app/grammar.h"

namespace cedar {

// All of it holds together; each value is a JSON number. Several of one kind come of allOf.
struct NumberRule {
  using Limits = std::vector<nlohmann::ordered_json>;

  bool integer = false;
  Limits minimum = {}, maximum = {};
  Limits exclusive_minimum = {}, exclusive_maximum = {};
  Limits multiple_of = {};
};

// Decimals without exponents, and integers without fractions. Each follows the rule exactly, and
// also as IEEE doubles are compared and divided: that is what validators do. Throws Error (kInput)
// that says which limit is not supported; the message says nothing of where the rule stands. A
// choice of nothing if no number follows the rule.
Grammar::Node NumberGrammar(Grammar& grammar, const NumberRule& rule);

}  // namespace cedar

#endif  // CEDAR_APP_NUMBER_GRAMMAR_H_
