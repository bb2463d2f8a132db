#include "app/number_machine.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cedar {
namespace {

// The beginning of a number.
struct Prefix {
  bool negative = false, has_point = false;
  int digits = 0;    // in front of the point
  int decimals = 0;  // behind it
  Units value = 0;   // of all digits, without the point

  bool operator==(const Prefix&) const = default;
};

struct PrefixDigest {
  size_t operator()(const Prefix& prefix) const {
    size_t digest = static_cast<size_t>(prefix.value ^ prefix.value >> 64);
    for (const int part :
         {prefix.negative ? 1 : 0, prefix.has_point ? 1 : 0, prefix.digits, prefix.decimals}) {
      digest = (digest ^ static_cast<size_t>(part)) * 0x9e3779b97f4a7c15u;
    }
    return digest ^ digest >> 32;
  }
};

class NumberRun : public MachineRun {
 public:
  explicit NumberRun(const NumberLimits& limits) : limits_(limits) { Intern({}); }

  bool Accepts(State state) const override { return IsNumber(prefixes_[state]); }
  bool IsAlive() const { return LeadsToNumber({}); }

 protected:
  State Find(State state, uint8_t byte) override {
    const std::optional<Prefix> next = Behind(prefixes_[state], static_cast<char>(byte));
    return next && LeadsToNumber(*next) ? Intern(*next) : kDead;
  }

  size_t OwnBytes() const override {
    constexpr size_t kPlace = 48;  // in states_
    return prefixes_.size() * (2 * sizeof(Prefix) + kPlace);
  }

 private:
  State Intern(const Prefix& prefix) {
    const auto [at, is_new] = states_.try_emplace(prefix, static_cast<State>(prefixes_.size()));
    if (is_new) prefixes_.push_back(prefix);
    return at->second;
  }

  bool IsZero(const Prefix& prefix) const {
    return prefix.digits == 1 && prefix.value == 0 && !prefix.has_point;
  }

  // Digits that count as such in front of the point.
  int WholeDigits(const Prefix& prefix) const {
    const bool is_small = prefix.digits == 1 && prefix.value < PowerOfTen(prefix.decimals);
    return is_small ? 0 : prefix.digits;
  }

  // As numbers are written: nothing but a point comes behind a first zero.
  std::optional<Prefix> Behind(Prefix prefix, char next) const {
    if (next == '-') {
      if (prefix.negative || prefix.digits > 0) return std::nullopt;
      prefix.negative = true;
      return prefix;
    }
    if (next == '.') {
      if (prefix.has_point || prefix.digits == 0) return std::nullopt;
      prefix.has_point = true;
      return prefix;
    }
    if (next < '0' || next > '9' || IsZero(prefix)) return std::nullopt;
    prefix.value = prefix.value * 10 + (next - '0');
    ++(prefix.has_point ? prefix.decimals : prefix.digits);
    const bool fits = prefix.digits <= limits_.whole_digits() &&
                      prefix.decimals <= limits_.DecimalsBehind(WholeDigits(prefix));
    return fits ? std::optional(prefix) : std::nullopt;
  }

  // Whether a number with this sign is allowed, of size first to last and a multiple of `step`.
  bool Allows(const Prefix& prefix, Units first, Units last, Units step) const {
    if (!prefix.negative) return limits_.AllowsOneOf(first, last, step);
    return limits_.AllowsOneOf(-last, first == 0 ? -1 : -first, step);  // there is no -0
  }

  bool IsNumber(const Prefix& prefix) const {
    if (prefix.digits == 0 || (prefix.has_point && prefix.decimals == 0)) return false;
    const Units value = prefix.value * PowerOfTen(limits_.decimals() - prefix.decimals);
    return Allows(prefix, value, value, 1);
  }

  // Numbers that begin so: for a number of digits in front of the point, they lie next to each
  // other.
  bool LeadsToNumber(const Prefix& prefix) const {
    if (prefix.digits == 0) {
      for (const char next : std::string_view(prefix.negative ? "0123456789" : "0123456789-")) {
        if (LeadsToNumber(*Behind(prefix, next))) return true;
      }
      return false;
    }
    if (prefix.has_point) return LeadsToDecimals(prefix);
    if (LeadsToDecimals(prefix) || IsNumber(prefix)) return true;
    if (IsZero(prefix)) return false;
    Units first = prefix.value * PowerOfTen(limits_.decimals());
    Units behind = (prefix.value + 1) * PowerOfTen(limits_.decimals());
    for (int digits = prefix.digits + 1; digits <= limits_.whole_digits(); ++digits) {
      first *= 10;
      behind *= 10;
      if (Allows(prefix, first, behind - 1, StepOf(digits))) return true;
    }
    return false;
  }

  // The last decimal that a number of so many digits in front of the point can have.
  Units StepOf(int digits) const {
    return PowerOfTen(limits_.decimals() - limits_.DecimalsBehind(digits));
  }

  bool LeadsToDecimals(const Prefix& prefix) const {
    const int digits = WholeDigits(prefix);
    if (limits_.DecimalsBehind(digits) == 0) return false;
    const Units size = PowerOfTen(limits_.decimals() - prefix.decimals);
    const Units first = prefix.value * size;
    return Allows(prefix, first, first + size - 1, StepOf(digits));
  }

  const NumberLimits& limits_;
  std::unordered_map<Prefix, State, PrefixDigest> states_;
  std::vector<Prefix> prefixes_;  // by state
};

}  // namespace

bool NumberMachine::HasTexts() const { return NumberRun(limits_).IsAlive(); }

std::unique_ptr<MachineRun> NumberMachine::NewRun() const {
  return std::make_unique<NumberRun>(limits_);
}

}  // namespace cedar
