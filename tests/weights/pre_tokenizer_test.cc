#include "weights/pre_tokenizer.h"

#include <gtest/gtest.h>

#include "simd/error.h"
#include "weights/split_pattern.h"
#include "weights/white_space.h"

namespace cedar {
namespace {

using Pieces = std::vector<std::string_view>;

// The patterns of the release (text.md, A.1).
const std::vector<std::string> kRelease = {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
                                           R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)"
                                           "\r\n"
                                           R"(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)"
                                           "\r\n"
                                           R"(]*|\s*[)"
                                           "\r\n"
                                           R"(]+|\s+(?!\S)|\s+)"};

Pieces Split(const PreTokenizer& tokenizer, std::string_view text) {
  Pieces pieces;
  tokenizer.Split(text, [&](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

PreTokenizer Release() { return PreTokenizer(kRelease, "tokenizer.json"); }

TEST(PreTokenizer, NothingGivesNothing) { EXPECT_EQ(Split(Release(), ""), Pieces()); }

TEST(PreTokenizer, WithoutPatternsAllIsOnePiece) {
  EXPECT_EQ(Split(PreTokenizer({}, "file"), "a b"), Pieces({"a b"}));
}

TEST(PreTokenizer, WordsNumbersAndSigns) {
  EXPECT_EQ(Split(Release(), "The cat, 12345!!\n"),
            Pieces({"The", " cat", ",", " ", "123", "45", "!!\n"}));
  EXPECT_EQ(Split(Release(), "你好，世界ab"), Pieces({"你好", "，", "世界", "ab"}));
}

TEST(PreTokenizer, LookAheadSeesItsOwnPieceOnly) {
  EXPECT_EQ(Split(Release(), "  5"), Pieces({"  ", "5"}));  // the digit is cut off before
  EXPECT_EQ(Split(Release(), "   abc"), Pieces({"  ", " abc"}));
}

TEST(PreTokenizer, NumbersOfAllScripts) {
  EXPECT_EQ(Split(Release(), "½Ⅻ①٣"), Pieces({"½Ⅻ①", "٣"}));
}

TEST(PreTokenizer, CjkStopsAtItsRanges) {
  EXPECT_EQ(Split(Release(), "龥龦"), Pieces({"龥", "龦"}));
}

TEST(PreTokenizer, UnmatchedCharactersStayBetweenMatches) {
  EXPECT_EQ(Split(Release(), std::string_view("\0\0a", 3)),
            Pieces({std::string_view("\0", 1), std::string_view("\0a", 2)}));
  EXPECT_EQ(Split(Release(), "a\u200D1"), Pieces({"a", "\u200D", "1"}));
}

TEST(PreTokenizer, WhiteSpaceIsWhatUnicodeSays) {
  const PreTokenizer spaces({R"(\s)"}, "file");
  const PreTokenizer others({R"([^\s])"}, "file");
  const PreTokenizer others_too({R"(\S)"}, "file");
  const PreTokenizer others_again({R"([\S])"}, "file");
  // Every space of Unicode, and U+180E and U+200B, which once were or look like some.
  for (const char* space : {"\t", "\n", "\v", "\f", "\r", " ", "\u0085", "\u00A0", "\u1680",
                            "\u2000", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"}) {
    const std::string text = std::string(space) + space;
    EXPECT_EQ(Split(spaces, text), Pieces({space, space})) << text;
    EXPECT_EQ(Split(others, text), Pieces({text}));
    EXPECT_EQ(Split(others_too, text), Pieces({text}));
    EXPECT_EQ(Split(others_again, text), Pieces({text}));
  }
  for (const char* other : {"a", "\x08", "\x0E", "\u180E", "\u200B", "\uFEFF", "\U0010FFFF"}) {
    const std::string text = std::string(other) + other;
    EXPECT_EQ(Split(spaces, text), Pieces({text})) << text;
    EXPECT_EQ(Split(others, text), Pieces({other, other}));
    EXPECT_EQ(Split(others_too, text), Pieces({other, other}));
    EXPECT_EQ(Split(others_again, text), Pieces({other, other}));
  }
}

TEST(PreTokenizer, EmptyMatchesCutNothing) {
  EXPECT_EQ(Split(PreTokenizer({"x*"}, "file"), "éxxé"), Pieces({"é", "xx", "é"}));
}

TEST(PreTokenizer, LongPiecesTakeNoLimit) {
  // Backtracking over as many characters as the default limit of PCRE2 allows, and twice more.
  const std::string spaces(20'000'000, ' ');
  EXPECT_EQ(Split(Release(), spaces + "a"), Pieces({std::string_view(spaces).substr(1), " a"}));
  // A group that repeats needs more than the stack of compiled code.
  const std::string letters(300'000, 'a');
  EXPECT_EQ(Split(PreTokenizer({"(?:a|b|ab)+"}, "file"), letters), Pieces({letters}));
}

TEST(PreTokenizer, ABrokenPatternIsAnErrorThatQuotesIt) {
  try {
    PreTokenizer({"(a"}, "tokenizer.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    const std::string message = error.what();
    EXPECT_NE(message.find("tokenizer.json: pre_tokenizer: pattern: \"(a\""), message.npos)
        << message;
  }
}

TEST(SplitPattern, WhatBothLibrariesReadAlikeStays) {
  for (const char* pattern : {R"(\p{N}{1,3})", R"([^\r\n\p{L}]?\p{Lu}+)",
                              R"((?i:'s|'t)|(?=a)(?!b)(?<=c)(?<!d)(?:e)(?>f))", R"([\[\]\\]\[)",
                              "[一-龥]+", R"(\x{41}\x42\d)", "a++b*+c?+d{2}"}) {
    EXPECT_EQ(PcrePattern(pattern, "here"), pattern);
  }
}

TEST(SplitPattern, WhatTheyReadDifferentlyIsRefused) {
  for (const char* pattern :
       {R"(\w+)",      R"([\W])",  R"(\bword)", R"(\h)",   R"(\v)",   R"(\R)",
        R"(\X)",       R"((a)\1)", R"(\u0041)", "^a",      "a$",      "[a[b]]",
        "[[:alpha:]]", "[a&&b]",   "[]a]",      "a{1,2}+", "(?m:a)",  "(?x)",
        "(?<n>a)",     "(*UCP)a",  "(?#a)",     R"(\pL)",  R"(\p{L)", R"(a\)"}) {
    EXPECT_THROW(PcrePattern(pattern, "here"), Error) << pattern;
  }
}

TEST(WhiteSpace, TwentyFiveCharacters) {
  int count = 0;
  for (char32_t c = 0; c < 0x110000; ++c) count += IsWhiteSpace(c);
  EXPECT_EQ(count, 25);  // as in Unicode's PropList.txt
}

}  // namespace
}  // namespace cedar
