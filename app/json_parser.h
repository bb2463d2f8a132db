#ifndef CEDAR_APP_JSON_PARSER_H_
#define CEDAR_APP_JSON_PARSER_H_

// Reads JSON by the library's parser into ordered objects. Unlike the library's own way of putting
// values together it takes time linear in the text (an ordered object looks through all its keys
// for each new one), and lets no key replace an earlier one in silence.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cedar {

enum class SameKeys {
  kError,
  kLastWins,  // in the place of the first, as Python reads them
};

// Throws Error (kInput): "SOURCE: byte N: expected JSON, found ...". Nested more than
// kMostJsonLevels deep (app/json_text.h) is an Error too. A byte order mark at the beginning is
// passed over.
nlohmann::ordered_json ReadJson(std::string_view text, const std::string& source, SameKeys same);

}  // namespace cedar

#endif  // CEDAR_APP_JSON_PARSER_H_
