#include "app/grammar_cache.h"

#include <algorithm>
#include <iterator>

#include "app/json_schema.h"

namespace cedar {
namespace {

constexpr size_t kMostKept = 64;

}  // namespace

std::shared_ptr<TokenMasks> GrammarCache::Get(const nlohmann::ordered_json* schema) {
  const std::string source = schema == nullptr ? "" : schema->dump();
  if (auto known = Find(source)) return known;
  return Add(source, schema == nullptr ? GrammarOfAnyObject() : GrammarOfSchema(*schema));
}

std::shared_ptr<TokenMasks> GrammarCache::GetCalls(std::span<const CallableTool> tools,
                                                   const CallBlock& block) {
  nlohmann::ordered_json all = {"calls", block.opened, block.several};
  for (const CallableTool& tool : tools) all.push_back({tool.name, tool.parameters, tool.strict});
  const std::string source = all.dump();
  if (auto known = Find(source)) return known;
  return Add(source, GrammarOfCalls(tools, block));
}

std::shared_ptr<TokenMasks> GrammarCache::Find(const std::string& source) {
  LetGo();
  const auto known = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const auto& entry) { return entry.first == source; });
  if (known == recent_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, known);
  return recent_.front().second;
}

std::shared_ptr<TokenMasks> GrammarCache::Add(const std::string& source,
                                              std::unique_ptr<Grammar> grammar) {
  if (vocabulary_ == nullptr) vocabulary_ = std::make_shared<Vocabulary>(tokenizer_);
  recent_.emplace_front(source, std::make_shared<TokenMasks>(std::move(grammar), vocabulary_));
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
