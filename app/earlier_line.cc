#include "app/earlier_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cedar {
namespace {

using Json = nlohmann::json;

// As LineText begins each line (app/batch_response.cc).
constexpr std::string_view kBegin = "{\"id\":\"batch_req_";

Json Parse(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

// A member of an object, or null.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  const auto it = object.is_object() ? object.find(name) : object.end();
  return it == object.end() ? kNull : *it;
}

std::string TextOf(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

// Whether a line of the Batch API says that its request failed; nothing if it is not whole.
std::optional<bool> HasFailed(const Json& line) {
  if (!Member(line, "custom_id").is_string()) return std::nullopt;
  const Json& response = Member(line, "response");
  const Json& status = Member(response, "status_code");
  const Json& error = Member(line, "error");
  if (!status.is_number_unsigned()) return std::nullopt;
  if (error.is_object() && status != 200) return true;
  const bool answered =
      error.is_null() && status == 200 && Member(Member(response, "body"), "choices").is_array();
  return answered ? std::optional(false) : std::nullopt;
}

std::optional<EarlierLine> FromJson(const Json& json) {
  const std::optional<bool> failed = HasFailed(json);
  if (!failed) return std::nullopt;
  const auto id = ParseLineId(TextOf(Member(json, "id")), TextOf(Member(json, "custom_id")));
  if (!id) return std::nullopt;
  EarlierLine line{.id = *id, .failure_code = {}, .message = {}};
  if (!*failed) return line;
  const Json& error = Member(json, "error");
  line.failure_code = TextOf(Member(error, "code"));
  if (line.failure_code.empty()) line.failure_code = "unknown";
  line.message = TextOf(Member(error, "message"));
  return line;
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Whether a line that is no whole one of ours may have been one.
bool MayBeOurs(std::string_view text, const Json& json) {
  if (json.is_discarded()) {
    return Has(text, "batch_req_") || (Has(text, "\"custom_id\"") && Has(text, "\"response\"")) ||
           Has(text, "\"chatcmpl_") ||
           text.find_first_not_of('\0') == text.npos;  // what a file system leaves of a lost block
  }
  // Another program's answer is whole, but has an id that we did not give.
  return json.is_object() && json.contains("custom_id") &&
         (json.contains("response") || json.contains("error")) && !HasFailed(json);
}

bool IsBegin(std::string_view text) {
  const size_t common = std::min(text.size(), kBegin.size());
  return text.substr(0, common) == kBegin.substr(0, common);
}

}  // namespace

JudgedLine JudgeLine(std::string_view text, bool last) {
  if (text.find_first_not_of(" \t\r") == text.npos) return {LineState::kBlank};
  const Json json = Parse(text);
  if (std::optional<EarlierLine> line = FromJson(json)) return {LineState::kWhole, line};
  if (last && json.is_discarded() && IsBegin(text)) return {LineState::kTorn};
  return {MayBeOurs(text, json) ? LineState::kDamaged : LineState::kForeign};
}

std::vector<WholePiece> WholeLinesIn(std::string_view damaged) {
  std::vector<WholePiece> pieces;
  for (size_t begin = damaged.find(kBegin); begin != damaged.npos;) {
    const size_t next = damaged.find(kBegin, begin + 1);
    const std::string_view part = damaged.substr(begin, next == damaged.npos ? next : next - begin);
    const size_t bytes = part.rfind('}') + 1;  // 0 if there is none
    if (const auto line = FromJson(Parse(part.substr(0, bytes)))) {
      pieces.push_back({begin, bytes, *line});
    }
    begin = next;
  }
  return pieces;
}

}  // namespace cedar
