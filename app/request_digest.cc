#include "app/request_digest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/batch_line.h"
#include "app/field_names.h"
#include "app/request_url.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Members = std::vector<std::pair<std::string_view, const Json*>>;

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of the full form of a line; a custom_id names it, a method is always POST.
constexpr std::string_view kEnvelope[] = {"custom_id", "method", "url", "body"};
// Whose value is a schema or other text of the client's own, where null is a value.
constexpr std::string_view kVerbatim[] = {"parameters", "schema",      "json",
                                          "arguments",  "guided_json", "input_schema"};

// Where a value stands: what acts on no answer is known by its place.
enum class Place { kBody, kMessage, kPart, kCall, kTool, kFunction, kElsewhere, kVerbatim };

bool HasNoEffect(std::string_view name, Place place) {
  const auto in = [&](std::span<const FieldName> fields) {
    return std::any_of(fields.begin(), fields.end(), [&](const FieldName& field) {
      return field.name == name && field.kind == FieldKind::kNoEffect;
    });
  };
  switch (place) {
    case Place::kBody:
      return in(BodyFields()) || in(ChatFields()) || in(CompletionFields());
    case Place::kMessage:
      return in(MessageFields());
    case Place::kPart:
      return in(PartFields());
    case Place::kCall:
      return in(CallFields());
    case Place::kTool:
      return in(ToolFields());
    case Place::kFunction:
      return in(FunctionFields());
    default:
      return false;
  }
}

// Where the value of a member stands, or the elements of its list.
Place PlaceOf(std::string_view name, Place place) {
  if (place == Place::kVerbatim || IsOneOf(name, kVerbatim)) return Place::kVerbatim;
  if (place == Place::kBody && name == "messages") return Place::kMessage;
  if (place == Place::kMessage && name == "content") return Place::kPart;
  if (place == Place::kMessage && name == "tool_calls") return Place::kCall;
  const bool may_have_tools = place == Place::kBody || place == Place::kMessage;
  if (may_have_tools && name == "tools") return Place::kTool;
  const bool may_have_function = place == Place::kCall || place == Place::kTool;
  return may_have_function && name == "function" ? Place::kFunction : Place::kElsewhere;
}

class Canonical {
 public:
  void Add(const Json& value, Place place = Place::kElsewhere) {
    switch (value.type()) {
      case Json::value_t::object: {
        Members members;
        for (const auto& [name, member] : value.items()) members.emplace_back(name, &member);
        return AddMembers(std::move(members), place);
      }
      case Json::value_t::array:
        Text("[");
        for (const Json& element : value) Add(element, place);
        return Text("]");
      case Json::value_t::string:
        return Sized('"', value.get_ref<const std::string&>());
      case Json::value_t::number_float:
        return Real(value.get<double>());
      default:
        return Sized('#', value.dump());
    }
  }

  void AddMembers(Members members, Place place) {
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Text("{");
    for (const auto& [name, value] : members) {
      if (place != Place::kVerbatim && value->is_null()) continue;
      if (HasNoEffect(name, place)) continue;
      Sized('"', name);
      Add(*value, PlaceOf(name, place));
    }
    Text("}");
  }

  uint64_t digest() const { return digest_; }

 private:
  void Real(double value) {
    constexpr double kExact = 9007199254740992;  // beyond it a double has no fraction to lose
    char text[32];
    const auto end = value == std::trunc(value) && std::abs(value) <= kExact
                         ? std::to_chars(text, text + sizeof(text), static_cast<int64_t>(value))
                         : std::to_chars(text, text + sizeof(text), value);
    Sized('#', std::string_view(text, static_cast<size_t>(end.ptr - text)));
  }

  // No two sequences of values have one text.
  void Sized(char kind, std::string_view text) {
    Text(std::string(1, kind) + std::to_string(text.size()) + ":");
    Text(text);
  }
  void Text(std::string_view text) { digest_ = Digest(text, digest_); }

  uint64_t digest_ = Digest("");
};

std::optional<Endpoint> EndpointOfLine(const Json& line) {
  const auto url = line.is_object() ? line.find("url") : line.end();
  if (url == line.end() || url->is_null()) return Endpoint::kChat;
  return url->is_string() ? EndpointOf(url->get_ref<const std::string&>()) : std::nullopt;
}

// The members of a line but for those of the full form.
Members WithoutEnvelope(const Json& line) {
  Members members;
  for (const auto& [name, value] : line.items()) {
    if (!IsOneOf(name, kEnvelope)) members.emplace_back(name, &value);
  }
  return members;
}

}  // namespace

const Json& BodyOf(const Json& line) {
  const auto body = line.is_object() ? line.find("body") : line.end();
  return body != line.end() && body->is_object() ? *body : line;
}

bool IsCompletion(const Json& line) { return EndpointOfLine(line) == Endpoint::kCompletion; }

uint64_t RequestDigest(const Json& line) {
  Canonical canonical;
  if (!line.is_object()) {
    canonical.Add(line);
    return canonical.digest();
  }
  const std::optional<Endpoint> endpoint = EndpointOfLine(line);
  if (endpoint == Endpoint::kCompletion) canonical.Add("completion");
  if (!endpoint) canonical.Add(line.at("url"));
  const Json& body = BodyOf(line);
  if (&body != &line) canonical.Add(body, Place::kBody);
  canonical.AddMembers(WithoutEnvelope(line), Place::kBody);
  if (&body == &line) canonical.AddMembers({}, Place::kBody);
  // A body that is none, and a method that is not the usual one: errors of the line.
  for (const char* name : {"body", "method"}) {
    const auto member = line.find(name);
    if (member == line.end() || member->is_null() || &*member == &body) continue;
    if (*member != "POST") canonical.Add(*member);
  }
  return canonical.digest();
}

}  // namespace cedar
