#include "app/line_id.h"

#include <charconv>
#include <cstdio>

namespace cedar {
namespace {

constexpr std::string_view kPrefix = "batch_req_";
constexpr std::string_view kCut = "_c";
constexpr size_t kDigits = 16;  // of the digest

std::string DigestText(uint64_t digest) {
  char text[kDigits + 1];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

template <typename Number>
bool Parse(std::string_view text, int base, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string LineId::id() const {
  std::string text = std::string(kPrefix) + DigestText(digest);
  if (!settings.empty()) text += "_" + settings;
  if (cut) text += kCut;
  return text + "_" + std::to_string(occurrence);
}

std::string LineId::suffix() const {
  return "_" + DigestText(digest) + "_" + std::to_string(occurrence);
}

std::optional<LineId> ParseLineId(std::string_view id, const std::string& custom_id) {
  if (!id.starts_with(kPrefix)) return std::nullopt;
  id.remove_prefix(kPrefix.size());
  LineId line{.custom_id = custom_id};
  const size_t last = id.rfind('_');
  if (last == id.npos || last < kDigits || !Parse(id.substr(0, kDigits), 16, line.digest) ||
      !Parse(id.substr(last + 1), 10, line.occurrence)) {
    return std::nullopt;
  }
  std::string_view middle = id.substr(kDigits, last - kDigits);
  if (middle.ends_with(kCut)) {
    line.cut = true;
    middle.remove_suffix(kCut.size());
  }
  if (!middle.empty() && !middle.starts_with('_')) return std::nullopt;
  if (!middle.empty()) line.settings = middle.substr(1);
  return line;
}

}  // namespace cedar
