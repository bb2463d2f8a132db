#ifndef CEDAR_APP_CONTENT_FIELDS_H_
#define CEDAR_APP_CONTENT_FIELDS_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "app/message.h"

namespace cedar {

// The content of a message: a string, or a list of parts that are text: strings, or objects of the
// types text, input_text, output_text and refusal. Of a tool's other parts the model only hears.
// path: of the content. Throws Error (kInput) that names the part.
std::string ReadContent(const nlohmann::ordered_json& content, const std::string& path, Role role);

// The path of an element of a list.
std::string ElementPath(const std::string& path, size_t i);

}  // namespace cedar

#endif  // CEDAR_APP_CONTENT_FIELDS_H_
