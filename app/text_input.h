#ifndef CEDAR_APP_TEXT_INPUT_H_
#define CEDAR_APP_TEXT_INPUT_H_

// Reads what people feed in. Every function throws Error (kInput) that names the source.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simd/error.h"

namespace cedar {

inline constexpr std::string_view kStandardInput = "standard input";

// All bytes of a file, or of standard input.
std::string ReadFile(const std::string& path);
std::string ReadStandardInput();

// Error that names the first offending byte and its offset, unless `text` is UTF-8.
void CheckUtf8(std::string_view text, std::string_view source);

// What `encode` returns; where it finds fault with the text, the Error names its source.
template <typename Encode>
auto EncodeNaming(std::string_view source, const Encode& encode) {
  try {
    return encode();
  } catch (const Error& error) {
    constexpr std::string_view kText = "text: ";  // as the tokenizer calls it
    const std::string what = error.what();
    if (!what.starts_with(kText)) throw;
    throw Error(error.kind(), std::string(source) + ": " + what.substr(kText.size()));
  }
}

// White-space separated ids, at least one, each from 0 to `vocab` - 1.
std::vector<int32_t> ParseIds(std::string_view text, std::string_view source, size_t vocab);

}  // namespace cedar

#endif  // CEDAR_APP_TEXT_INPUT_H_
