#ifndef CEDAR_APP_JSON_SCHEMA_H_
#define CEDAR_APP_JSON_SCHEMA_H_

// JSON Schema as a grammar of the texts that validate against it: type, properties, required,
// additionalProperties, enum, const, items, minItems, maxItems, minimum and maximum of integers,
// anyOf and $ref within the document. Titles, descriptions and the like are passed over; any other
// keyword is an error, never ignored.
//
// The grammar may be narrower than the schema: properties come in the order of the schema, and
// where some are listed no others are written.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/grammar.h"

namespace cedar {

// Throws Error (kInput) that names the place in the schema, what was found and what was expected.
std::unique_ptr<Grammar> GrammarOfSchema(const nlohmann::ordered_json& schema);

// Any JSON object.
std::unique_ptr<Grammar> GrammarOfAnyObject();

}  // namespace cedar

#endif  // CEDAR_APP_JSON_SCHEMA_H_
