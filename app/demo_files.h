#ifndef CEDAR_APP_DEMO_FILES_H_
#define CEDAR_APP_DEMO_FILES_H_

// The demo model, which lies inside the program: a trained checkpoint of 2.6 MB in the released
// layout (config.json, tokenizer.json, model.safetensors).

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

namespace cedar {

// Name -> bytes, as ModelFiles::InMemory takes them. Every file begins at a multiple of 64 bytes
// and lives as long as the program.
std::map<std::string, std::span<const uint8_t>, std::less<>> DemoFiles();

}  // namespace cedar

#endif  // CEDAR_APP_DEMO_FILES_H_
