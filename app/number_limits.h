#ifndef CEDAR_APP_NUMBER_LIMITS_H_
#define CEDAR_APP_NUMBER_LIMITS_H_

// What a rule of numbers allows, in whole units: an integer in ones, another number in its last
// decimal place.

#include <cstdint>
#include <vector>

#include "app/number_grammar.h"

namespace cedar {

// Of 36 digits and a sign at most.
using Units = __int128;

inline constexpr int kMostUnitDigits = 36;

Units PowerOfTen(int exponent);

class NumberLimits {
 public:
  // Throws Error as NumberGrammar.
  explicit NumberLimits(const NumberRule& rule);

  int decimals() const { return decimals_; }          // of a unit
  int whole_digits() const { return whole_digits_; }  // at most, in front of the point
  // Behind the point at most, if so many digits stand in front of it (0: a zero).
  int DecimalsBehind(int digits) const;

  // Of the multiples of `step` from first to last, one that the rule allows.
  bool AllowsOneOf(Units first, Units last, Units step) const;

 private:
  void Raise(const nlohmann::ordered_json& limit, bool exclusive);
  void Lower(const nlohmann::ordered_json& limit, bool exclusive);
  // As doubles compare and divide.
  bool Passes(Units value) const;
  double AsDouble(Units value) const;

  struct RealLimit {
    double value;
    bool exclusive;
  };

  int decimals_ = 0;
  int whole_digits_ = 0;
  int significant_ = 0;  // digits of a number with a point
  Units least_, most_, multiple_;
  std::vector<RealLimit> at_least_, at_most_;
  std::vector<double> divisors_;
};

}  // namespace cedar

#endif  // CEDAR_APP_NUMBER_LIMITS_H_
