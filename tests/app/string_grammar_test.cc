#include "app/string_grammar.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "simd/error.h"
#include "tests/app/grammar_texts.h"

namespace cedar {
namespace {

bool Follows(const StringRule& rule, std::string_view text, StringForm form = StringForm::kJson) {
  Grammar grammar;
  grammar.root = StringGrammar(grammar, rule, form);
  return IsText(grammar, text);
}

std::string Message(const StringRule& rule) {
  Grammar grammar;
  try {
    StringGrammar(grammar, rule);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Lengths count code points of the value: an escape is one, and so is a character of four bytes.
TEST(StringGrammarTest, Lengths) {
  const StringRule rule{.min_length = 2, .max_length = 3};
  for (const char* text : {R"("ab")", R"("abc")", R"("é😀")", R"("\n\"")", R"("\u00e9\\x")",
                           R"("\u0041\/")", R"("a\t")"}) {
    EXPECT_TRUE(Follows(rule, text)) << text;
  }
  for (const char* text :
       {R"("")", R"("a")", R"("abcd")", R"("é")", R"("\u00e9")", R"("\nabc")", R"("ab)", R"(ab)",
        "\"\n\"", R"("\ud83d\ude00a")", R"("\x41b")", "\"\xC0\x80x\"", "\"\xED\xA0\x80x\""}) {
    EXPECT_FALSE(Follows(rule, text)) << text;
  }
  EXPECT_TRUE(Follows({.min_length = 1}, R"("a long text")"));
  EXPECT_FALSE(Follows({.min_length = 1}, R"("")"));
  EXPECT_TRUE(Follows({.max_length = 0}, R"("")"));
  EXPECT_FALSE(Follows({.max_length = 0}, R"("a")"));
  EXPECT_NE(Message({.min_length = 3, .max_length = 2}), "");
}

TEST(StringGrammarTest, ExcludedValues) {
  const StringRule rule{.excluded = {"ab", "é", ""}};
  for (const char* text : {R"("a")", R"("abc")", R"("b")", R"("\u00e9x")"}) {
    EXPECT_TRUE(Follows(rule, text)) << text;
  }
  for (const char* text : {R"("ab")", R"("\u0061b")", R"("é")", R"("\u00E9")", R"("")"}) {
    EXPECT_FALSE(Follows(rule, text)) << text;
  }
  EXPECT_TRUE(FollowsRule(rule, "abc"));
  EXPECT_FALSE(FollowsRule(rule, "ab"));
}

// Arguments of calls are texts as they are, but never spell the mark out.
TEST(StringGrammarTest, CallsAndPlainText) {
  const StringRule rule{.min_length = 1};
  for (const char* text : {"a\"b\\c\n", "é", "｜", "｜｜x", "DSML｜", "</"}) {
    EXPECT_TRUE(Follows(rule, text, StringForm::kCall)) << text;
    EXPECT_TRUE(Follows(rule, text, StringForm::kText)) << text;
  }
  EXPECT_FALSE(Follows(rule, "a｜DSML｜b", StringForm::kCall));
  EXPECT_TRUE(Follows(rule, "a｜DSML｜b", StringForm::kText));
  EXPECT_FALSE(Follows(rule, "", StringForm::kText));
}

// Equal rules are one machine in a grammar, and walks end only where they may.
TEST(StringGrammarTest, SharedAndWalked) {
  Grammar grammar;
  const StringRule rule{.min_length = 3, .max_length = 5};
  grammar.root = StringGrammar(grammar, rule);
  const size_t bytes = grammar.bytes();
  EXPECT_EQ(StringGrammar(grammar, rule), grammar.root);
  EXPECT_EQ(grammar.bytes(), bytes);
  ByteAutomaton automaton(grammar);
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const auto text = RandomText(automaton, random, 200);
    ASSERT_TRUE(text);
    const std::string value = nlohmann::json::parse(*text);
    EXPECT_TRUE(FollowsRule(rule, value)) << *text;
  }
}

}  // namespace
}  // namespace cedar
