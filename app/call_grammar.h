#ifndef CEDAR_APP_CALL_GRAMMAR_H_
#define CEDAR_APP_CALL_GRAMMAR_H_

// Calls of tools as a grammar: the block of text.md, C.2, as the model was taught to write it. It
// names only tools that there are; their arguments come in the order of the parameters' schema,
// each as the schema wants it. A schema that app/json_schema.h does not support is an error,
// whether the tool is strict or not.

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "app/grammar.h"

namespace cedar {

struct CallableTool {
  std::string name;                   // as the model writes it
  nlohmann::ordered_json parameters;  // their schema; null: it takes none
};

struct CallBlock {
  bool opened = false;   // the prompt holds the beginning (app/call_parser.h, kOpenCalls)
  bool several = false;  // more than one call, if the model wants
};

// In a text of this grammar kDsmlByte (app/token_trie.h) stands for the mark inside of tags. Throws
// Error (kInput) that names the tool, for names that no call can have, and for a schema that is not
// supported or that no arguments meet. most_bytes: of the grammar.
std::unique_ptr<Grammar> GrammarOfCalls(std::span<const CallableTool> tools, const CallBlock& block,
                                        size_t most_bytes = Grammar::kAnySize);

}  // namespace cedar

#endif  // CEDAR_APP_CALL_GRAMMAR_H_
