#ifndef CEDAR_ENGINE_NUMERICS_H_
#define CEDAR_ENGINE_NUMERICS_H_

// What activations become before they meet quantised weights (engine/README.md).

#include <optional>
#include <string_view>

namespace cedar {

enum class Numerics {
  kReference,  // FP8, as published
  kInt8,       // weights stored FP4, in the release the routed experts, see int8 with an fp32 scale
               // per 32 channels; all others are as in kReference
};

std::string_view NumericsName(Numerics numerics);  // "reference", "int8"
std::optional<Numerics> ParseNumerics(std::string_view name);

}  // namespace cedar

#endif  // CEDAR_ENGINE_NUMERICS_H_
