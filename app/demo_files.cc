#include "app/demo_files.h"

// Defined in demo_files.S.
extern "C" {
extern const uint8_t cedar_demo_config_begin[], cedar_demo_config_end[];
extern const uint8_t cedar_demo_tokenizer_begin[], cedar_demo_tokenizer_end[];
extern const uint8_t cedar_demo_weights_begin[], cedar_demo_weights_end[];
}

namespace cedar {

std::map<std::string, std::span<const uint8_t>, std::less<>> DemoFiles() {
  return {{"config.json", {cedar_demo_config_begin, cedar_demo_config_end}},
          {"tokenizer.json", {cedar_demo_tokenizer_begin, cedar_demo_tokenizer_end}},
          {"model.safetensors", {cedar_demo_weights_begin, cedar_demo_weights_end}}};
}

}  // namespace cedar
