#include "weights/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "simd/error.h"
#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

using Ids = std::vector<int32_t>;

TEST(Tokenizer, EveryGoldenCase) {
  std::istringstream lines(ReadTokenizerData("golden.jsonl"));
  std::string line;
  int cases = 0;
  while (std::getline(lines, line)) {
    const auto golden = nlohmann::json::parse(line);
    const auto text = golden["text"].get<std::string>();
    const Ids ids = RealTokenizer().EncodeWithControl(text);
    EXPECT_EQ(ids, golden["ids"].get<Ids>()) << text;
    EXPECT_EQ(RealTokenizer().Decode(ids), text);
    ++cases;
  }
  EXPECT_EQ(cases, 254);
}

TEST(Tokenizer, TheReleaseHasItsTokens) {
  const Tokenizer& tokenizer = RealTokenizer();
  EXPECT_EQ(tokenizer.size(), 129280);
  EXPECT_EQ(tokenizer.FindControl("<｜begin▁of▁sentence｜>"), 0);
  EXPECT_EQ(tokenizer.FindControl("<｜end▁of▁sentence｜>"), 1);
  EXPECT_EQ(tokenizer.FindControl("<｜System｜>"), 128799);
  EXPECT_EQ(tokenizer.FindControl("</think>"), 128822);
  EXPECT_EQ(tokenizer.FindControl("the"), std::nullopt);  // a token, but of the vocabulary
  EXPECT_TRUE(tokenizer.IsControl(0));
  EXPECT_TRUE(tokenizer.IsControl(128822));
  EXPECT_FALSE(tokenizer.IsControl(671));
  EXPECT_EQ(tokenizer.TokenText(344), "Ġis");
  EXPECT_EQ(tokenizer.TokenBytes(344), " is");
  EXPECT_EQ(tokenizer.TokenText(128803), "<｜User｜>");
  EXPECT_EQ(tokenizer.TokenBytes(128803), "<｜User｜>");
}

TEST(Tokenizer, PlainTextNeverBecomesAControlToken) {
  for (const Tokenizer* tokenizer : {&RealTokenizer(), &DemoTokenizer()}) {
    std::string all;
    for (int32_t id = 0; id < tokenizer->size(); ++id) {
      if (tokenizer->IsControl(id)) all += tokenizer->TokenText(id);
    }
    const Ids plain = tokenizer->EncodePlain(all);
    for (const int32_t id : plain) ASSERT_FALSE(tokenizer->IsControl(id)) << id;
    EXPECT_EQ(tokenizer->Decode(plain), all);
    for (const int32_t id : tokenizer->EncodeWithControl(all)) {
      ASSERT_TRUE(tokenizer->IsControl(id)) << id;
    }
  }
}

TEST(Tokenizer, EveryControlTokenEncodesAsItself) {
  const Tokenizer& tokenizer = RealTokenizer();
  int controls = 0;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (!tokenizer.IsControl(id)) continue;
    ++controls;
    ASSERT_EQ(tokenizer.EncodeWithControl(tokenizer.TokenText(id)), Ids({id}));
  }
  EXPECT_EQ(controls, 1283);
}

TEST(Tokenizer, NothingGivesNothing) {
  EXPECT_EQ(RealTokenizer().EncodePlain(""), Ids());
  EXPECT_EQ(RealTokenizer().EncodeWithControl(""), Ids());
  EXPECT_EQ(RealTokenizer().Decode({}), "");
}

// Whatever code points a text holds, its ids decode to it.
TEST(Tokenizer, RandomTextComesBack) {
  std::mt19937 random(5);
  const auto append = [](std::string& text, uint32_t c) {
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else {
      if (c >= 0x10000) text += static_cast<char>(0xF0 | c >> 18);
      text += static_cast<char>(c < 0x10000 ? 0xE0 | c >> 12 : 0x80 | (c >> 12 & 63));
      text += {static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
    }
  };
  const uint32_t ends[] = {0x80, 0x80, 0x80, 0x250, 0x3100, 0xD800, 0x110000};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint32_t i = random() % 60; i > 0; --i) {
      const uint32_t c = random() % ends[random() % std::size(ends)];
      if (c < 0xD800 || c >= 0xE000) append(text, c);
    }
    for (const Tokenizer* tokenizer : {&RealTokenizer(), &DemoTokenizer()}) {
      ASSERT_EQ(tokenizer->Decode(tokenizer->EncodePlain(text)), text);
      ASSERT_EQ(tokenizer->Decode(tokenizer->EncodeWithControl(text)), text);
    }
  }
}

TEST(Tokenizer, MegabytesOfEveryKind) {
  std::string letters(1 << 20, 'x');
  std::mt19937 random(9);
  for (char& c : letters) c = static_cast<char>('a' + random() % 26);
  std::string chinese;
  for (int i = 0; i < 300'000; ++i) chinese += "你好";
  for (const std::string& text : {letters, chinese, std::string(1 << 20, ' '),
                                  std::string(1 << 20, '!'), std::string(1 << 20, '\n')}) {
    EXPECT_TRUE(RealTokenizer().Decode(RealTokenizer().EncodePlain(text)) == text);
  }
}

TEST(Tokenizer, IdsOutOfRangeAreAnError) {
  for (const int32_t id : {-1, 1024}) {
    try {
      DemoTokenizer().Decode(Ids({3, id}));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      const std::string message = error.what();
      EXPECT_NE(message.find(std::to_string(id)), message.npos) << message;
      EXPECT_NE(message.find("1023"), message.npos) << message;
    }
  }
}

TEST(Tokenizer, AByteWithoutATokenIsAnError) {
  auto json = nlohmann::json::parse(SmallTokenizerJson({}, {}));
  json["model"]["vocab"].erase("a");
  json["model"]["vocab"]["ÿ"] = 'a';  // 0xFF had the last id
  const Tokenizer tokenizer(json.dump(), "file");
  EXPECT_EQ(tokenizer.EncodePlain("b"), Ids({'b'}));
  try {
    tokenizer.EncodePlain("abc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find("0x61"), std::string::npos) << error.what();
  }
}

TEST(Tokenizer, ATokenOutsideTheByteAlphabetIsItsOwnText) {
  const Tokenizer tokenizer(SmallTokenizerJson({"a b", "<｜x｜>"}, {}), "file");
  EXPECT_EQ(tokenizer.TokenBytes(256), "a b");
  EXPECT_EQ(tokenizer.TokenBytes(257), "<｜x｜>");
  EXPECT_FALSE(tokenizer.IsControl(257));
}

}  // namespace
}  // namespace cedar
