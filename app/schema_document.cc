#include "app/schema_document.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// %XX as the byte that it stands for.
std::string Unquote(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      plain += static_cast<char>(value);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// ~1 and ~0 of a JSON pointer as what they stand for.
std::string Untilde(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '~' && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1')) {
      plain += text[++i] == '0' ? '~' : '/';
    } else {
      plain += text[i];
    }
  }
  return plain;
}

const Json* Part(const Json& whole, const std::string& name) {
  if (whole.is_object()) {
    const auto found = whole.find(name);
    return found == whole.end() ? nullptr : &*found;
  }
  if (!whole.is_array()) return nullptr;
  size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, index);
  return error == std::errc() && stop == end && index < whole.size() ? &whole[index] : nullptr;
}

// The $id (`id` in draft 4) with which a part is a document of its own.
std::optional<std::string> OwnId(const Json& part) {
  if (!part.is_object()) return std::nullopt;
  for (const char* key : {"$id", "id"}) {
    const auto found = part.find(key);
    if (found != part.end() && found->is_string() &&
        !found->get_ref<const std::string&>().starts_with("#")) {
      return found->get<std::string>();
    }
  }
  return std::nullopt;
}

}  // namespace

std::string PathPart(std::string_view name) {
  std::string part = "/";
  for (const char c : name) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

SchemaDocument::SchemaDocument(const Json& root) : root_(root) {
  At(root, "#");
  Add(false, "#");
  FindDraft();
}

void SchemaDocument::FindDraft() {
  if (!root_.is_object() || !root_.contains("$schema")) return;
  const Json& name = root_["$schema"];
  if (!name.is_string()) Fail(kRoot, "$schema: found " + name.dump() + ", expected a text");
  constexpr std::array<std::pair<std::string_view, int>, 6> kDrafts = {{{"draft-03", 3},
                                                                        {"draft-04", 4},
                                                                        {"draft-06", 6},
                                                                        {"draft-07", 7},
                                                                        {"2019-09", 2019},
                                                                        {"2020-12", 2020}}};
  for (const auto& [part, draft] : kDrafts) {
    if (name.get_ref<const std::string&>().find(part) != std::string::npos) draft_ = draft;
  }
  if (draft_ == 3) Fail(kRoot, "$schema: draft 3 is not supported");
}

void SchemaDocument::Fail(SchemaPlace place, const std::string& what) const {
  throw Error(ErrorKind::kInput, "JSON schema, " + PathOf(place) + ": " + what);
}

SchemaPlace SchemaDocument::At(const Json& schema, const std::string& path) {
  const auto [known, is_new] = places_.emplace(&schema, static_cast<SchemaPlace>(schemas_.size()));
  if (is_new) schemas_.push_back({&schema, path});
  return known->second;
}

SchemaPlace SchemaDocument::Add(Json schema, std::string path) {
  return At(added_.emplace_back(std::move(schema)), path);
}

SchemaPlace SchemaDocument::Within(SchemaPlace place, std::string_view key) {
  return At(SchemaOf(place).at(std::string(key)), PathOf(place) + PathPart(key));
}

SchemaPlace SchemaDocument::Within(SchemaPlace place, std::string_view key, const Json& part,
                                   std::string_view name) {
  return At(part, PathOf(place) + PathPart(key) + PathPart(name));
}

SchemaPlace SchemaDocument::Target(SchemaPlace place) {
  const Json& ref = SchemaOf(place).at("$ref");
  if (!ref.is_string()) Fail(place, "$ref: found " + ref.dump() + ", expected a text");
  const std::string name = WithoutBase(ref);
  if (!name.empty() && name[0] != '#') {
    Fail(place, "$ref " + ref.dump() + ": expected a place within the document (#/...)");
  }
  const std::string pointer = Unquote(std::string_view(name).substr(name.empty() ? 0 : 1));
  if (pointer.empty()) return kRoot;
  if (pointer[0] == '/') return ByPointer(place, pointer);
  const Json* const found = FindAnchor(root_, pointer);
  if (found == nullptr) Fail(place, "$ref " + ref.dump() + ": there is no such $anchor");
  return At(*found, "#" + pointer);
}

// A reference without the name of this document before the #.
std::string SchemaDocument::WithoutBase(const std::string& ref) const {
  const std::optional<std::string> id = OwnId(root_);
  if (!id || ref.starts_with('#')) return ref;
  const std::string base = id->substr(0, id->find('#'));
  const std::string document = ref.substr(0, ref.find('#'));
  const bool is_ours = document == base || document == base.substr(base.rfind('/') + 1);
  return is_ours ? ref.substr(document.size()) : ref;
}

SchemaPlace SchemaDocument::ByPointer(SchemaPlace from, const std::string& pointer) {
  const Json* part = &root_;
  std::string path = "#";
  for (size_t at = 0; at != pointer.npos;) {
    const size_t end = pointer.find('/', at + 1);
    const std::string name =
        Untilde(pointer.substr(at + 1, end == pointer.npos ? end : end - at - 1));
    path += PathPart(name);
    part = Part(*part, name);
    if (part == nullptr) Fail(from, "$ref \"#" + pointer + "\": there is no such place");
    // References below it would start from there.
    if (OwnId(*part)) Fail(from, "$ref \"#" + pointer + "\": $id at " + path + " is not supported");
    at = end;
  }
  return At(*part, path);
}

bool SchemaDocument::IsReferredTo(const std::string& name) {
  if (!referred_) {
    referred_.emplace();
    FindReferred(root_);
  }
  return referred_->contains(name);
}

void SchemaDocument::FindReferred(const Json& part) {
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) {
    FindReferred(value);
    if (!part.is_object() || key != "$ref" || !value.is_string()) continue;
    const std::string pointer = Unquote(value.get_ref<const std::string&>());
    for (size_t at = pointer.find('/'); at != pointer.npos;) {
      const size_t end = pointer.find('/', at + 1);
      referred_->insert(Untilde(pointer.substr(at + 1, end == pointer.npos ? end : end - at - 1)));
      at = end;
    }
  }
}

// In what schemas hold: not in values, nor in documents of their own.
const Json* SchemaDocument::FindAnchor(const Json& part, const std::string& name) const {
  if (part.is_object()) {
    if (&part != &root_ && OwnId(part)) return nullptr;
    for (const char* key : {"$anchor", "$id", "id"}) {
      const auto found = part.find(key);
      if (found == part.end() || !found->is_string()) continue;
      if (*found == (key == std::string_view("$anchor") ? name : "#" + name)) return &part;
    }
  }
  if (!part.is_structured()) return nullptr;
  for (const auto& [key, value] : part.items()) {
    if (key == "const" || key == "enum" || key == "default" || key == "examples") continue;
    if (const Json* const found = FindAnchor(value, name)) return found;
  }
  return nullptr;
}

}  // namespace cedar
