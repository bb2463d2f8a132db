#include "app/grammar_cache.h"

#include <algorithm>
#include <iterator>

#include "app/json_schema.h"

namespace cedar {
namespace {

constexpr size_t kMostKept = 64;

}  // namespace

std::shared_ptr<TokenMasks> GrammarCache::Get(const nlohmann::ordered_json* schema) {
  LetGo();
  const std::string key = schema == nullptr ? "" : schema->dump();
  const auto known = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front().second;
  }
  auto grammar = schema == nullptr ? GrammarOfAnyObject() : GrammarOfSchema(*schema);
  if (vocabulary_ == nullptr) vocabulary_ = std::make_shared<Vocabulary>(tokenizer_);
  recent_.emplace_front(key, std::make_shared<TokenMasks>(std::move(grammar), vocabulary_));
  if (recent_.size() > kMostKept) recent_.pop_back();
  return recent_.front().second;
}

// Grammars have grown since they were handed out: those that were used last stay, as far as they
// fit.
void GrammarCache::LetGo() {
  size_t left = most_bytes_;
  for (auto it = recent_.begin(); it != recent_.end();) {
    const size_t bytes = it->second->bytes();
    const bool fits = bytes <= left;
    if (fits) left -= bytes;
    it = fits ? std::next(it) : recent_.erase(it);
  }
}

}  // namespace cedar
