#include "app/json_grammar.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/digit_range.h"

namespace cedar {
namespace {

constexpr uint32_t kMostIndent = 16;
constexpr uint32_t kMostDigits = 18;
constexpr uint64_t kLargest = 999'999'999'999'999'999;  // of kMostDigits digits

ByteSet BytesOf(std::string_view text) {
  ByteSet set;
  for (const char c : text) set.set(static_cast<uint8_t>(c));
  return set;
}

}  // namespace

JsonGrammar::JsonGrammar(Grammar& grammar)
    : g_(grammar),
      space_(g_.Choice(
          {g_.Optional(g_.Literal(" ")),
           g_.Sequence({g_.Literal("\n"), g_.Repeat(g_.Bytes(BytesOf(" \t")), 0, kMostIndent)})})),
      digit_(g_.Range('0', '9')),
      string_(MakeString()),
      number_(MakeNumber()) {
  GrammarNode* const any = g_.DeclareRule();
  any_ = any;
  any_object_ = ObjectOf(any);
  any->parts = {g_.Choice({any_object_, Array(any, 0, GrammarNode::kNoLimit), string_, number_,
                           g_.Literal("true"), g_.Literal("false"), g_.Literal("null")})};
}

// A code point above U+007F in UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
Grammar::Node JsonGrammar::MakeCharacter() {
  const Node tail = g_.Range(0x80, 0xBF);
  ByteSet plain;
  for (size_t byte = 0x20; byte < 0x80; ++byte) plain.set(byte, byte != '"' && byte != '\\');
  const Node hex = g_.Bytes(BytesOf("0123456789abcdefABCDEF"));
  // \uXXXX, but for surrogates.
  const Node escaped_point =
      g_.Choice({g_.Sequence({g_.Bytes(BytesOf("0123456789abcefABCEF")), hex, hex, hex}),
                 g_.Sequence({g_.Bytes(BytesOf("dD")), g_.Range('0', '7'), hex, hex})});
  return g_.Choice(
      {g_.Bytes(plain), g_.Sequence({g_.Range(0xC2, 0xDF), tail}),
       g_.Sequence({g_.Range(0xE0, 0xE0), g_.Range(0xA0, 0xBF), tail}),
       g_.Sequence({g_.Choice({g_.Range(0xE1, 0xEC), g_.Range(0xEE, 0xEF)}), tail, tail}),
       g_.Sequence({g_.Range(0xED, 0xED), g_.Range(0x80, 0x9F), tail}),
       g_.Sequence({g_.Range(0xF0, 0xF0), g_.Range(0x90, 0xBF), tail, tail}),
       g_.Sequence({g_.Range(0xF1, 0xF3), tail, tail, tail}),
       g_.Sequence({g_.Range(0xF4, 0xF4), g_.Range(0x80, 0x8F), tail, tail}),
       g_.Sequence(
           {g_.Literal("\\"), g_.Choice({g_.Bytes(BytesOf("\"\\/bfnrt")),
                                         g_.Sequence({g_.Literal("u"), escaped_point})})})});
}

Grammar::Node JsonGrammar::MakeString() {
  return g_.Sequence({g_.Literal("\""), g_.Repeat(MakeCharacter(), 0), g_.Literal("\"")});
}

Grammar::Node JsonGrammar::MakeNumber() {
  const Node digits = g_.Repeat(digit_, 1, kMostDigits);
  const Node whole = g_.Choice(
      {g_.Literal("0"), g_.Sequence({g_.Range('1', '9'), g_.Repeat(digit_, 0, kMostDigits - 1)})});
  // Two digits of exponent keep every number finite.
  const Node exponent = g_.Sequence(
      {g_.Bytes(BytesOf("eE")), g_.Optional(g_.Bytes(BytesOf("+-"))), g_.Repeat(digit_, 1, 2)});
  return g_.Sequence({g_.Optional(g_.Literal("-")), whole,
                      g_.Optional(g_.Sequence({g_.Literal("."), digits})), g_.Optional(exponent)});
}

Grammar::Node JsonGrammar::Integer(std::optional<int64_t> least, std::optional<int64_t> most) {
  const int64_t limit = static_cast<int64_t>(kLargest);
  const int64_t low = std::clamp(least.value_or(-limit), -limit, limit);
  const int64_t high = std::clamp(most.value_or(limit), -limit, limit);
  std::vector<Node> choices;
  if (high >= 0) {
    choices.push_back(DigitRange(g_, static_cast<uint64_t>(std::max<int64_t>(low, 0)),
                                 static_cast<uint64_t>(high)));
  }
  if (low < 0) {
    const uint64_t smallest = static_cast<uint64_t>(std::max<int64_t>(-high, 1));
    choices.push_back(
        g_.Sequence({g_.Literal("-"), DigitRange(g_, smallest, static_cast<uint64_t>(-low))}));
  }
  return g_.Choice(std::move(choices));
}

Grammar::Node JsonGrammar::WithSeparator(bool first, Node part) {
  return first ? part : g_.Sequence({g_.Literal(","), space_, part});
}

// With the white space that may follow it.
Grammar::Node JsonGrammar::Member(Node name, Node value, bool first) {
  return WithSeparator(first, g_.Sequence({name, space_, g_.Literal(":"), space_, value, space_}));
}

Grammar::Node JsonGrammar::Item(Node value, bool first) {
  return WithSeparator(first, g_.Sequence({value, space_}));
}

Grammar::Node JsonGrammar::ObjectOf(Node value) {
  const Node more = g_.Repeat(Member(string_, value, /*first=*/false), 0);
  return Braces(g_.Optional(g_.Sequence({Member(string_, value, /*first=*/true), more})));
}

Grammar::Node JsonGrammar::Array(Node item, uint32_t least, uint32_t most) {
  if (most == 0) return Brackets(g_.Sequence({}));
  const uint32_t more = most == GrammarNode::kNoLimit ? most : most - 1;
  const Node items =
      g_.Sequence({Item(item, /*first=*/true),
                   g_.Repeat(Item(item, /*first=*/false), std::max<uint32_t>(least, 1) - 1, more)});
  return Brackets(least == 0 ? g_.Optional(items) : items);
}

}  // namespace cedar
