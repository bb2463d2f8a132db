#include "app/json_text.h"

#include "app/json_parser.h"
#include "simd/error.h"

namespace cedar {

using Json = nlohmann::ordered_json;

Json ParseJson(std::string_view text, const std::string& source) {
  return ReadJson(text, source, SameKeys::kError);
}

Json TryParseJson(std::string_view text) {
  try {
    return ReadJson(text, "", SameKeys::kLastWins);
  } catch (const Error&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace cedar
