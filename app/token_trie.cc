#include "app/token_trie.h"

#include <algorithm>
#include <utility>

#include "app/control_names.h"

namespace cedar {
namespace {

constexpr std::string_view kDsmlBytes(&kDsmlByte, 1);

std::vector<TokenTrie::Token> TokensOfBytes(const Tokenizer& tokenizer) {
  std::vector<TokenTrie::Token> tokens;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string_view bytes = tokenizer.TokenBytes(id);
    const bool is_text = !tokenizer.IsControl(id) && bytes.find(kDsmlByte) == bytes.npos;
    if (is_text && !bytes.empty()) tokens.push_back({bytes, id});
  }
  if (const auto dsml = tokenizer.FindControl(kDsml)) tokens.push_back({kDsmlBytes, *dsml});
  return tokens;
}

}  // namespace

TokenTrie::TokenTrie(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(), [](const Token& a, const Token& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.id < b.id;
  });
  std::vector<uint32_t> open;  // the nodes of the token before
  for (uint32_t i = 0; i < tokens_.size(); ++i) Insert(i, open);
  const uint32_t end = static_cast<uint32_t>(nodes_.size());
  for (const uint32_t index : open) nodes_[index].end = end;
  nodes_.push_back({end, static_cast<uint32_t>(tokens_.size()), 0, 0});
  nodes_.shrink_to_fit();
}

// Tokens come sorted, so that only the last branch of the tree is still open.
void TokenTrie::Insert(uint32_t index, std::vector<uint32_t>& open) {
  const std::string_view bytes = tokens_[index].bytes;
  size_t shared = 0;
  while (shared < std::min(open.size(), bytes.size()) &&
         nodes_[open[shared]].byte == static_cast<uint8_t>(bytes[shared])) {
    ++shared;
  }
  const uint32_t here = static_cast<uint32_t>(nodes_.size());
  for (size_t i = shared; i < open.size(); ++i) nodes_[open[i]].end = here;
  open.resize(shared);
  for (size_t i = shared; i < bytes.size(); ++i) {
    open.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back({0, index, static_cast<uint32_t>(i), static_cast<uint8_t>(bytes[i])});
  }
  deepest_ = std::max(deepest_, bytes.size());
}

size_t TokenTrie::bytes() const {
  return tokens_.size() * sizeof(Token) + nodes_.size() * sizeof(Node);
}

Vocabulary::Vocabulary(const Tokenizer& t)
    : tokenizer(t), size(static_cast<size_t>(t.size())), trie(TokensOfBytes(t)) {}

std::string_view Vocabulary::BytesOf(int32_t id) const {
  return tokenizer.FindControl(kDsml) == id ? kDsmlBytes : tokenizer.TokenBytes(id);
}

}  // namespace cedar
