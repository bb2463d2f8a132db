#include "weights/byte_alphabet.h"

#include <array>

#include "weights/utf8.h"

namespace cedar {
namespace {

constexpr bool StandsForItself(int byte) {
  return (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
}

constexpr int kStandIns = 256 - 94 - 94;  // bytes that do not stand for themselves
constexpr char32_t kFirstStandIn = 0x100;

// The bytes of U+0100, U+0101, ...
constexpr std::array<uint8_t, kStandIns> StandInBytes() {
  std::array<uint8_t, kStandIns> bytes{};
  int count = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (!StandsForItself(byte)) bytes[count++] = static_cast<uint8_t>(byte);
  }
  return bytes;
}

constexpr std::array<uint8_t, kStandIns> kStandInBytes = StandInBytes();

std::optional<uint8_t> ByteOf(char32_t character) {
  if (character >= kFirstStandIn && character < kFirstStandIn + kStandIns) {
    return kStandInBytes[character - kFirstStandIn];
  }
  if (character < 256 && StandsForItself(static_cast<int>(character))) {
    return static_cast<uint8_t>(character);
  }
  return std::nullopt;
}

}  // namespace

std::string ByteCharacter(uint8_t byte) {
  char32_t character = byte;
  if (!StandsForItself(byte)) {
    character = kFirstStandIn;
    while (kStandInBytes[character - kFirstStandIn] != byte) ++character;
  }
  if (character < 0x80) return std::string(1, static_cast<char>(character));
  return {static_cast<char>(0xC0 | character >> 6), static_cast<char>(0x80 | (character & 0x3F))};
}

std::optional<std::string> BytesFromAlphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const Utf8Unit unit = FirstUtf8Unit(text);
    const std::optional<uint8_t> byte = ByteOf(unit.code_point);
    if (unit.kind != Utf8Kind::kValid || !byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
    text.remove_prefix(unit.length);
  }
  return bytes;
}

}  // namespace cedar
