#include "app/content_fields.h"

#include <vector>

#include "app/json_fields.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

bool IsText(const std::string& type) {
  return type == "text" || type == "input_text" || type == "output_text";
}

// A part of a tool's result that is no text: the model only hears of it (text.md, C.2). Images are
// another matter: the model would see them, and we cannot.
bool IsUnsupportedPart(const std::string& type) {
  return !IsText(type) && type != "refusal" && !type.starts_with("image") && type != "input_image";
}

std::string ReadPart(const Json& part, const std::string& path, Role role) {
  if (part.is_string()) return part.get<std::string>();
  JsonFields fields(part, path);
  const std::string type = fields.TakeString("type").value_or("text");
  if (role == Role::kTool && IsUnsupportedPart(type)) return "[Unsupported " + type + "]";
  if (!IsText(type) && type != "refusal") FailField(fields.PathOf("type"), type, "\"text\"");
  fields.CheckNames({PartFields()});
  const std::string text = fields.NeedString(type == "refusal" ? "refusal" : "text");
  fields.RefuseOthers();
  return text;
}

}  // namespace

std::string ElementPath(const std::string& path, size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

std::string ReadContent(const Json& content, const std::string& path, Role role) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) FailField(path, content, "a string or a list of text parts");
  std::vector<std::string> parts;
  for (size_t i = 0; i < content.size(); ++i) {
    parts.push_back(ReadPart(content[i], ElementPath(path, i), role));
  }
  return JoinParts(parts);
}

}  // namespace cedar
