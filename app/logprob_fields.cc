#include "app/logprob_fields.h"

#include <string>
#include <string_view>

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

Json ByteList(std::string_view bytes) {
  Json out = Json::array();
  for (const char byte : bytes) out.push_back(static_cast<uint8_t>(byte));
  return out;
}

Json TokenFields(const Tokenizer& tokenizer, const TokenLogprob& token) {
  const std::string_view bytes = tokenizer.TokenBytes(token.id);
  return {{"token", bytes}, {"logprob", token.logprob}, {"bytes", ByteList(bytes)}};
}

// Grows the four lists of a completion token by token.
class CompletionLists {
 public:
  explicit CompletionLists(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void Add(int32_t id, Json logprob, Json top) {
    const std::string_view bytes = tokenizer_.TokenBytes(id);
    tokens_.push_back(bytes);
    logprobs_.push_back(std::move(logprob));
    top_.push_back(std::move(top));
    offsets_.push_back(offset_);
    offset_ += bytes.size();
  }
  void Add(const ChosenToken& token) {
    Json top = Json::object();
    for (const TokenLogprob& other : token.top) {
      top[std::string(tokenizer_.TokenBytes(other.id))] = other.logprob;
    }
    Add(token.token.id, token.token.logprob, std::move(top));
  }
  Json Fields() && {
    return {{"tokens", std::move(tokens_)},
            {"token_logprobs", std::move(logprobs_)},
            {"top_logprobs", std::move(top_)},
            {"text_offset", std::move(offsets_)}};
  }

 private:
  const Tokenizer& tokenizer_;
  Json tokens_ = Json::array(), logprobs_ = Json::array(), top_ = Json::array(),
       offsets_ = Json::array();
  size_t offset_ = 0;
};

}  // namespace

Json ChatLogprobs(const Tokenizer& tokenizer, std::span<const ChosenToken> answer) {
  Json content = Json::array();
  for (const ChosenToken& token : answer) {
    Json fields = TokenFields(tokenizer, token.token);
    Json top = Json::array();
    for (const TokenLogprob& other : token.top) top.push_back(TokenFields(tokenizer, other));
    fields["top_logprobs"] = std::move(top);
    content.push_back(std::move(fields));
  }
  return {{"content", std::move(content)}};
}

Json CompletionLogprobs(const Tokenizer& tokenizer, std::span<const int32_t> prompt,
                        std::span<const ChosenToken> prompt_logprobs,
                        std::span<const ChosenToken> answer) {
  CompletionLists lists(tokenizer);
  if (!prompt.empty()) lists.Add(prompt[0], nullptr, nullptr);
  for (const ChosenToken& token : prompt_logprobs) lists.Add(token);
  for (const ChosenToken& token : answer) lists.Add(token);
  return std::move(lists).Fields();
}

}  // namespace cedar
