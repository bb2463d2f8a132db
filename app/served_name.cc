#include "app/served_name.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace cedar {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Behind the last slash; of a folder of the hub's cache, models--ORG--NAME, the name.
std::string LastPart(std::string text) {
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  text.erase(0, text.rfind('/') + 1);
  constexpr std::string_view kHub = "models--", kBetween = "--";
  if (text.starts_with(kHub)) text.erase(0, text.rfind(kBetween) + kBetween.size());
  return text;
}

}  // namespace

ServedName::ServedName(std::string model) : model_(std::move(model)) {
  // As the release is called, whatever its folder is.
  names_ = {"deepseek-v4.1-flash", Lower(LastPart(model_))};
  std::error_code ignored;  // a path that cannot be followed has no other names
  const std::filesystem::path full = std::filesystem::weakly_canonical(model_, ignored);
  for (const std::filesystem::path& part : full) names_.push_back(Lower(LastPart(part.string())));
}

bool ServedName::IsOurs(const std::string& asked) const {
  return std::find(names_.begin(), names_.end(), Lower(LastPart(asked))) != names_.end();
}

std::optional<std::string> ServedName::Warn(const std::string& asked) {
  if (warned_ || asked.empty() || IsOurs(asked)) return std::nullopt;
  warned_ = true;
  return "warning: a line asks for the model \"" + asked + "\", and " + model_ +
         " answers it, and all others that ask for another model";
}

}  // namespace cedar
