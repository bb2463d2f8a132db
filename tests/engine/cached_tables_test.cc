#include "engine/cached_tables.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

size_t AskedOf(CachedTables& tables, size_t positions) {
  size_t asked = 0;
  for (size_t i = 0; i < positions; ++i) asked += tables.Asks();
  return asked;
}

TEST(CachedTables, AllPositionsAreAskedForUntilEnoughWereThere) {
  CachedTables tables;
  EXPECT_EQ(AskedOf(tables, 1000), 1000u);
  tables.Note(63, 0);
  EXPECT_EQ(AskedOf(tables, 100), 100u);
  tables.Note(1, 0);
  EXPECT_EQ(AskedOf(tables, 160), 10u);
}

TEST(CachedTables, AnAbsentRowBringsThemAllBack) {
  CachedTables tables;
  tables.Note(1000, 0);
  EXPECT_EQ(AskedOf(tables, 15), 0u);
  EXPECT_EQ(AskedOf(tables, 1), 1u);
  tables.Note(1, 1);
  EXPECT_EQ(AskedOf(tables, 50), 50u);
  tables.Note(63, 0);
  EXPECT_EQ(AskedOf(tables, 50), 50u);
}

}  // namespace
}  // namespace cedar
