#include "weights/stream_decoder.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/weights/tokenizer_data.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

// Tokens are single bytes: id = byte.
const Tokenizer& ByteTokenizer() {
  static const Tokenizer tokenizer(SmallTokenizerJson({}, {}), "file");
  return tokenizer;
}

TEST(StreamDecoder, HoldsACodePointBackUntilItIsWhole) {
  StreamDecoder decoder(ByteTokenizer());
  EXPECT_EQ(decoder.Push('a'), "a");
  EXPECT_EQ(decoder.Push(0xE2), "");
  EXPECT_EQ(decoder.Push(0x82), "");
  EXPECT_EQ(decoder.Push(0xAC), "€");
  EXPECT_EQ(decoder.Finish(), "");
}

TEST(StreamDecoder, InvalidBytesComeOutAsSoonAsThatIsCertain) {
  StreamDecoder decoder(ByteTokenizer());
  EXPECT_EQ(decoder.Push(0xFF), "\uFFFD");
  EXPECT_EQ(decoder.Push(0xF0), "");
  EXPECT_EQ(decoder.Push(0x9F), "");
  EXPECT_EQ(decoder.Push('x'), "\uFFFDx");
  EXPECT_EQ(decoder.Push(0xED), "");
  EXPECT_EQ(decoder.Push(0xA0), "\uFFFD\uFFFD");  // a surrogate, and a stray byte
}

TEST(StreamDecoder, FinishFlushesAndStartsAfresh) {
  StreamDecoder decoder(ByteTokenizer());
  decoder.Push(0xE2);
  decoder.Push(0x82);
  EXPECT_EQ(decoder.Finish(), "\uFFFD");
  EXPECT_EQ(decoder.Finish(), "");
  EXPECT_EQ(decoder.Push(0xAC), "\uFFFD");
}

TEST(StreamDecoder, ControlTokensAreTheirText) {
  StreamDecoder decoder(RealTokenizer());
  EXPECT_EQ(decoder.Push(128803), "<｜User｜>");
}

// However tokens cut the bytes, the parts are valid UTF-8 and make the repaired whole.
TEST(StreamDecoder, RandomTokens) {
  std::mt19937 random(3);
  for (const Tokenizer* tokenizer : {&ByteTokenizer(), &DemoTokenizer(), &RealTokenizer()}) {
    for (int round = 0; round < 300; ++round) {
      std::vector<int32_t> ids(random() % 30);
      for (int32_t& id : ids) id = static_cast<int32_t>(random() % tokenizer->size());
      StreamDecoder decoder(*tokenizer);
      std::string text;
      for (const int32_t id : ids) {
        const std::string part = decoder.Push(id);
        ASSERT_EQ(FirstInvalidUtf8(part), std::nullopt);
        text += part;
      }
      text += decoder.Finish();
      ASSERT_EQ(text, RepairUtf8(tokenizer->Decode(ids)));
    }
  }
}

}  // namespace
}  // namespace cedar
