#ifndef CEDAR_APP_STRING_FORMATS_H_
#define CEDAR_APP_STRING_FORMATS_H_

// Formats of strings, as JSON Schema, OpenAPI, Pydantic and zod name them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cedar {

// What makes a string one of a format. Each is a subset that validators agree on: a name of a host,
// for one, has no label of two hyphens in a row.
struct StringFormat {
  std::string regex;                   // from end to end
  std::vector<std::string> never;      // regular expressions that match nowhere
  std::optional<uint64_t> max_length;  // in characters
};

// Nothing for a format that is not supported. One that restricts no text, such as "password", has
// an empty regex.
std::optional<StringFormat> FindStringFormat(std::string_view name);

// Names of all that are supported, for messages.
std::string StringFormatNames();

}  // namespace cedar

#endif  // CEDAR_APP_STRING_FORMATS_H_
