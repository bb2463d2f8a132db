#include "app/number_limits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Digits of integers, and those that every double keeps apart.
constexpr int kWholeDigits = 18;
constexpr int kSignificant = 15, kMostSignificant = 17;
constexpr int kDecimals = 15, kMostDecimals = 18;
// From here on doubles are whole, and their shortest text is not exact.
constexpr double kWholeDoubles = 0x1p53;
// Integers beyond are read as doubles, and are not exact.
constexpr double kInexact = 0x1p63;

// Stands for all that are larger.
Units Largest() { return PowerOfTen(kMostUnitDigits); }

[[noreturn]] void Fail(const std::string& what) { throw Error(ErrorKind::kInput, what); }

// A number is digits * 10^-decimals.
struct Decimal {
  Units digits;
  int decimals;
};

Decimal DecimalOf(const Json& number) {
  if (number.is_number_unsigned()) return {number.get<uint64_t>(), 0};
  if (number.is_number_integer()) return {number.get<int64_t>(), 0};
  const double value = number;
  if (std::abs(value) >= kWholeDoubles) {
    const double bound = static_cast<double>(Largest());
    if (std::abs(value) >= bound) return {value < 0 ? -Largest() : Largest(), 0};
    return {static_cast<Units>(value), 0};
  }
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal out{0, 0};
  bool behind_point = false;
  const char* at = text;
  const bool negative = *at == '-';
  for (at += negative ? 1 : 0; *at != 'e'; ++at) {
    if (*at == '.') {
      behind_point = true;
      continue;
    }
    out.digits = out.digits * 10 + (*at - '0');
    out.decimals += behind_point ? 1 : 0;
  }
  at += at[1] == '+' ? 2 : 1;
  int exponent = 0;
  std::from_chars(at, end, exponent);
  out.decimals -= exponent;
  for (; out.decimals < 0; ++out.decimals) out.digits *= 10;
  for (; out.decimals > 0 && out.digits % 10 == 0; --out.decimals) out.digits /= 10;
  if (negative) out.digits = -out.digits;
  return out;
}

Units FloorDivided(Units a, Units b) { return a / b - (a % b < 0 ? 1 : 0); }

// The largest number of units, of so many decimals, that is no more than the number.
Units UnitsBelow(const Decimal& number, int decimals) {
  Units value = number.digits;
  for (int i = number.decimals; i < decimals; ++i) {
    if (value > Largest() / 10) return Largest();
    if (value < -Largest() / 10) return -Largest();
    value *= 10;
  }
  for (int i = decimals; i < number.decimals; ++i) value = FloorDivided(value, 10);
  return value;
}

Units GreatestDivisor(Units a, Units b) {
  while (b != 0) {
    const Units rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The least common multiple; what is larger than the largest is the largest.
Units CommonMultiple(Units a, Units b) {
  const Units factor = b / GreatestDivisor(a, b);
  return a > Largest() / factor ? Largest() : a * factor;
}

int DigitsOf(Units value) {
  int digits = 1;
  for (value = value < 0 ? -value : value; value >= 10; value /= 10) ++digits;
  return digits;
}

void CheckLimits(const char* name, const NumberRule::Limits& limits, bool positive = false) {
  for (const Json& limit : limits) {
    const bool is_right = limit.is_number() && (!positive || limit.get<double>() > 0);
    if (is_right) continue;
    Fail(std::string(name) + ": found " + limit.dump() + ", expected a number" +
         (positive ? " above 0" : ""));
  }
}

// The same number, or the next double inwards where an integer was not read exactly.
Json Inwards(const Json& limit, double towards) {
  if (!limit.is_number_float() || std::abs(limit.get<double>()) < kInexact) return limit;
  return std::nextafter(limit.get<double>(), towards);
}

int MostDecimals(const NumberRule::Limits& limits) {
  int most = 0;
  for (const Json& limit : limits) most = std::max(most, DecimalOf(limit).decimals);
  return most;
}

// Digits in front of the point that a limit, which must be passed, asks for.
int WholeDigits(const NumberRule& rule) {
  Units farthest = 0;
  for (const auto* limits : {&rule.minimum, &rule.exclusive_minimum}) {
    for (const Json& limit : *limits) {
      farthest = std::max(farthest, UnitsBelow(DecimalOf(limit), 0));
    }
  }
  for (const auto* limits : {&rule.maximum, &rule.exclusive_maximum}) {
    for (const Json& limit : *limits) {
      farthest = std::max(farthest, -UnitsBelow(DecimalOf(limit), 0));
    }
  }
  return std::clamp(DigitsOf(farthest) + 1, kWholeDigits, kMostUnitDigits);
}

bool HasLongLimit(const NumberRule& rule) {
  for (const auto* limits :
       {&rule.minimum, &rule.maximum, &rule.exclusive_minimum, &rule.exclusive_maximum}) {
    for (const Json& limit : *limits) {
      if (limit.is_number_float() && DigitsOf(DecimalOf(limit).digits) > kSignificant) return true;
    }
  }
  return false;
}

}  // namespace

Units PowerOfTen(int exponent) {
  Units power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

NumberLimits::NumberLimits(const NumberRule& rule) : multiple_(1) {
  CheckLimits("minimum", rule.minimum);
  CheckLimits("maximum", rule.maximum);
  CheckLimits("exclusiveMinimum", rule.exclusive_minimum);
  CheckLimits("exclusiveMaximum", rule.exclusive_maximum);
  CheckLimits("multipleOf", rule.multiple_of, true);

  whole_digits_ = WholeDigits(rule);
  const int of_multiples = MostDecimals(rule.multiple_of);
  if (of_multiples > kMostDecimals) {
    Fail("multipleOf: more than " + std::to_string(kMostDecimals) + " decimals are not supported");
  }
  // Integers are counted in the decimals of their multiples until these are known.
  decimals_ = rule.multiple_of.empty() && !rule.integer ? kDecimals : of_multiples;
  decimals_ = std::min(decimals_, kMostUnitDigits - whole_digits_);
  if (decimals_ < of_multiples) Fail("multipleOf has too many decimals for so large a limit");
  for (const Json& limit : rule.multiple_of) {
    multiple_ = CommonMultiple(multiple_, UnitsBelow(DecimalOf(limit), decimals_));
    if (limit.is_number_float()) divisors_.push_back(limit);
  }
  if (rule.integer) {
    multiple_ = CommonMultiple(multiple_, PowerOfTen(decimals_));
    if (multiple_ < Largest()) multiple_ /= PowerOfTen(decimals_);
    decimals_ = 0;
  }
  significant_ = HasLongLimit(rule) ? kMostSignificant : kSignificant;

  most_ = PowerOfTen(whole_digits_ + decimals_) - 1;
  least_ = -most_;
  for (const Json& limit : rule.minimum) Raise(limit, false);
  for (const Json& limit : rule.exclusive_minimum) Raise(limit, true);
  for (const Json& limit : rule.maximum) Lower(limit, false);
  for (const Json& limit : rule.exclusive_maximum) Lower(limit, true);
}

void NumberLimits::Raise(const Json& limit, bool exclusive) {
  at_least_.push_back({limit.get<double>(), exclusive});
  const Decimal number = DecimalOf(Inwards(limit, HUGE_VAL));
  const Units below = UnitsBelow(number, decimals_);
  const bool is_exact = number.decimals <= decimals_;
  least_ = std::max(least_, is_exact && !exclusive ? below : below + 1);
}

void NumberLimits::Lower(const Json& limit, bool exclusive) {
  at_most_.push_back({limit.get<double>(), exclusive});
  const Decimal number = DecimalOf(Inwards(limit, -HUGE_VAL));
  const Units below = UnitsBelow(number, decimals_);
  const bool is_exact = number.decimals <= decimals_;
  most_ = std::min(most_, is_exact && exclusive ? below - 1 : below);
}

int NumberLimits::DecimalsBehind(int digits) const {
  return std::clamp(significant_ - digits, 0, decimals_);
}

bool NumberLimits::AllowsOneOf(Units first, Units last, Units step) const {
  // Where doubles say no to a multiple they say yes to one nearby.
  constexpr int kMostTries = 64;
  first = std::max(first, least_);
  last = std::min(last, most_);
  const Units apart = CommonMultiple(step, multiple_);
  Units value = -FloorDivided(-first, apart) * apart;
  for (int i = 0; i < kMostTries && value <= last; ++i, value += apart) {
    if (Passes(value)) return true;
  }
  return false;
}

double NumberLimits::AsDouble(Units value) const {
  constexpr int kExactPower = 22;  // 10^22 is a double
  const Units size = value < 0 ? -value : value;
  if (size < static_cast<Units>(kWholeDoubles) && decimals_ <= kExactPower) {
    return static_cast<double>(value) / static_cast<double>(PowerOfTen(decimals_));
  }
  std::string text;
  for (Units left = size; left > 0; left /= 10) text += static_cast<char>('0' + left % 10);
  text += value < 0 ? "-" : "";
  std::reverse(text.begin(), text.end());
  text += "e-" + std::to_string(decimals_);
  return std::strtod(text.c_str(), nullptr);
}

bool NumberLimits::Passes(Units value) const {
  const bool is_whole = value % PowerOfTen(decimals_) == 0;  // those are compared exactly
  if (is_whole && divisors_.empty()) return true;
  const double real = AsDouble(value);
  for (const double divisor : divisors_) {
    const double quotient = real / divisor;
    if (!std::isfinite(quotient) || std::trunc(quotient) != quotient) return false;
  }
  if (is_whole) return true;
  for (const RealLimit& limit : at_least_) {
    if (limit.exclusive ? real <= limit.value : real < limit.value) return false;
  }
  for (const RealLimit& limit : at_most_) {
    if (limit.exclusive ? real >= limit.value : real > limit.value) return false;
  }
  return true;
}

}  // namespace cedar
