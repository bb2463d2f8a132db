#ifndef CEDAR_APP_GRAMMAR_CACHE_H_
#define CEDAR_APP_GRAMMAR_CACHE_H_

// Grammars of schemas over a model's vocabulary, so that a thousand requests with one schema
// compile it once.

#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "app/token_mask.h"
#include "weights/tokenizer.h"

namespace cedar {

class GrammarCache {
 public:
  // The tokenizer must outlive the cache and all that it hands out.
  explicit GrammarCache(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The grammar of a schema; null: of any JSON object. Throws Error (kInput) as GrammarOfSchema.
  std::shared_ptr<TokenMasks> Get(const nlohmann::ordered_json* schema);

 private:
  const Tokenizer& tokenizer_;
  std::shared_ptr<const SortedVocabulary> vocabulary_;                     // made when first wanted
  std::list<std::pair<std::string, std::shared_ptr<TokenMasks>>> recent_;  // latest first
};

}  // namespace cedar

#endif  // CEDAR_APP_GRAMMAR_CACHE_H_
