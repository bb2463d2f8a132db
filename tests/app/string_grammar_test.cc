#include "app/string_grammar.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
    grammar.root = StringGrammar(grammar, rule);
  } catch (const Error& error) {
    return error.what();
  }
  return grammar.Prune().contains(grammar.root) ? "no string" : "";
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

TEST(StringGrammarTest, PatternsAndLengthsHoldTogether) {
  const StringRule rule{.min_length = 3, .max_length = 5, .patterns = {"^[a-z]+$", "b"}};
  EXPECT_TRUE(Follows(rule, R"("abc")"));
  EXPECT_TRUE(Follows(rule, R"("\u0061bc")"));
  for (const char* text : {R"("ab")", R"("abcdef")", R"("acd")", R"("abC")", R"("abc\n")"}) {
    EXPECT_FALSE(Follows(rule, text)) << text;
  }
  // Where a long minimum leaves no room; where only some lengths are possible at all.
  EXPECT_NE(Message({.min_length = 4, .patterns = {"^a{1,3}$"}}), "");
  EXPECT_NE(Message({.min_length = 5, .max_length = 5, .patterns = {"^(ab)*$"}}), "");
  EXPECT_TRUE(Follows({.min_length = 5, .max_length = 6, .patterns = {"^(ab)*$"}}, R"("ababab")"));
  EXPECT_FALSE(Follows({.min_length = 5, .max_length = 6, .patterns = {"^(ab)*$"}}, R"("abab")"));
  const StringRule without{.patterns = {"^[ab]{2}$"}, .not_patterns = {"aa"}};
  EXPECT_TRUE(Follows(without, R"("ab")"));
  EXPECT_FALSE(Follows(without, R"("aa")"));
}

// Unless they say otherwise, patterns are found anywhere.
TEST(StringGrammarTest, AnchorsAnywhere) {
  EXPECT_TRUE(Follows({.patterns = {"b"}}, R"("abc")"));
  EXPECT_FALSE(Follows({.patterns = {"b"}}, R"("acd")"));
  EXPECT_TRUE(Follows({.patterns = {"^a|c$"}}, R"("xc")"));
  EXPECT_TRUE(Follows({.patterns = {"^a|c$"}}, R"("ax")"));
  EXPECT_FALSE(Follows({.patterns = {"^a|c$"}}, R"("xax")"));
  EXPECT_TRUE(Follows({.patterns = {"(^|,)a(,|$)"}}, R"("b,a,c")"));
  EXPECT_FALSE(Follows({.patterns = {"(^|,)a(,|$)"}}, R"("b,ab,c")"));
  EXPECT_FALSE(Follows({.patterns = {"^a$"}}, R"("a\n")"));
}

// What Python and JavaScript see differently is left out: both of them accept each answer.
TEST(StringGrammarTest, ClassesThatAllLanguagesShare) {
  EXPECT_TRUE(Follows({.patterns = {"^\\d$"}}, R"("7")"));
  for (const char* pattern : {"^\\d$", "^\\D$", "^[^\\d]$"}) {
    EXPECT_FALSE(Follows({.patterns = {pattern}}, R"("٣")")) << pattern;
  }
  EXPECT_FALSE(Follows({.patterns = {"^\\w$"}}, R"("é")"));
  EXPECT_FALSE(Follows({.patterns = {"^\\W$"}}, R"("é")"));
  EXPECT_TRUE(Follows({.patterns = {"^\\S$"}}, R"("é")"));
  EXPECT_TRUE(Follows({.patterns = {"^\\p{L}\\p{Lowercase_Letter}\\P{Nd}$"}}, R"("éé😀")"));
  EXPECT_FALSE(Follows({.patterns = {"^.$"}}, R"("\u2028")"));
  EXPECT_TRUE(Follows({.patterns = {"^[^]$"}}, R"("\u2028")"));
  EXPECT_TRUE(Follows({.patterns = {"\\bcat\\b"}}, R"("a cat!")"));
  EXPECT_FALSE(Follows({.patterns = {"\\bcat\\b"}}, R"("concat")"));
  EXPECT_FALSE(Follows({.patterns = {"\\bcat"}}, R"("écat")"));
}

TEST(StringGrammarTest, WhatIsNotSupportedIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"(?<=a)b", "look-behind"},
      {"a(?=b)b", "look-ahead"},
      {"(a)\\1", "references"},
      {"\\k<a>", "references"},
      {"(?i)a", "flags"},
      {"\\p{Script=Greek}", "Script=Greek"},
      {"a**", "nothing to repeat"},
      {"(a", "not closed"},
      {"[a", "not closed"},
      {"x{2,1}", "wrong way"},
      {"\\A", "\\A"},
      {"(a{1,1000}){1,1000}", "steps"},
      {".*a.{20}$", "states"},
      {"a^", "no string"},
      {"^(?=a)b", "no string"},
      {"\\", "too early"},
  };
  for (const auto& [pattern, expected] : cases) {
    EXPECT_NE(Message({.patterns = {pattern}}).find(expected), std::string::npos)
        << pattern << ": " << Message({.patterns = {pattern}});
  }
  EXPECT_NE(Message({.formats = {"cuid9"}}).find("\"cuid9\" is not supported"), std::string::npos);
}

TEST(StringGrammarTest, Formats) {
  struct Case {
    const char* format;
    std::vector<const char*> yes, no;
  };
  const Case cases[] = {
      {"date",
       {"2024-02-29", "2000-02-29", "1999-12-31", "0004-02-29"},
       {"2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "0000-01-01", "2024-1-1",
        "20240101"}},
      {"time",
       {"23:59:59Z", "00:00:00.123456+05:30", "12:30:00-08:00"},
       {"24:00:00Z", "12:30Z", "12:30:00", "12:60:00Z", "12:00:00+24:00"}},
      {"date-time",
       {"2024-02-29T23:59:59Z", "2001-01-01T00:00:00.5-12:00"},
       {"2023-02-29T00:00:00Z", "2024-02-29", "2024-02-29 00:00:00Z", "2024-02-29T00:00:00"}},
      {"email",
       {"a@b.co", "first.last+tag@mail.example.org", "o'brien@x-y.com"},
       {"a", "@b.co", "a@b", "a..b@c.de", "a b@c.de", "a@b..de", "a@-b.de", ".a@b.de"}},
      {"uuid",
       {"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"},
       {"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
      {"uri",
       {"https://example.com", "http://a.org:8080/p/q?x=1&y=%20#f", "urn:isbn:12", "mailto:a@b.co",
        "https://127.0.0.1/", "file:///a/b", "https://a.org/x--y"},
       {"example.com", "http://", "http://a b.org", "http://a.org/%2", "http://a.org:99999/",
        "http://a_b.org", "//a.org"}},
      {"ipv4", {"0.0.0.0", "255.255.255.255"}, {"256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"}},
      {"ipv6",
       {"::", "::1", "1::", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::"},
       {":::", "1:2:3:4:5:6:7", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9", "g::"}},
      {"hostname", {"localhost", "a-b.example.com"}, {"-a.com", "a..b", "a_b.com", "1.2.3.4", ""}},
      {"duration", {"P1Y2M3DT4H5M6S", "P2W", "PT1S"}, {"P", "PT", "P1S", "1D", "P1YT"}},
      {"json-pointer", {"", "/a~1b/0"}, {"a", "/~2"}},
      {"base64", {"", "QUJD", "QQ==", "QUI="}, {"QQ=", "QR==", "A", "****"}},
      {"password", {"", "any text"}, {}},
  };
  for (const auto& [format, yes, no] : cases) {
    const StringRule rule{.formats = {format}};
    for (const char* value : yes) EXPECT_TRUE(FollowsRule(rule, value)) << format << " " << value;
    for (const char* value : no) EXPECT_FALSE(FollowsRule(rule, value)) << format << " " << value;
  }
}

// Another library's matcher; its classes are those of ASCII, as ECMA-262's.
bool FindsElsewhere(const std::string& pattern, const std::string& text) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX, &error, &offset, nullptr);
  if (code == nullptr) {
    ADD_FAILURE() << pattern;
    return false;
  }
  pcre2_match_data* const match = pcre2_match_data_create_from_pattern(code, nullptr);
  const int count = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0,
                                match, nullptr);
  pcre2_match_data_free(match);
  pcre2_code_free(code);
  return count > 0;
}

// Texts of the grammar match elsewhere, and texts of a few characters are in the grammar just when
// they match elsewhere.
TEST(StringGrammarTest, AgreesWithAnotherMatcher) {
  Random random(5);
  const auto below = [&](size_t count) {
    return static_cast<size_t>(random.NextUnit() * static_cast<double>(count));
  };
  for (const char* pattern : {"^[a-c]+$",
                              "ab",
                              "^\\d{2}-\\d{1,3}$",
                              "^(a|b)*?c?$",
                              "a{2,}b{0,2}",
                              "^\\w+(-\\w+)*$",
                              "[^a-]b|^-",
                              "\\ba\\b",
                              "\\Ba",
                              "^(?:a(?:b|-)?){2,3}$",
                              "^(?=.*a)(?!.*b)[a-z0-9-]{2,4}$",
                              "(^|-)a($|-)",
                              "^(?<n>a)(?:b)??$",
                              "x?^a*$",
                              "\\x61\\u0062",
                              "^\\S+ \\S+$",
                              "^(?!-)[ab-]+$",
                              "[\\w-]b$",
                              "()|a",
                              "^(a*)*b$",
                              "^(|a)+$"}) {
    Grammar grammar;
    grammar.root = StringGrammar(grammar, {.patterns = {pattern}}, StringForm::kText);
    ByteAutomaton automaton(grammar);
    for (int i = 0; i < 100; ++i) {
      if (const auto text = RandomText(automaton, random, 300)) {
        EXPECT_TRUE(FindsElsewhere(pattern, *text)) << pattern << " " << *text;
      }
    }
    for (int i = 0; i < 2000; ++i) {
      constexpr std::string_view kLetters = "aab-c0 b";
      std::string text;
      for (size_t length = below(6); text.size() < length;) text += kLetters[below(8)];
      ASSERT_EQ(IsText(automaton, text), FindsElsewhere(pattern, text)) << pattern << " " << text;
    }
  }
}

// Expressions of their own match from end to end.
TEST(StringGrammarTest, WholeExpressions) {
  Grammar grammar;
  grammar.root = RegexGrammar(grammar, "(yes|no)( \\d+)?");
  EXPECT_TRUE(IsText(grammar, "yes 12"));
  EXPECT_TRUE(IsText(grammar, "no"));
  EXPECT_FALSE(IsText(grammar, "yes 12 "));
  EXPECT_FALSE(IsText(grammar, "oh no"));
  EXPECT_THROW(RegexGrammar(grammar, "a^"), Error);
}

}  // namespace
}  // namespace cedar
