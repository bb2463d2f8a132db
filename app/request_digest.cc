#include "app/request_digest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "app/batch_line.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Members = std::vector<std::pair<std::string_view, const Json*>>;

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What acts on no answer, in a line or its body.
constexpr std::string_view kNoEffect[] = {"user", "metadata", "store", "service_tier"};
// Of the full form of a line; a custom_id names it, a method is always POST.
constexpr std::string_view kEnvelope[] = {"custom_id", "method", "url", "body"};
// Whose value is a schema or other text of the client's own, where null is a value.
constexpr std::string_view kVerbatim[] = {"parameters", "schema",      "json",
                                          "arguments",  "guided_json", "input_schema"};

class Canonical {
 public:
  void Add(const Json& value, bool verbatim) {
    switch (value.type()) {
      case Json::value_t::object:
        return AddObject(value, verbatim);
      case Json::value_t::array:
        Text("[");
        for (const Json& element : value) Add(element, verbatim);
        return Text("]");
      case Json::value_t::string: {
        const auto& text = value.get_ref<const std::string&>();
        return Sized('"', text);
      }
      case Json::value_t::number_float:
        return Real(value.get<double>());
      default:
        return Sized('#', value.dump());
    }
  }

  void AddMembers(Members members, bool verbatim) {
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Text("{");
    for (const auto& [name, value] : members) {
      if (value->is_null() && !verbatim) continue;
      Sized('"', name);
      Add(*value, verbatim || IsOneOf(name, kVerbatim));
    }
    Text("}");
  }

  uint64_t digest() const { return digest_; }

 private:
  void AddObject(const Json& object, bool verbatim) {
    Members members;
    for (const auto& [name, value] : object.items()) members.emplace_back(name, &value);
    AddMembers(std::move(members), verbatim);
  }

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

bool IsUrlOf(const Json& url, std::string_view end) {
  return url.is_string() && std::string_view(url.get_ref<const std::string&>()).ends_with(end);
}

// The members of a line or a body, but for those that act on nothing.
Members Acting(const Json& object, bool line) {
  Members members;
  for (const auto& [name, value] : object.items()) {
    if (IsOneOf(name, kNoEffect) || (line && IsOneOf(name, kEnvelope))) continue;
    members.emplace_back(name, &value);
  }
  return members;
}

}  // namespace

const Json& BodyOf(const Json& line) {
  const auto body = line.is_object() ? line.find("body") : line.end();
  return body != line.end() && body->is_object() ? *body : line;
}

bool IsCompletion(const Json& line) {
  const auto url = line.is_object() ? line.find("url") : line.end();
  return url != line.end() && IsUrlOf(*url, "/completions") && !IsUrlOf(*url, "/chat/completions");
}

uint64_t RequestDigest(const Json& line) {
  Canonical canonical;
  if (!line.is_object()) {
    canonical.Add(line, /*verbatim=*/false);
    return canonical.digest();
  }
  const auto url = line.find("url");
  if (IsCompletion(line)) {
    canonical.Add("completion", false);
  } else if (url != line.end() && !url->is_null() && !IsUrlOf(*url, "/chat/completions")) {
    canonical.Add(*url, false);
  }
  const Json& body = BodyOf(line);
  const bool full = &body != &line;
  canonical.AddMembers(Acting(body, /*line=*/!full), false);
  canonical.AddMembers(full ? Acting(line, /*line=*/true) : Members(), false);
  // A body that is none, and a method that is not the usual one: errors of the line.
  for (const char* name : {"body", "method"}) {
    const auto member = line.find(name);
    if (member == line.end() || member->is_null() || &*member == &body) continue;
    if (*member != "POST") canonical.Add(*member, false);
  }
  return canonical.digest();
}

}  // namespace cedar
