#ifndef CEDAR_APP_JSON_TEXT_H_
#define CEDAR_APP_JSON_TEXT_H_

// JSON that others wrote.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cedar {

// Levels of nesting: what walks through JSON calls itself once for each, so more are refused.
inline constexpr size_t kMostJsonLevels = 500;

// The value, keys in their order. What is no JSON, nested too deeply, or has one key twice in an
// object is an Error (kInput) that names `source`, the byte, what was found and what was expected.
nlohmann::ordered_json ParseJson(std::string_view text, const std::string& source);

// The same, but discarded (is_discarded()) instead of an Error; of two equal keys the last counts.
nlohmann::ordered_json TryParseJson(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_APP_JSON_TEXT_H_
