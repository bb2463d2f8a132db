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
#include <set>
#include <string>

#include "app/grammar.h"

namespace cedar {

// Throws Error (kInput) that names the place in the schema, what was found and what was expected.
// most_bytes: of the grammar.
std::unique_ptr<Grammar> GrammarOfSchema(const nlohmann::ordered_json& schema,
                                         size_t most_bytes = Grammar::kAnySize);

class SchemaCompiler;

// The schemas within a document, for grammars of which their values are a part. All functions throw
// Error as above.
class SchemaValues {
 public:
  // Both must outlive it.
  SchemaValues(const nlohmann::ordered_json& document, Grammar& grammar);
  ~SchemaValues();

  // That the document is a schema of objects, without the properties' own; what they require.
  std::set<std::string> CheckObject() const;
  // The schema that this one refers to, or itself; place: in the document, for messages.
  const nlohmann::ordered_json& Resolve(const nlohmann::ordered_json& schema,
                                        const std::string& place) const;
  // The JSON texts of its values.
  Grammar::Node Of(const nlohmann::ordered_json& schema, const std::string& place);

 private:
  std::unique_ptr<SchemaCompiler> compiler_;
};

// Any JSON object.
std::unique_ptr<Grammar> GrammarOfAnyObject();

}  // namespace cedar

#endif  // CEDAR_APP_JSON_SCHEMA_H_
