#include "weights/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace cedar {
namespace {

TEST(ByteAlphabet, EveryByteHasItsOwnCharacter) {
  std::set<std::string> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string character = ByteCharacter(static_cast<uint8_t>(byte));
    characters.insert(character);
    EXPECT_EQ(BytesFromAlphabet(character), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(characters.size(), 256u);
}

TEST(ByteAlphabet, KnownCharacters) {
  EXPECT_EQ(ByteCharacter('A'), "A");
  EXPECT_EQ(ByteCharacter(' '), "Ġ");
  EXPECT_EQ(ByteCharacter('\n'), "Ċ");
  EXPECT_EQ(ByteCharacter('\0'), "Ā");
  EXPECT_EQ(ByteCharacter(0xA1), "¡");
  EXPECT_EQ(ByteCharacter(0xAD), "Ń");  // a soft hyphen, the last stand-in
  EXPECT_EQ(ByteCharacter(0xFF), "ÿ");
}

TEST(ByteAlphabet, OtherCharactersSpellNothing) {
  EXPECT_EQ(BytesFromAlphabet("Ġthe"), " the");
  EXPECT_EQ(BytesFromAlphabet(""), "");
  EXPECT_EQ(BytesFromAlphabet("a b"), std::nullopt);
  EXPECT_EQ(BytesFromAlphabet("\u0144"), std::nullopt);  // one behind the last stand-in
  EXPECT_EQ(BytesFromAlphabet("｜"), std::nullopt);
  EXPECT_EQ(BytesFromAlphabet("\u00AD"), std::nullopt);
}

}  // namespace
}  // namespace cedar
