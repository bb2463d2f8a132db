#ifndef CEDAR_APP_SCHEMA_NORMALISER_H_
#define CEDAR_APP_SCHEMA_NORMALISER_H_

// Brings schemas into shapes (app/schema_shape.h). Keywords that combine schemas are worked out:
// what is left is types, each with its own rules, whose parts are again terms. "not" is carried
// down to single keywords, so that all shapes say what a value must be. They may allow less than
// the schema does, never more.
//
//   schema_normaliser.cc  terms, and keywords that combine schemas
//   schema_keywords.cc    keywords of one type
//   schema_negation.cc    the opposite of each keyword
//   shape_meeting.cc      shapes that hold together, and values of shapes

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/schema_document.h"
#include "app/schema_shape.h"

namespace cedar {

class SchemaNormaliser {
 public:
  using Json = nlohmann::ordered_json;

  // So many levels of properties are looked into for one that tells schemas apart.
  static constexpr int kLevelsApart = 3;

  // The document must outlive it. All functions throw Error (kInput) that names the place in the
  // document, for what is wrong, for keywords that are not supported, and for schemas that would
  // take too long.
  explicit SchemaNormaliser(const Json& document) : document_(document) {}

  SchemaDocument& document() { return document_; }
  // A schema as terms: none if it allows anything, kNever alone if nothing.
  SchemaTerms Terms(SchemaPlace place, bool negated = false);
  // The shapes of values for which all terms hold.
  const Shapes& Of(const SchemaTerms& terms);

  // Whether a value is one for which all terms hold.
  bool Allows(const SchemaTerms& terms, const Json& value);
  bool Allows(const Shape& shape, const Json& value);
  // The values for which all terms hold, each once, if they are at most `most`.
  std::optional<std::vector<Json>> AllValues(const SchemaTerms& terms, size_t most);
  // Whether it is certain that no value is one of both.
  bool AreDisjoint(const SchemaTerms& a, const SchemaTerms& b, int levels = kLevelsApart);
  // What the value of a property must be.
  SchemaTerms ValueOf(const ObjectRule& rule, const std::string& name);
  // Whether a pattern of patternProperties is about a name.
  bool HasName(const std::string& pattern, const std::string& name);
  static bool IsNever(const SchemaTerms& terms);

 private:
  const Shapes& OfTerm(SchemaTerm term);
  SchemaPlace Follow(SchemaPlace place);
  bool SaysNothing(const Json& schema) const;
  // Fails for keywords that are not known.
  void CheckKeywords(SchemaPlace place);
  // So much was worked through; fails when it is too much.
  void Spend(size_t steps);

  Shapes Meaning(SchemaPlace place);
  Shapes Opposite(SchemaPlace place);
  Shapes Union(const std::vector<SchemaTerms>& options);
  Shapes OneOf(SchemaPlace place);
  Shapes Except(const Shapes& shapes, const SchemaTerms& option, const SchemaTerms& opposite);
  bool HaveDiscriminator(const std::vector<SchemaTerms>& options);
  std::optional<Shapes> OneOfValues(const std::vector<SchemaTerms>& options);
  Shapes IfThenElse(SchemaPlace place, bool negated);
  // A property that asks for more when it is there; both lists of names and schemas.
  Shapes Dependencies(SchemaPlace place, std::string_view key, Shapes shapes);
  void CloseUnevaluated(SchemaPlace place, Shapes& shapes);
  // The terms of a list of schemas.
  std::vector<SchemaTerms> List(SchemaPlace place, std::string_view key, bool negated = false);

  // Keywords of one type.
  Shapes Types(SchemaPlace place);
  Shapes Constants(SchemaPlace place, std::string_view key);
  void Read(SchemaPlace place, Shape& shape);
  void ReadString(SchemaPlace place, Shape& shape);
  void ReadNumber(SchemaPlace place, Shape& shape);
  void ReadArray(SchemaPlace place, ArrayRule& rule);
  void ReadObject(SchemaPlace place, ObjectRule& rule);
  uint64_t CountAt(SchemaPlace place, std::string_view key, uint64_t otherwise);
  std::vector<std::string> NamesAt(SchemaPlace place, const Json& list, std::string_view key);
  const Json* ObjectAt(SchemaPlace place, std::string_view key);
  std::string PatternAt(SchemaPlace place, const std::string& pattern);

  // The opposite of keywords.
  void DenyTypes(SchemaPlace place, Shapes& to);
  void DenyConstants(SchemaPlace place, std::string_view key, Shapes& to);
  void DenyString(SchemaPlace place, Shapes& to);
  void DenyNumber(SchemaPlace place, Shapes& to);
  void DenyArray(SchemaPlace place, Shapes& to);
  void DenyObject(SchemaPlace place, Shapes& to);
  void DenyDependencies(SchemaPlace place, std::string_view key, Shapes& to);
  void DenyCombinations(SchemaPlace place, Shapes& to);
  void Unsupported(SchemaPlace place, JsonType type, std::string_view key, Shapes& to);

  // Shapes that hold together.
  Shapes Both(const Shapes& a, const Shapes& b);
  Shape Both(const Shape& a, const Shape& b);
  ObjectRule Together(const ObjectRule& a, const ObjectRule& b);
  bool AreDisjoint(const Shape& shape, const Shapes& shapes, int levels);
  bool AreDisjoint(const Shape& a, const Shape& b, int levels);
  bool AreDisjoint(const ObjectRule& a, const ObjectRule& b, int levels);
  bool IsEmpty(const Shape& shape);
  bool AllowsArray(const ArrayRule& rule, const Json& value);
  bool AllowsObject(const ObjectRule& rule, const Json& value);
  bool Evaluates(const ObjectRule& rule, const std::string& name);

  SchemaDocument document_;
  std::map<SchemaTerm, Shapes> of_term_;
  std::map<SchemaTerms, Shapes> of_terms_;
  std::set<SchemaTerm> open_;  // that are being worked out, each in place of the last
  std::map<std::pair<std::string, std::string>, bool> has_name_;
  size_t steps_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_SCHEMA_NORMALISER_H_
