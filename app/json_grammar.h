#ifndef CEDAR_APP_JSON_GRAMMAR_H_
#define CEDAR_APP_JSON_GRAMMAR_H_

// The parts of JSON as grammar: what the rules of a schema are put together from.

#include <cstdint>
#include <optional>

#include "app/grammar.h"

namespace cedar {

class JsonGrammar {
 public:
  using Node = Grammar::Node;

  explicit JsonGrammar(Grammar& grammar);

  // Any value, string, number, object or array.
  Node Any() const { return any_; }
  Node String() const { return string_; }
  Node Number() const { return number_; }
  Node AnyObject() const { return any_object_; }
  // An integer; limits are inclusive. One without an upper limit has at most 18 digits.
  Node Integer(std::optional<int64_t> least, std::optional<int64_t> most);
  // Any number of properties of any name.
  Node ObjectOf(Node value);
  // The parts of which objects and arrays are put together: a member or an item, the first of all
  // or with a comma before it, and the whole.
  Node Member(Node name, Node value, bool first);
  Node Item(Node value, bool first);
  Node Braces(Node members) {
    return g_.Sequence({g_.Literal("{"), space_, members, g_.Literal("}")});
  }
  Node Brackets(Node items) {
    return g_.Sequence({g_.Literal("["), space_, items, g_.Literal("]")});
  }
  Node Array(Node item, uint32_t least, uint32_t most);

 private:
  Node MakeString();
  Node MakeCharacter();
  Node MakeNumber();
  Node WithSeparator(bool first, Node part);

  Grammar& g_;
  Node space_;  // none, a space, or a new line with its indent: what JSON is commonly written with
  Node digit_;
  Node string_;
  Node number_;
  Node any_object_;
  Node any_;
};

}  // namespace cedar

#endif  // CEDAR_APP_JSON_GRAMMAR_H_
