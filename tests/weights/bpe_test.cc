#include "weights/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "simd/error.h"

namespace cedar {
namespace {

using Ids = std::vector<int32_t>;

std::array<int32_t, 256> AllBytes() {
  std::array<int32_t, 256> tokens;
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

Ids Encode(const Bpe& bpe, std::string_view piece) {
  Ids ids;
  bpe.Encode({&piece, 1}, ids);
  return ids;
}

// The definition, word for word.
Ids EncodeSlowly(const std::vector<Merge>& merges, std::string_view piece) {
  std::map<std::pair<int32_t, int32_t>, size_t> ranks;
  for (size_t i = 0; i < merges.size(); ++i) ranks[{merges[i].left, merges[i].right}] = i;
  Ids ids;
  for (const char c : piece) ids.push_back(static_cast<uint8_t>(c));
  while (true) {
    size_t best = merges.size();
    size_t at = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = ranks.find({ids[i], ids[i + 1]});
      if (found != ranks.end() && found->second < best) {
        best = found->second;
        at = i;
      }
    }
    if (best == merges.size()) return ids;
    ids[at] = merges[best].merged;
    ids.erase(ids.begin() + at + 1);
  }
}

TEST(Bpe, LowestRankFirst) {
  // bc before ab: "abc" is a|bc.
  const Bpe bpe(AllBytes(), std::vector<Merge>{{'b', 'c', 256}, {'a', 'b', 257}});
  EXPECT_EQ(Encode(bpe, "abc"), Ids({'a', 256}));
  EXPECT_EQ(Encode(bpe, "abab"), Ids({257, 257}));
}

TEST(Bpe, LeftmostOfOneRank) {
  const Bpe bpe(AllBytes(), std::vector<Merge>{{'a', 'a', 256}});
  EXPECT_EQ(Encode(bpe, "aaaaa"), Ids({256, 256, 'a'}));
}

TEST(Bpe, OnlyListedPairsMerge) {
  // "abc" is a token made of ab + c; a + bc spells the same and must not become it.
  const Bpe bpe(AllBytes(), std::vector<Merge>{{'b', 'c', 256}, {'a', 'b', 257}, {257, 'c', 258}});
  EXPECT_EQ(Encode(bpe, "abc"), Ids({'a', 256}));
}

TEST(Bpe, TheLastRankOfAPairCounts) {
  const Bpe bpe(AllBytes(), std::vector<Merge>{{'a', 'b', 256}, {'b', 'c', 257}, {'a', 'b', 256}});
  EXPECT_EQ(Encode(bpe, "abc"), Ids({'a', 257}));
}

TEST(Bpe, PiecesDoNotMergeWithEachOther) {
  const Bpe bpe(AllBytes(), std::vector<Merge>{{'a', 'a', 256}});
  const std::vector<std::string_view> pieces = {"aaa", "a"};
  Ids ids;
  bpe.Encode(pieces, ids);
  EXPECT_EQ(ids, Ids({256, 'a', 'a'}));
}

TEST(Bpe, WithoutMergesEveryByteIsItself) {
  EXPECT_EQ(Encode(Bpe(AllBytes(), {}), "a\xFF"), Ids({'a', 255}));
}

TEST(Bpe, AByteWithoutATokenIsNamed) {
  auto bytes = AllBytes();
  bytes[0xFE] = Bpe::kNoToken;
  const Bpe bpe(bytes, {});
  try {
    Encode(bpe, "a\xFE");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find("0xFE"), std::string::npos) << error.what();
  }
}

// Random tables over few letters, in which later merges also get lower ranks than their parts.
TEST(Bpe, EqualsTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Merge> merges;
    Ids tokens = {'a', 'b', 'c'};
    std::map<std::pair<int32_t, int32_t>, bool> seen;
    for (int32_t next = 256; next < 280; ++next) {
      const int32_t left = tokens[random() % tokens.size()];
      const int32_t right = tokens[random() % tokens.size()];
      if (seen[{left, right}]) continue;
      seen[{left, right}] = true;
      merges.push_back({left, right, next});
      tokens.push_back(next);
    }
    std::shuffle(merges.begin(), merges.end(), random);
    const Bpe bpe(AllBytes(), merges);
    for (int text = 0; text < 20; ++text) {
      std::string piece(1 + random() % 40, 'a');
      for (char& c : piece) c = static_cast<char>('a' + random() % 3);
      ASSERT_EQ(Encode(bpe, piece), EncodeSlowly(merges, piece)) << piece;
    }
  }
}

// A megabyte without a place to cut: a quadratic method would not end in this lifetime.
TEST(Bpe, ALongPiece) {
  std::vector<Merge> merges = {{'a', 'a', 256}};
  for (int32_t id = 256; id < 270; ++id) merges.push_back({id, id, id + 1});
  const Ids ids = Encode(Bpe(AllBytes(), merges), std::string(1 << 20, 'a'));
  EXPECT_EQ(ids, Ids((1 << 20) >> 15, 270));
}

}  // namespace
}  // namespace cedar
