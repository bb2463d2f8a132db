#ifndef CEDAR_WEIGHTS_BYTE_ALPHABET_H_
#define CEDAR_WEIGHTS_BYTE_ALPHABET_H_

// The alphabet in which a byte-level vocabulary is written: one printable character for each of the
// 256 byte values, so that tokens of any bytes can stand in a JSON file. Printable Latin-1 stands
// for itself; the other bytes, in order, are U+0100, U+0101, ... (a space is Ġ, a newline Ċ).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cedar {

// The character of a byte, in UTF-8.
std::string ByteCharacter(uint8_t byte);

// The bytes that `text` (valid UTF-8) spells; nothing if a character is not of the alphabet.
std::optional<std::string> BytesFromAlphabet(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_BYTE_ALPHABET_H_
