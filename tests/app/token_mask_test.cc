#include "app/token_mask.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/json_schema.h"
#include "tests/weights/tokenizer_data.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

size_t Below(Random& random, size_t count) {
  return static_cast<size_t>(random.NextUnit() * static_cast<double>(count));
}

std::vector<int32_t> IdsOf(const TokenSet& set) {
  std::vector<int32_t> ids;
  set.ForEach([&](int32_t id) { ids.push_back(id); });
  return ids;
}

TEST(TokenMasksTest, EveryWalkEndsInAValidText) {
  const Tokenizer& tokenizer = DemoTokenizer();
  const auto vocabulary = std::make_shared<Vocabulary>(tokenizer);
  const Json schema = Json::parse(R"({"type":"object","additionalProperties":false,
    "properties":{"name":{"type":"string"},"age":{"type":"integer","minimum":0,"maximum":150},
    "tags":{"type":"array","items":{"enum":["red","blue"]},"maxItems":4}},"required":["name","age"]})");
  TokenMasks masks(GrammarOfSchema(schema), vocabulary);
  Random random(3);
  size_t ended = 0;
  for (int walk = 0; walk < 200; ++walk) {
    std::string text;
    TokenMasks::State state = masks.start();
    for (int step = 0; step < 400 && !masks.Accepts(state); ++step) {
      const std::vector<int32_t> allowed = IdsOf(masks.Allowed(state));
      ASSERT_FALSE(allowed.empty()) << text;
      const std::string_view bytes = tokenizer.TokenBytes(allowed[Below(random, allowed.size())]);
      text += bytes;
      state = masks.Advance(state, bytes);
    }
    if (!masks.Accepts(state)) continue;
    ++ended;
    const Json value = Json::parse(text);  // throws if it is none
    EXPECT_TRUE(value["name"].is_string());
    EXPECT_LE(value["age"].get<int>(), 150);
  }
  EXPECT_GT(ended, 20u);
}

// The tokens that the automaton lets through byte by byte.
std::vector<int32_t> TriedOneByOne(ByteAutomaton& automaton, ByteAutomaton::State from,
                                   const Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.IsControl(id) || tokenizer.TokenBytes(id).empty()) continue;
    ByteAutomaton::State state = from;
    for (const char byte : tokenizer.TokenBytes(id)) {
      state = automaton.Step(state, static_cast<uint8_t>(byte));
      if (state == ByteAutomaton::kDead) break;
    }
    if (state != ByteAutomaton::kDead) ids.push_back(id);
  }
  return ids;
}

// Goes from state to state at random and compares each mask. Grammars are made anew by `make`, so
// that the two automata share nothing.
template <class Make>
void CompareOnRandomStates(const Make& make, const Tokenizer& tokenizer, uint64_t seed) {
  // Single bytes, so that strings are left as often as they are entered.
  constexpr std::string_view kBytes = "\"\"\"\"\"\",,::{{}}[] \n\\nuaebtr-017.E\xC3\xA9\xE4\xBD";
  const auto grammar = make();
  ByteAutomaton automaton(*grammar);
  // So few masks are kept that they are dropped and made again.
  TokenMasks masks(make(), std::make_shared<Vocabulary>(tokenizer), 5 * size_t{20'000});
  Random random(seed);
  for (int walk = 0; walk < 6; ++walk) {
    std::string text;
    ByteAutomaton::State state = automaton.start();
    TokenMasks::State of_masks = masks.start();
    for (int step = 0; step < 40; ++step) {
      ASSERT_EQ(IdsOf(masks.Allowed(of_masks)), TriedOneByOne(automaton, state, tokenizer)) << text;
      ASSERT_EQ(masks.Accepts(of_masks), automaton.Accepts(state)) << text;
      if (automaton.Next(state).none()) break;
      ByteAutomaton::State next = ByteAutomaton::kDead;
      char byte = 0;
      for (int tries = 0; next == ByteAutomaton::kDead; ++tries) {
        // Some states go on with one byte that is not of these.
        byte = tries < 200 ? kBytes[Below(random, kBytes.size())]
                           : static_cast<char>(Below(random, 256));
        next = automaton.Step(state, static_cast<uint8_t>(byte));
      }
      state = next;
      of_masks = masks.Advance(of_masks, {&byte, 1});
      text += byte;
    }
  }
}

constexpr std::array<const char*, 5> kSchemas = {
    R"({"type":"object","additionalProperties":false,"required":["a"],"properties":{
        "a":{"type":"string"},"be":{"type":"array","maxItems":3,"items":{"type":"string"}},
        "n":{"type":"integer","minimum":-70,"maximum":1010},"t":{"enum":["true","a\"b",null,7.0]}}})",
    // Objects whose strings end in more ways than one.
    R"({"anyOf":[{"type":"object","required":["a"],"additionalProperties":false,
                  "properties":{"a":{"type":"string"}}},
                 {"type":"object","required":["a","b"],"additionalProperties":false,
                  "properties":{"a":{"type":"string"},"b":{"type":"number"}}},
                 {"enum":["a","ab",""]}, {"type":"string"}]})",
    R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","additionalProperties":false,
        "properties":{"a":{"type":"string"},"e":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}})",
    R"({"type":"array","items":{"type":["string","number","null"]}})",
    R"({"type":"string"})",
};

TEST(TokenMasksTest, MasksHoldWhatTheAutomatonLetsThrough) {
  for (const char* schema : kSchemas) {
    const auto make = [&] { return GrammarOfSchema(Json::parse(schema)); };
    CompareOnRandomStates(make, RealTokenizer(), 1);
    CompareOnRandomStates(make, DemoTokenizer(), 2);
    if (HasFailure()) FAIL() << schema;
  }
  CompareOnRandomStates(GrammarOfAnyObject, RealTokenizer(), 3);
}

// Strings at different places of a text are different states with one part in common.
TEST(ByteAutomatonTest, StringsHaveOnePart) {
  const auto grammar = GrammarOfSchema(Json::parse(kSchemas[0]));
  ByteAutomaton automaton(*grammar);
  const auto after = [&](std::string_view text) {
    ByteAutomaton::State state = automaton.start();
    for (const char byte : text) state = automaton.Step(state, static_cast<uint8_t>(byte));
    return state;
  };
  const auto one = after("{\"a\": \"x"), other = after("{\"a\": \"x\", \"be\": [\"y");
  ASSERT_NE(one, other);
  ASSERT_TRUE(automaton.Divide(one) && automaton.Divide(other));
  EXPECT_EQ(automaton.Divide(one)->part, automaton.Divide(other)->part);
  EXPECT_EQ(automaton.Divide(one)->rest, after("{\"a\": \"x\""));
  EXPECT_EQ(automaton.Divide(other)->rest, after("{\"a\": \"x\", \"be\": [\"y\""));
  EXPECT_TRUE(automaton.Accepts(automaton.Step(automaton.Divide(one)->part, '"')));
}

TEST(TokenTrieTest, TokensMayHaveTheSameBytes) {
  Grammar grammar;
  grammar.root = grammar.Sequence({grammar.Literal("ab"), grammar.Optional(grammar.Literal("cd"))});
  ByteAutomaton automaton(grammar);
  const TokenTrie trie({{"abc", 7}, {"ab", 3}, {"b", 1}, {"ab", 2}, {"abd", 0}, {"a", 64}});
  TokenSet allowed(65);
  trie.AddAllowed(automaton, automaton.start(), allowed);
  EXPECT_EQ(IdsOf(allowed), (std::vector<int32_t>{2, 3, 7, 64}));
}

}  // namespace
}  // namespace cedar
