#include "simd/quantities.h"

#include <cstdio>
#include <string_view>

namespace cedar {
namespace {

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// 12345 -> "12.3 k": three digits, below 1000 the whole number. `prefixes`: of 1000, 1000^2, ...
std::string FormatScaled(double value, std::string_view prefixes, const std::string& unit) {
  std::string suffix = unit;
  for (const char prefix : prefixes) {
    if (value < 999.5) break;
    value /= 1000;
    suffix = prefix + unit;
  }
  const bool whole = suffix == unit || value >= 99.95;
  const std::string number = Format(whole ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
  return suffix.empty() ? number : number + " " + suffix;
}

}  // namespace

std::string FormatBytes(double bytes) { return FormatScaled(bytes, "kMGTP", "B"); }
std::string FormatCount(double count) { return FormatScaled(count, "kMBT", ""); }

std::string FormatFixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

std::string BytesText(uint64_t bytes) {
  constexpr uint64_t kFew = 10000;
  if (bytes >= kFew) return FormatBytes(static_cast<double>(bytes));
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string ExcessText(uint64_t bytes, uint64_t most) {
  return BytesText(bytes) + ", " + BytesText(bytes - most) + " too many";
}

}  // namespace cedar
