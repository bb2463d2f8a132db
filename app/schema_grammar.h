#ifndef CEDAR_APP_SCHEMA_GRAMMAR_H_
#define CEDAR_APP_SCHEMA_GRAMMAR_H_

// The values of a document's schemas as grammar of their JSON texts.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/grammar.h"
#include "app/json_grammar.h"
#include "app/object_members.h"
#include "app/schema_normaliser.h"
#include "app/schema_shape.h"

namespace cedar {

class SchemaGrammar {
 public:
  using Json = nlohmann::ordered_json;
  using Node = Grammar::Node;
  using ShapeList = std::vector<const Shape*>;

  // All must outlive it. All functions throw Error (kInput) that names the place in the document.
  SchemaGrammar(const Json& document, JsonGrammar& json, Grammar& grammar)
      : g_(grammar), json_(json), normaliser_(document) {}

  SchemaNormaliser& normaliser() { return normaliser_; }

  // The values for which all terms hold.
  Node Value(const SchemaTerms& terms);
  // Of these only the values of some shapes.
  Node ValueOf(const SchemaTerms& terms, const ShapeList& shapes);
  // A text of one string; of a shape of `terms`.
  Node String(const SchemaTerms& terms, const StringRule& rule, StringForm form);

  // Fails if an object would need others that differ from each other: no grammar can say that.
  void CheckCount(const SchemaTerms& terms, const ObjectMembers& members);

  // Shapes that the schema speaks of, and those that it leaves open: without a type, keywords of
  // one type leave all others open, and nobody means that.
  static std::pair<ShapeList, ShapeList> Wanted(const Shapes& shapes);

  // Fails for the first place that no text ends, of those that `barren` (Grammar::Prune) holds.
  void FailAtBarren(const std::unordered_set<Node>& barren);

 private:
  Node ShapeOf(const SchemaTerms& terms, const Shape& shape);
  Node Object(const SchemaTerms& terms, const ObjectRule& rule);
  Node Array(const SchemaTerms& terms, const ArrayRule& rule);
  Node TupleArray(const ArrayRule& rule);
  Node CountedArray(const SchemaTerms& terms, const ArrayRule& rule);
  Node UniqueArray(const SchemaTerms& terms, const ArrayRule& rule);
  Node InAnyOrder(const std::vector<Json>& values, const std::vector<std::vector<bool>>& allowed,
                  uint64_t least, uint64_t most);
  Node InOneOrder(const SchemaTerms& terms, const std::vector<Json>& values, uint64_t least,
                  uint64_t most);
  bool AreApart(const ArrayRule& rule);
  [[noreturn]] void Fail(const SchemaTerms& terms, const std::string& what);

  Grammar& g_;
  JsonGrammar& json_;
  SchemaNormaliser normaliser_;
  std::map<SchemaTerms, Node> known_;                 // null: being made
  std::map<SchemaTerms, GrammarNode*> recur_;         // of those that contain themselves
  std::vector<std::pair<Node, SchemaPlace>> places_;  // inner ones first
  size_t level_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_SCHEMA_GRAMMAR_H_
