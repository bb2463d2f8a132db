#ifndef CEDAR_APP_FIELD_NAMES_H_
#define CEDAR_APP_FIELD_NAMES_H_

// The names of all fields that requests are known to have, level by level, and what becomes of
// each. app/batch/README.md lists the same; a test compares the two.

#include <span>
#include <string_view>

namespace cedar {

enum class FieldKind {
  kUnderstood,  // read by whoever reads the level
  kOnly,        // one value is understood; another is an error
  kNoEffect,    // no answer depends on it
  kRefused,     // an error of the line
};

struct FieldName {
  std::string_view name;
  FieldKind kind;
  // kOnly: the value as JSON. kRefused: what to do instead; may be empty.
  std::string_view note = {};
};

// One level of a request. Two tables where a level takes the fields of both.
std::span<const FieldName> LineFields();
std::span<const FieldName> BodyFields();        // of both kinds of body
std::span<const FieldName> ChatFields();        // beside BodyFields
std::span<const FieldName> CompletionFields();  // beside BodyFields
std::span<const FieldName> MessageFields();
std::span<const FieldName> PartFields();  // of a message's content
std::span<const FieldName> CallFields();  // of tool_calls
std::span<const FieldName> ToolFields();
std::span<const FieldName> FunctionFields();  // of a tool

// The known name that someone who wrote `name` may have meant; empty if none is near.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> known);

}  // namespace cedar

#endif  // CEDAR_APP_FIELD_NAMES_H_
