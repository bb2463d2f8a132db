#include "weights/utf8.h"

namespace cedar {
namespace {

constexpr bool InRange(uint8_t byte, uint8_t low, uint8_t high) {
  return low <= byte && byte <= high;
}

// What the first byte of a multi-byte sequence says about the rest (Unicode, Table 3-7): only the
// second byte's range is special, which keeps overlong forms, surrogates and too large values out.
struct Lead {
  size_t length;  // 0: no sequence starts so
  uint8_t second_low;
  uint8_t second_high;
};

constexpr Lead LeadOf(uint8_t byte) {
  if (InRange(byte, 0xC2, 0xDF)) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (InRange(byte, 0xE1, 0xEF)) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (InRange(byte, 0xF1, 0xF3)) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Unit FirstUtf8Unit(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first < 0x80) return {Utf8Kind::kValid, 1, first};
  const Lead lead = LeadOf(first);
  if (lead.length == 0) return {Utf8Kind::kInvalid, 1, 0};
  char32_t code_point = first & (0x7F >> lead.length);
  for (size_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Utf8Kind::kIncomplete, i, 0};
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const bool fits =
        i == 1 ? InRange(byte, lead.second_low, lead.second_high) : InRange(byte, 0x80, 0xBF);
    if (!fits) return {Utf8Kind::kInvalid, i, 0};
    code_point = code_point << 6 | (byte & 0x3F);
  }
  return {Utf8Kind::kValid, lead.length, code_point};
}

std::optional<size_t> FirstInvalidUtf8(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    if (static_cast<uint8_t>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    const Utf8Unit unit = FirstUtf8Unit(bytes.substr(at));
    if (unit.kind != Utf8Kind::kValid) return at;
    at += unit.length;
  }
  return std::nullopt;
}

std::string RepairUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Unit unit = FirstUtf8Unit(bytes);
    text += unit.kind == Utf8Kind::kValid ? bytes.substr(0, unit.length) : kReplacementCharacter;
    bytes.remove_prefix(unit.length);
  }
  return text;
}

}  // namespace cedar
