#ifndef CEDAR_APP_ANSWER_FORM_H_
#define CEDAR_APP_ANSWER_FORM_H_

// What form a request wants its answer to have: by response_format as OpenAI has it, by
// structured_outputs and the older guided_json, guided_regex and guided_choice as vLLM has them.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/grammar.h"
#include "app/json_fields.h"

namespace cedar {

struct AnswerForm {
  enum class Kind {
    kFree,    // any text
    kObject,  // any JSON object
    kSchema,  // JSON of a schema
    kRegex,   // a text that a regular expression matches from end to end
    kChoice,  // one of some texts
  };

  Kind kind = Kind::kFree;
  nlohmann::ordered_json value;  // the schema, the expression, or the list of texts
  std::string field;             // the path of what says so, for messages
  std::string told;              // what the model is told of it; empty for nothing
};

// One of the fields at most may say anything. Throws Error (kInput) that names the field: one that
// contradicts another, or is not supported, as grammars and tags are not.
AnswerForm TakeAnswerForm(JsonFields& body);

// The grammar of a form that is not free. Throws Error (kInput) for a schema or an expression that
// is not supported or met by no text. most_bytes: of the grammar.
std::unique_ptr<Grammar> GrammarOfForm(const AnswerForm& form,
                                       size_t most_bytes = Grammar::kAnySize);

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_FORM_H_
