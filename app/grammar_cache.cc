#include "app/grammar_cache.h"

#include <algorithm>
#include <iterator>

#include "app/answer_grammar.h"
#include "app/json_schema.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostKept = 64;

Json SourceOf(std::span<const CallableTool> tools, const CallBlock& block) {
  Json all = {"calls", block.opened, block.several};
  for (const CallableTool& tool : tools) all.push_back({tool.name, tool.parameters});
  return all;
}

Json SourceOf(const AnswerForm& form) { return {"form", static_cast<int>(form.kind), form.value}; }

}  // namespace

std::shared_ptr<TokenMasks> GrammarCache::Get(const nlohmann::ordered_json* schema) {
  const std::string source = schema == nullptr ? "" : schema->dump();
  if (auto known = Find(source)) return known;
  return Add(source,
             schema == nullptr ? GrammarOfAnyObject() : GrammarOfSchema(*schema, most_bytes_));
}

std::shared_ptr<TokenMasks> GrammarCache::GetForm(const AnswerForm& form) {
  if (form.kind == AnswerForm::Kind::kObject) return Get(nullptr);
  if (form.kind == AnswerForm::Kind::kSchema) return Get(&form.value);
  const std::string source = SourceOf(form).dump();
  if (auto known = Find(source)) return known;
  return Add(source, GrammarOfForm(form, most_bytes_));
}

std::shared_ptr<TokenMasks> GrammarCache::GetCalls(std::span<const CallableTool> tools,
                                                   const CallBlock& block) {
  const std::string source = SourceOf(tools, block).dump();
  if (auto known = Find(source)) return known;
  return Add(source, GrammarOfCalls(tools, block, most_bytes_));
}

std::shared_ptr<TokenMasks> GrammarCache::GetFormOrCalls(const AnswerForm& form,
                                                         std::span<const CallableTool> tools,
                                                         const CallBlock& block) {
  const std::string source = Json::array({SourceOf(form), SourceOf(tools, block)}).dump();
  if (auto known = Find(source)) return known;
  return Add(source, GrammarWithCalls(form, tools, block, most_bytes_));
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
  // What answers make of each beside its grammar; it begins anew when that is too much.
  const size_t grown = std::clamp(most_bytes_ / 8, size_t{64} << 10, size_t{16} << 20);
  recent_.emplace_front(source,
                        std::make_shared<TokenMasks>(std::move(grammar), vocabulary_, grown));
  alive_.push_back(recent_.front().second);
  if (recent_.size() > kMostKept) recent_.pop_back();
  return recent_.front().second;
}

size_t GrammarCache::HeldBytes() {
  size_t bytes = 0;
  std::erase_if(alive_, [&](const std::weak_ptr<TokenMasks>& entry) {
    const std::shared_ptr<TokenMasks> masks = entry.lock();
    if (masks != nullptr) bytes += masks->bytes();
    return masks == nullptr;
  });
  return bytes;
}

// Those that were used last stay, as far as they fit, and those that requests hold: who comes with
// the same schema shares them.
void GrammarCache::LetGo() {
  const size_t held = HeldBytes();
  size_t excess = held - std::min(held, most_bytes_);
  for (auto it = recent_.end(); excess > 0 && it != recent_.begin();) {
    --it;
    if (it->second.use_count() > 1) continue;
    excess -= std::min(excess, it->second->bytes());
    it = recent_.erase(it);
  }
}

bool GrammarCache::Full() {
  LetGo();
  return HeldBytes() >= most_bytes_;
}

}  // namespace cedar
