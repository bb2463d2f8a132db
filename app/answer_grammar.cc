#include "app/answer_grammar.h"

#include "app/string_grammar.h"

namespace cedar {

std::unique_ptr<Grammar> GrammarWithCalls(const AnswerForm& form,
                                          std::span<const CallableTool> tools,
                                          const CallBlock& block, size_t most_bytes) {
  auto all = std::make_unique<Grammar>();
  const Grammar::Node calls = all->Include(GrammarOfCalls(tools, block, most_bytes));
  if (form.kind == AnswerForm::Kind::kFree) {
    const Grammar::Node text = StringGrammar(*all, {}, StringForm::kCall);
    all->root = all->Sequence({text, all->Optional(calls)});
  } else {
    all->root = all->Choice({calls, all->Include(GrammarOfForm(form, most_bytes))});
  }
  return all;
}

}  // namespace cedar
