#ifndef CEDAR_APP_SCHEMA_SHAPE_H_
#define CEDAR_APP_SCHEMA_SHAPE_H_

// What a schema comes down to: a list of shapes, of which a value must have one. A shape is one
// type and all that holds for its values.

#include <array>
#include <compare>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/number_grammar.h"
#include "app/schema_document.h"
#include "app/string_grammar.h"

namespace cedar {

// A schema that a value must meet, or must not.
struct SchemaTerm {
  SchemaPlace place;
  bool negated = false;
  auto operator<=>(const SchemaTerm&) const = default;
};

// All must hold; ascending, each once. Empty: anything goes.
using SchemaTerms = std::vector<SchemaTerm>;

void AddTerms(SchemaTerms& to, const SchemaTerms& more);

enum class JsonType : uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };
inline constexpr std::array<JsonType, 6> kJsonTypes = {JsonType::kObject,  JsonType::kArray,
                                                       JsonType::kString,  JsonType::kNumber,
                                                       JsonType::kBoolean, JsonType::kNull};
JsonType TypeOf(const nlohmann::ordered_json& value);

inline constexpr uint64_t kNoMost = ~uint64_t{0};

struct ArrayRule {
  // At least and at most so many items are as `item` wants them.
  struct Count {
    SchemaTerms item = {};
    uint64_t least = 1;
    uint64_t most = kNoMost;
    bool operator==(const Count&) const = default;
  };

  std::vector<SchemaTerms> first = {};     // of the first items, each its own
  size_t evaluated = 0;                    // so many of those count for unevaluatedItems
  std::optional<SchemaTerms> others = {};  // of those behind; none: nothing was said
  uint64_t least = 0;
  uint64_t most = kNoMost;
  bool unique = false;
  std::vector<Count> counts = {};
  bool operator==(const ArrayRule&) const = default;

  const SchemaTerms& At(size_t i) const;
};

struct ObjectRule {
  struct Property {
    std::string name = {};
    SchemaTerms value = {};
    bool required = false;
    bool evaluated = false;  // counts for unevaluatedProperties
    bool operator==(const Property&) const = default;
  };
  struct Pattern {
    std::string text = {};
    SchemaTerms value = {};
    bool operator==(const Pattern&) const = default;
  };

  std::vector<Property> properties = {};   // in the order of the schema
  std::vector<Pattern> patterns = {};      // of names that are not listed
  std::optional<SchemaTerms> others = {};  // of those that match no pattern; none: nothing was said
  SchemaTerms names = {};
  uint64_t least = 0;
  uint64_t most = kNoMost;
  bool operator==(const ObjectRule&) const = default;

  const Property* Find(const std::string& name) const;
};

struct Shape {
  JsonType type;
  // Whether the schema speaks of this type: it is named, or has a keyword of its own.
  bool named = false;
  // The only values; they meet all below.
  std::optional<std::vector<const nlohmann::ordered_json*>> values = {};
  NumberRule number = {};
  bool fraction = false;  // no integer
  StringRule string = {};
  ArrayRule array = {};
  ObjectRule object = {};
  // What would have to hold too, but is not supported: an error if the shape is used.
  std::string unsupported = {};

  // Whether any value of the type is of this shape.
  bool IsBare() const;
  bool operator==(const Shape& other) const;
};

using Shapes = std::vector<Shape>;

// Whether any string, or number, follows the rule.
bool IsFree(const StringRule& rule);
bool IsFree(const NumberRule& rule);
// Both rules together.
StringRule Together(StringRule a, const StringRule& b);
NumberRule Together(NumberRule a, const NumberRule& b);
ArrayRule Together(const ArrayRule& a, const ArrayRule& b);

// One shape of each type: any value.
Shapes AnyShapes();

// The same text for values that are one: 1 and 1.0 are, and members may come in any order.
std::string KeyOf(const nlohmann::ordered_json& value);

}  // namespace cedar

#endif  // CEDAR_APP_SCHEMA_SHAPE_H_
