#include "app/code_points.h"

#include <cstdint>

namespace cedar {

std::u32string CodePoints(std::string_view text) {
  std::u32string codes;
  for (size_t i = 0; i < text.size();) {
    const uint8_t lead = static_cast<uint8_t>(text[i]);
    const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
    for (size_t k = 1; k < size && i + k < text.size(); ++k) {
      code = code << 6 | (static_cast<uint8_t>(text[i + k]) & 0x3Fu);
    }
    codes.push_back(code);
    i += size;
  }
  return codes;
}

}  // namespace cedar
