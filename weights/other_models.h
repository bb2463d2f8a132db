#ifndef CEDAR_WEIGHTS_OTHER_MODELS_H_
#define CEDAR_WEIGHTS_OTHER_MODELS_H_

// Recognises what is not DeepSeek-V4.1-Flash as released, and calls it by its name: another model,
// or this one in another quantisation. Without this the user would read of a missing key or a wrong
// shape.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cedar {

// config: the root of a config.json; `file` is its name in errors. Throws Error (kModel) for the
// model_type of another model, and for a quantization_config that is neither the release's nor one
// that checkpoint.md lets be (FP8 experts, everything BF16). A key that is absent says nothing.
void RefuseOtherModels(const nlohmann::json& config, const std::string& file);

// The quantisation that has tensors of such a name, or "" if this one is ours. For checkpoints
// whose config.json does not say it.
std::string_view OtherQuantisationOf(std::string_view tensor);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_OTHER_MODELS_H_
