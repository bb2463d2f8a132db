#ifndef CEDAR_APP_JSON_SCHEMA_H_
#define CEDAR_APP_JSON_SCHEMA_H_

// JSON Schema (drafts 4 to 2020-12) as a grammar of texts that validate against it. Annotations are
// passed over; any other keyword that is not supported, or not there where it stands, is an error
// that names it and its place, never ignored.
//
// The grammar may be narrower than the schema:
//   - properties come in the order of the schema, and where some are listed others are written only
//     if additionalProperties or patternProperties have a schema for them;
//   - without a type, keywords of one type mean values of that type;
//   - of more than 10 different values (uniqueItems) those that are there come in their order;
//   - integers have no fraction.

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/grammar.h"

namespace cedar {

// Throws Error (kInput) that names the place in the schema, what was found and what was expected;
// also for a schema that no finite value meets. most_bytes: of the grammar.
std::unique_ptr<Grammar> GrammarOfSchema(const nlohmann::ordered_json& schema,
                                         size_t most_bytes = Grammar::kAnySize);

// Any JSON object.
std::unique_ptr<Grammar> GrammarOfAnyObject();

}  // namespace cedar

#endif  // CEDAR_APP_JSON_SCHEMA_H_
