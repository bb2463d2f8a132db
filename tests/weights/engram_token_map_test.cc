#include "weights/engram_token_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

// The shipped map is the official one: its digest is published by others (tests/data/tokenizer).
TEST(EngramTokenMap, OfTheReleaseIsTheOfficialOne) {
  const std::string bytes = ReadTokenizerData("engram_token_map.i32le.gz");
  const std::vector<int32_t> map = EngramTokenMap(RealTokenizer());
  ASSERT_EQ(bytes.size(), 4 * map.size());
  for (size_t id = 0; id < map.size(); ++id) {
    uint32_t expected = 0;
    for (int i = 3; i >= 0; --i) expected = expected << 8 | static_cast<uint8_t>(bytes[4 * id + i]);
    ASSERT_EQ(map[id], static_cast<int32_t>(expected)) << RealTokenizer().TokenText(id);
  }
  EXPECT_EQ(*std::max_element(map.begin(), map.end()) + 1, 99092);
}

// The samples of text.md, section B.
TEST(EngramTokenMap, Samples) {
  const std::vector<int32_t> map = EngramTokenMap(RealTokenizer());
  const std::pair<int, int> samples[] = {
      {0, 0},          {1, 1},          {2, 2},          {201, 174},     {223, 174},
      {262, 174},      {271, 174},      {67, 35},        {344, 242},     {671, 237},
      {128799, 98611}, {128803, 98615}, {128821, 98633}, {129264, 99076}};
  for (const auto& [id, compressed] : samples) EXPECT_EQ(map[id], compressed) << id;
}

TEST(EngramTokenMap, OfTheDemoModel) {
  const std::vector<int32_t> map = EngramTokenMap(DemoTokenizer());
  ASSERT_EQ(map.size(), 1024u);
  // Counted by the NumPy oracle on the same file.
  EXPECT_EQ(*std::max_element(map.begin(), map.end()) + 1, 881);
}

// Random checkpoints of the tests have tokens w0, ĠW0, w1, ĠW1, ... and no bytes or controls.
TEST(EngramTokenMap, NeighboursShareAClassInRandomCheckpoints) {
  auto json = nlohmann::json::parse(SmallTokenizerJson({}, {}));
  json["model"]["vocab"] = nlohmann::json::object();
  for (int id = 0; id < 300; ++id) {
    json["model"]["vocab"][(id % 2 == 0 ? "w" : "ĠW") + std::to_string(id / 2)] = id;
  }
  const std::vector<int32_t> map = EngramTokenMap(Tokenizer(json.dump(), "file"));
  ASSERT_EQ(map.size(), 300u);
  for (int id = 0; id < 300; ++id) EXPECT_EQ(map[id], id / 2);
}

TEST(NormaliseForEngram, EachRule) {
  EXPECT_EQ(NormaliseForEngram("Hello"), "hello");
  EXPECT_EQ(NormaliseForEngram("ÀÉ"), "ae");                // accents go, lower case
  EXPECT_EQ(NormaliseForEngram("ﬁ①Ｘ"), "fi1x");            // compatibility forms
  EXPECT_EQ(NormaliseForEngram("e\u0301\u20DDx"), "ex");    // categories Mn and Me
  EXPECT_EQ(NormaliseForEngram("\u0915\u093E"), "\u0915");  // category Mc
  EXPECT_EQ(NormaliseForEngram("ΟΔΟΣ"), "οδοσ");            // no rule for a final sigma
  EXPECT_EQ(NormaliseForEngram("İ"), "i");
  EXPECT_EQ(NormaliseForEngram("각"), "\u1100\u1161\u11A8");  // stays decomposed
  EXPECT_EQ(NormaliseForEngram(" a \t\r\n b "), "a b");
  EXPECT_EQ(NormaliseForEngram("a\u00A0 b"), "a b");
  EXPECT_EQ(NormaliseForEngram("\n\n"), " ");  // a lone space stays
  EXPECT_EQ(NormaliseForEngram("\u3000"), " ");
  EXPECT_EQ(NormaliseForEngram("\v"), "");  // White_Space, but not one of the four
  EXPECT_EQ(NormaliseForEngram("\u2028a\u0085"), "a");
  EXPECT_EQ(NormaliseForEngram("\u0301"), "");
  EXPECT_EQ(NormaliseForEngram(""), "");
}

TEST(NormaliseForEngram, OneCharacterMayBecomeMany) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "\uFDFA";  // a phrase of 18 characters as one
  EXPECT_GT(NormaliseForEngram(text).size(), 1000u);
}

}  // namespace
}  // namespace cedar
