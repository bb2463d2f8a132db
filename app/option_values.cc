#include "app/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "app/options.h"
#include "simd/error.h"

namespace cedar {
namespace {

[[noreturn]] void Fail(const std::string& option, std::string_view found,
                       const std::string& expected) {
  throw Error(ErrorKind::kUsage,
              option + ": found \"" + std::string(found) + "\", expected " + expected);
}

// Whether `text` is one number and nothing else.
template <typename Number>
bool ParseWhole(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

std::string Shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

uint64_t ParseCount(const std::string& option, std::string_view text, uint64_t least,
                    uint64_t most) {
  uint64_t value = 0;
  if (!ParseWhole(text, value) || value < least || value > most) {
    Fail(option, text,
         "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::vector<size_t> ParseCounts(const std::string& option, std::string_view text, uint64_t least,
                                uint64_t most) {
  std::vector<size_t> counts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    counts.push_back(ParseCount(option, text.substr(begin, end - begin), least, most));
    begin = end + 1;
  }
  return counts;
}

bool RealRange::Contains(double value) const {
  return std::isfinite(value) && (open ? value > least : value >= least) && value <= most;
}

std::string RealRange::Text() const {
  return "a number " + std::string(open ? "above " : "from ") + Shortest(least) +
         (open ? ", at most " : " to ") + Shortest(most);
}

double ParseReal(const std::string& option, std::string_view text, const RealRange& range) {
  double value = 0;
  if (!ParseWhole(text, value) || !range.Contains(value)) Fail(option, text, range.Text());
  return value;
}

int ParseEffort(const std::string& option, std::string_view text) {
  if (text == "low") return kLowEffort;
  if (text == "high") return kHighEffort;
  if (text == "max") return kMaxEffort;
  int value = 0;
  if (!ParseWhole(text, value) || value < kLeastEffort || value > kMaxEffort) {
    Fail(option, text, "low, high, max or a whole number from 1 to 100");
  }
  return value;
}

size_t ParseBytes(const std::string& option, std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  size_t shift = 0;
  if (const size_t unit = kUnits.find(text.empty() ? '?' : text.back()); unit != kUnits.npos) {
    digits.remove_suffix(1);
    shift = 10 * (unit + 1);
  }
  double value = 0;
  // No sign and no exponent; and no part of a byte.
  const bool plain =
      digits.find_first_not_of(shift > 0 ? "0123456789." : "0123456789") == text.npos;
  const bool whole = plain && ParseWhole(digits, value);
  const double bytes = std::ldexp(value, static_cast<int>(shift));
  if (!whole || bytes < 1 || bytes >= 0x1p63) {
    Fail(option, text, "a number of bytes above 0, such as 800000000, 4G or 1.5G");
  }
  return static_cast<size_t>(bytes);
}

Reuse ParseReuse(const std::string& option, std::string_view text) {
  if (text == "exact") return Reuse::kExact;
  if (text == "global") return Reuse::kGlobal;
  if (text == "off") return Reuse::kOff;
  Fail(option, text, "exact, global or off");
}

Replay ParseReplayOption(const std::string& option, std::string_view text) {
  const auto replay = ParseReplay(text);
  if (!replay) Fail(option, text, "bounded, exact or full");
  return *replay;
}

Numerics ParseNumericsOption(const std::string& option, std::string_view text) {
  const auto numerics = ParseNumerics(text);
  if (!numerics) Fail(option, text, "reference or int8");
  return *numerics;
}

WeightPlace ParseWeightPlace(const std::string& option, std::string_view text) {
  if (text == "mmap") return WeightPlace::kMapped;
  if (text == "hugepages") return WeightPlace::kHugePages;
  Fail(option, text, "mmap or hugepages");
}

Isa ParseIsaOption(const std::string& option, std::string_view text) {
  const auto isa = ParseIsa(text);
  const std::vector<Isa> available = AvailableIsas();
  if (isa && std::find(available.begin(), available.end(), *isa) != available.end()) return *isa;
  std::string names;
  for (const Isa each : available)
    names += (names.empty() ? "" : ", ") + std::string(IsaName(each));
  Fail(option, text, "one that this CPU has: " + names);
}

}  // namespace cedar
