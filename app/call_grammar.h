#ifndef CEDAR_APP_CALL_GRAMMAR_H_
#define CEDAR_APP_CALL_GRAMMAR_H_

// Calls of tools as a grammar: the block of text.md, C.2, as the model was taught to write it. It
// names only tools that there are; their arguments come in the order of the parameters' schema,
// each as the schema wants it. Where the schema is beyond what app/json_schema.h supports, the
// arguments are of any names and values, unless the tool is `strict`.

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "app/grammar.h"

namespace cedar {

struct CallableTool {
  std::string name;                   // as the model writes it
  nlohmann::ordered_json parameters;  // their schema; null: it takes none
  bool strict = false;                // its arguments must follow the schema
};

struct CallBlock {
  bool opened = false;   // the prompt holds the beginning (app/call_parser.h, kOpenCalls)
  bool several = false;  // more than one call, if the model wants
};

// In a text of this grammar kDsmlByte (app/token_trie.h) stands for the mark inside of tags. Throws
// Error (kInput) for names that no call can have, and for a strict tool whose schema is not
// supported. most_bytes: of the grammar.
std::unique_ptr<Grammar> GrammarOfCalls(std::span<const CallableTool> tools, const CallBlock& block,
                                        size_t most_bytes = Grammar::kAnySize);

}  // namespace cedar

#endif  // CEDAR_APP_CALL_GRAMMAR_H_
