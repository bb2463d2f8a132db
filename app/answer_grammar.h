#ifndef CEDAR_APP_ANSWER_GRAMMAR_H_
#define CEDAR_APP_ANSWER_GRAMMAR_H_

// Answers that may call tools and need not.

#include <memory>
#include <span>

#include "app/answer_form.h"
#include "app/call_grammar.h"
#include "app/grammar.h"

namespace cedar {

// A block of calls, or else what the form says; where it is free, any text, and then perhaps calls.
// Free text does not spell the mark of calls out. Throws Error (kInput) as GrammarOfCalls and
// GrammarOfForm. most_bytes: of each of the two.
std::unique_ptr<Grammar> GrammarWithCalls(const AnswerForm& form,
                                          std::span<const CallableTool> tools,
                                          const CallBlock& block,
                                          size_t most_bytes = Grammar::kAnySize);

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_GRAMMAR_H_
