#include "engine/numerics.h"

namespace cedar {

std::string_view NumericsName(Numerics numerics) {
  return numerics == Numerics::kInt8 ? "int8" : "reference";
}

std::optional<Numerics> ParseNumerics(std::string_view name) {
  for (const Numerics numerics : {Numerics::kReference, Numerics::kInt8}) {
    if (name == NumericsName(numerics)) return numerics;
  }
  return std::nullopt;
}

}  // namespace cedar
