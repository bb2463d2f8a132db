#include "app/json_text.h"

#include <algorithm>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// The most brackets that are open at once, outside of strings.
size_t Levels(std::string_view text) {
  size_t open = 0, most = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      most = std::max(most, ++open);
    } else if ((c == '}' || c == ']') && open > 0) {
      --open;
    }
  }
  return most;
}

}  // namespace

Json ParseJson(std::string_view text, const std::string& source) {
  if (Levels(text) > kMostJsonLevels) {
    throw Error(ErrorKind::kInput, source + ": found JSON of more than " +
                                       std::to_string(kMostJsonLevels) +
                                       " levels, expected no more");
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kInput, source + ": expected JSON: " + error.what());
  }
}

Json TryParseJson(std::string_view text) {
  if (Levels(text) > kMostJsonLevels) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace cedar
