#ifndef CEDAR_APP_GRAMMAR_CACHE_H_
#define CEDAR_APP_GRAMMAR_CACHE_H_

// Grammars of schemas and of calls over a model's vocabulary, so that a thousand requests with one
// schema compile it once. They grow as answers explore them: those that nobody holds are let go
// when all together have grown too large.

#include <cstddef>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/answer_form.h"
#include "app/call_grammar.h"
#include "app/token_mask.h"
#include "weights/tokenizer.h"

namespace cedar {

inline constexpr size_t kDefaultGrammarBytes = size_t{256} << 20;

class GrammarCache {
 public:
  // The tokenizer must outlive the cache and all that it hands out. most_bytes: of one grammar,
  // and of all with those that requests hold before it is full.
  explicit GrammarCache(const Tokenizer& tokenizer, size_t most_bytes = kDefaultGrammarBytes)
      : tokenizer_(tokenizer), most_bytes_(most_bytes) {}

  // The grammar of a schema; null: of any JSON object. Throws Error (kInput) as GrammarOfSchema.
  std::shared_ptr<TokenMasks> Get(const nlohmann::ordered_json* schema);
  // That of a form, as GrammarOfForm; of calls, as GrammarOfCalls; of both, as GrammarWithCalls.
  std::shared_ptr<TokenMasks> GetForm(const AnswerForm& form);
  std::shared_ptr<TokenMasks> GetCalls(std::span<const CallableTool> tools, const CallBlock& block);
  std::shared_ptr<TokenMasks> GetFormOrCalls(const AnswerForm& form,
                                             std::span<const CallableTool> tools,
                                             const CallBlock& block);

  // Whether the grammars that requests hold, each counted once, take all of its bytes.
  bool Full();

 private:
  using Entry = std::pair<std::string, std::shared_ptr<TokenMasks>>;  // by the text of its source

  std::shared_ptr<TokenMasks> Find(const std::string& source);
  std::shared_ptr<TokenMasks> Add(const std::string& source, std::unique_ptr<Grammar> grammar);
  size_t HeldBytes();
  void LetGo();

  const Tokenizer& tokenizer_;
  size_t most_bytes_;
  std::shared_ptr<const Vocabulary> vocabulary_;  // made when first wanted
  std::list<Entry> recent_;                       // latest first
  std::vector<std::weak_ptr<TokenMasks>> alive_;  // kept here or held by requests
};

}  // namespace cedar

#endif  // CEDAR_APP_GRAMMAR_CACHE_H_
