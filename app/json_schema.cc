#include "app/json_schema.h"

#include <nlohmann/json.hpp>

#include "app/json_grammar.h"
#include "app/schema_grammar.h"

namespace cedar {

std::unique_ptr<Grammar> GrammarOfSchema(const nlohmann::ordered_json& schema, size_t most_bytes) {
  auto grammar = std::make_unique<Grammar>(most_bytes);
  JsonGrammar json(*grammar);
  SchemaGrammar values(schema, json, *grammar);
  grammar->root = values.Value(values.normaliser().Terms(SchemaDocument::kRoot));
  const auto barren = grammar->Prune();
  if (barren.contains(grammar->root)) values.FailAtBarren(barren);
  return grammar;
}

std::unique_ptr<Grammar> GrammarOfAnyObject() {
  auto grammar = std::make_unique<Grammar>();
  grammar->root = JsonGrammar(*grammar).AnyObject();
  return grammar;
}

}  // namespace cedar
