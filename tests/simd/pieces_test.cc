#include "simd/pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace cedar::simd {
namespace {

TEST(PiecesTest, EachPartIsTakenFromBothEnds) {
  Pieces pieces(2);  // parts [0, 5) and [5, 10)
  EXPECT_EQ(pieces.TakeFirst(2, 10, 0), 0u);
  EXPECT_EQ(pieces.TakeFirst(2, 10, 0), 1u);
  EXPECT_EQ(pieces.TakeLast(2, 10, 0), 4u);
  EXPECT_EQ(pieces.TakeLast(2, 10, 1), 9u);
  EXPECT_EQ(pieces.TakeFirst(2, 10, 1), 5u);
}

TEST(PiecesTest, EveryPieceIsTakenOnce) {
  for (const size_t threads : {1, 2, 3, 8}) {
    Pieces pieces(threads);
    Pieces::Round round = 0;
    for (const size_t n : {0, 1, 2, 7, 100}) {
      round += 2;
      std::vector<int> taken(n);
      for (size_t owner = 0; owner < threads; ++owner) {
        while (const auto piece = pieces.TakeLast(round, n, owner)) ++taken.at(*piece);
      }
      EXPECT_EQ(taken, std::vector<int>(n, 1)) << threads << " threads";
    }
  }
}

TEST(PiecesTest, WhoComesLateGetsNothing) {
  Pieces pieces(2);
  EXPECT_TRUE(pieces.TakeFirst(2, 2, 0));
  EXPECT_TRUE(pieces.TakeFirst(2, 2, 1));
  EXPECT_FALSE(pieces.TakeFirst(2, 2, 0));
  EXPECT_TRUE(pieces.TakeFirst(4, 4, 0));
  EXPECT_FALSE(pieces.TakeFirst(2, 2, 0));
  EXPECT_EQ(pieces.TakeFirst(4, 4, 0), 1u);
}

TEST(PiecesTest, RoundsMayWrapAround) {
  Pieces pieces(1);
  EXPECT_TRUE(pieces.TakeFirst(0x7FFFFFF0, 1, 0));
  Pieces::Round round = 0xFFFFFFE0;
  for (int i = 0; i < 20; ++i, round += 2) {
    EXPECT_EQ(pieces.TakeFirst(round, 1, 0), 0u) << round;
    EXPECT_FALSE(pieces.TakeFirst(round, 1, 0)) << round;
  }
}

}  // namespace
}  // namespace cedar::simd
