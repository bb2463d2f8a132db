#include "weights/engram_hash.h"

#include <gtest/gtest.h>

#include <numeric>

#include "simd/error.h"

namespace cedar {
namespace {

using Ids = std::vector<int32_t>;
using Rows = std::vector<size_t>;

EngramConfig ReleasedEngram() {
  EngramConfig config;
  config.layers = {1, 14};
  config.table_rows = {384006168, 384016682};
  config.max_ngram = 4;
  config.heads = 8;
  config.head_dim = 256;
  config.first_prime = 16000000;
  config.compressed_vocab = 99092;
  config.pad_token = 2;
  return config;
}

Rows RowsOf(const EngramHash& hash, size_t engram, const Ids& history) {
  Rows rows(hash.columns());
  hash.Rows(engram, history, rows);
  return rows;
}

// text.md, section B: seen in four public sources.
TEST(EngramMultipliers, OfTheRelease) {
  EXPECT_EQ(EngramMultipliers(1, 4, 99092),
            (std::vector<uint64_t>{76632096046245, 4839876093313, 35959672319349, 73987337458391}));
  EXPECT_EQ(
      EngramMultipliers(14, 4, 99092),
      (std::vector<uint64_t>{67716810739261, 51510806800915, 30921347202721, 82619226485591}));
}

// As the oracle's multipliers() gives them: a seed of 0, a large one, and the smallest
// vocabularies, whose large bounds make draws that must be thrown away likely.
TEST(EngramMultipliers, OfOtherLayersAndVocabularies) {
  EXPECT_EQ(EngramMultipliers(0, 4, 99092),
            (std::vector<uint64_t>{59287678272599, 25111444230055, 3813769577005, 1538373747317}));
  EXPECT_EQ(
      EngramMultipliers(511, 4, 99092),
      (std::vector<uint64_t>{74103207934733, 49994124045235, 34754104795675, 21553507615913}));
  EXPECT_EQ(EngramMultipliers(39, 3, 2),
            (std::vector<uint64_t>{3903403490727812061, 3307491702939340827, 2675573169266338371}));
  EXPECT_EQ(EngramMultipliers(14, 3, 1),
            (std::vector<uint64_t>{6710194209774887047, 5104308867516368317, 3064058137012074761}));
}

TEST(EngramPrimes, OfTheRelease) {
  const std::vector<uint64_t> primes = PrimesFrom(16000000, 48);
  EXPECT_EQ(primes[0], 16000057u);
  EXPECT_EQ(primes[23], 16000463u);
  EXPECT_EQ(primes[24], 16000477u);
  EXPECT_EQ(primes[47], 16000889u);
  EXPECT_EQ(std::accumulate(primes.begin(), primes.begin() + 24, uint64_t{0}), 384006168u);
  EXPECT_EQ(std::accumulate(primes.begin() + 24, primes.end(), uint64_t{0}), 384016682u);
}

TEST(EngramPrimes, FromTheSmallest) {
  EXPECT_EQ(PrimesFrom(0, 6), (std::vector<uint64_t>{2, 3, 5, 7, 11, 13}));
  EXPECT_EQ(PrimesFrom(9, 2), (std::vector<uint64_t>{11, 13}));
  EXPECT_EQ(PrimesFrom(25, 1), (std::vector<uint64_t>{29}));  // a square of a prime is none
}

// Hasher.rows() of the oracle with the release's engram_* and the token map id % 99092.
TEST(EngramHash, RowsOfTheRelease) {
  Ids map(129280);
  for (size_t i = 0; i < map.size(); ++i) map[i] = static_cast<int32_t>(i % 99092);
  const EngramHash hash(ReleasedEngram(), map, "test");
  EXPECT_EQ(hash.columns(), 24u);
  const Ids history = {129279, 5, 99091, 70000};
  EXPECT_EQ(RowsOf(hash, 0, history),
            (Rows{92144,     18133429,  44084522,  49920997,  71438205,  94814035,
                  107540078, 125008203, 143416107, 145203263, 161726059, 184997635,
                  198267646, 222245918, 237891634, 247304961, 266114746, 275341146,
                  295247309, 315697967, 330256695, 337481812, 363235592, 381426237}));
  EXPECT_EQ(RowsOf(hash, 1, history),
            (Rows{7638675,   25970881,  38897956,  63836945,  68402318,  91358785,
                  96269353,  116671838, 141698031, 155449444, 161709006, 189644324,
                  207918998, 223424950, 230816868, 255416016, 265541198, 276940886,
                  290536384, 313630559, 330141186, 341379118, 362362323, 372539784}));
  EXPECT_EQ(RowsOf(hash, 1, {129279}),
            (Rows{12229927,  25215598,  33305947,  55977492,  75696766,  94006565,
                  110611810, 118674684, 143018457, 152442300, 174506562, 179078171,
                  205091175, 208848120, 226606865, 241053693, 267729689, 278957604,
                  298378991, 309946425, 330610814, 344731429, 361234671, 380705515}));
}

// The same of the oracle's tiny config, from the first position on.
TEST(EngramHash, RowsFromTheStartOfASequence) {
  EngramConfig config;
  config.layers = {1, 3};
  config.table_rows = {660, 864};
  config.max_ngram = 4;
  config.heads = 2;
  config.head_dim = 32;
  config.first_prime = 100;
  config.compressed_vocab = 256;
  config.pad_token = 2;
  Ids map(512);
  for (size_t i = 0; i < map.size(); ++i) map[i] = static_cast<int32_t>(i / 2);
  const EngramHash hash(config, map, "test");
  const Ids history = {7, 300, 511, 2, 44, 44, 9};
  const Rows kExpected[][2] = {{{47, 188, 254, 323, 532, 614}, {102, 180, 302, 541, 648, 838}},
                               {{29, 134, 245, 368, 514, 649}, {123, 224, 327, 465, 700, 808}},
                               {{9, 127, 266, 340, 427, 649}, {126, 132, 358, 444, 685, 826}},
                               {{90, 202, 259, 318, 504, 562}, {72, 190, 311, 535, 696, 714}},
                               {{4, 113, 243, 359, 461, 585}, {70, 152, 301, 543, 656, 843}},
                               {{28, 118, 220, 393, 513, 617}, {66, 136, 334, 524, 657, 825}},
                               {{57, 163, 309, 354, 471, 537}, {116, 170, 298, 525, 586, 737}}};
  for (size_t n = 1; n <= history.size(); ++n) {
    const Ids until(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(RowsOf(hash, 0, until), kExpected[n - 1][0]) << n;
    EXPECT_EQ(RowsOf(hash, 1, until), kExpected[n - 1][1]) << n;
    // Only the last four tokens count.
    if (n <= 4) continue;
    EXPECT_EQ(RowsOf(hash, 0, {until.end() - 4, until.end()}), kExpected[n - 1][0]) << n;
  }
}

TEST(EngramHash, RefusesAMapOfAnotherSize) {
  const auto message = [](const Ids& map) -> std::string {
    try {
      EngramHash(ReleasedEngram(), map, "some/tokenizer.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel);
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message({0, 1, 2, 3, 3}),
            "some/tokenizer.json: Engram token map: found 4 classes, expected "
            "engram_compressed_vocab_size (99092)");
  EXPECT_EQ(message({0, 1}),
            "some/tokenizer.json: Engram token map: found 2 tokens, expected more than "
            "engram_pad_token_id (2)");
}

}  // namespace
}  // namespace cedar
