#ifndef CEDAR_APP_SCHEMA_DOCUMENT_H_
#define CEDAR_APP_SCHEMA_DOCUMENT_H_

// A JSON Schema document: its schemas by number, where each stands, and where a $ref leads.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cedar {

// A schema of a document. Numbers go up as schemas are met.
using SchemaPlace = uint32_t;

class SchemaDocument {
 public:
  using Json = nlohmann::ordered_json;

  // How deep schemas may lie within schemas or behind $refs: what walks through them calls itself.
  static constexpr size_t kMostLevels = 500;

  // The document must outlive it. Throws Error (kInput) for a $schema that is not supported.
  explicit SchemaDocument(const Json& root);

  static constexpr SchemaPlace kRoot = 0;
  // The schema that allows nothing.
  static constexpr SchemaPlace kNever = 1;

  // The number of a schema; path: that of a person, such as #/properties/a.
  SchemaPlace At(const Json& schema, const std::string& path);
  // That of a schema that the document implies. It is kept here.
  SchemaPlace Add(Json schema, std::string path);
  // The schema behind `key`, or behind its `part`, of the schema at a place.
  SchemaPlace Within(SchemaPlace place, std::string_view key);
  SchemaPlace Within(SchemaPlace place, std::string_view key, const Json& part,
                     std::string_view name);

  const Json& SchemaOf(SchemaPlace place) const { return *schemas_[place].schema; }
  const std::string& PathOf(SchemaPlace place) const { return schemas_[place].path; }

  // Where the $ref of a schema leads. Throws Error if that is not within the document.
  SchemaPlace Target(SchemaPlace place);
  // Whether some $ref goes through a part of that name: it holds schemas then, whatever it is.
  bool IsReferredTo(const std::string& name);
  // Whether keywords beside a $ref count: not in the drafts up to 7, if the document names one.
  bool RefStandsAlone() const { return draft_ == 4 || draft_ == 6 || draft_ == 7; }
  // 4, 6, 7, 2019 or 2020; 0: the document does not say.
  int draft() const { return draft_; }

  // Throws Error (kInput): what is wrong at a place.
  [[noreturn]] void Fail(SchemaPlace place, const std::string& what) const;

 private:
  struct Entry {
    const Json* schema;
    std::string path;
  };

  void FindDraft();
  std::string WithoutBase(const std::string& ref) const;
  SchemaPlace ByPointer(SchemaPlace from, const std::string& pointer);
  const Json* FindAnchor(const Json& part, const std::string& name) const;
  void FindReferred(const Json& part);

  const Json& root_;
  std::deque<Json> added_;
  std::deque<Entry> schemas_;
  std::unordered_map<const Json*, SchemaPlace> places_;
  std::optional<std::set<std::string>> referred_;  // names in all $refs, when first wanted
  int draft_ = 0;
};

// A name as a part of a path.
std::string PathPart(std::string_view name);

}  // namespace cedar

#endif  // CEDAR_APP_SCHEMA_DOCUMENT_H_
