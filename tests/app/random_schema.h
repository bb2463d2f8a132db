#ifndef CEDAR_TESTS_APP_RANDOM_SCHEMA_H_
#define CEDAR_TESTS_APP_RANDOM_SCHEMA_H_

// Schemas of the supported subset, drawn at random, and what a value must be to validate: written
// from the JSON Schema specification (draft 2020-12), knowing nothing of grammars.

#include <nlohmann/json.hpp>
#include <string>

#include "weights/random.h"

namespace cedar::test {

// Finite: no value needs to be infinitely deep, and $refs may recur.
nlohmann::ordered_json RandomSchema(Random& random);

// Why the value does not validate against the schema; empty if it does. document: what $refs point
// into.
std::string Violation(const nlohmann::ordered_json& schema, const nlohmann::ordered_json& value,
                      const nlohmann::ordered_json& document);

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_RANDOM_SCHEMA_H_
