#ifndef CEDAR_APP_NUMBER_MACHINE_H_
#define CEDAR_APP_NUMBER_MACHINE_H_

#include "app/byte_machine.h"
#include "app/number_limits.h"

namespace cedar {

// Texts of the numbers that limits allow, digit by digit.
class NumberMachine : public ByteMachine {
 public:
  explicit NumberMachine(NumberLimits limits) : limits_(std::move(limits)) {}

  // Whether there is any number.
  bool HasTexts() const;

  std::unique_ptr<MachineRun> NewRun() const override;
  bool MayBeEmpty() const override { return false; }
  size_t bytes() const override { return sizeof(*this); }

 private:
  NumberLimits limits_;
};

}  // namespace cedar

#endif  // CEDAR_APP_NUMBER_MACHINE_H_
