#include "app/logprob_fields.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/control_names.h"
#include "weights/stream_decoder.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

Json ByteList(std::string_view bytes) {
  Json out = Json::array();
  for (const char byte : bytes) out.push_back(static_cast<uint8_t>(byte));
  return out;
}

std::string NameOf(const TokenNames& names, int32_t id) {
  if (names.as_ids) return "token_id:" + std::to_string(id);
  return std::string(names.tokenizer.TokenBytes(id));
}

Json TokenFields(const TokenNames& names, const TokenLogprob& token) {
  const std::string_view bytes = names.tokenizer.TokenBytes(token.id);
  return {
      {"token", NameOf(names, token.id)}, {"logprob", token.logprob}, {"bytes", ByteList(bytes)}};
}

// Counts the characters of a text that comes in tokens.
class CharacterCount {
 public:
  explicit CharacterCount(const Tokenizer& tokenizer) : decoder_(tokenizer) {}

  void Push(int32_t id) { Add(decoder_.Push(id)); }
  // What is not whole by now is a character of its own.
  void Finish() { Add(decoder_.Finish()); }
  size_t count() const { return count_; }

 private:
  void Add(std::string_view text) {
    count_ += static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    }));
  }

  StreamDecoder decoder_;
  size_t count_ = 0;
};

// Grows the four lists of a completion token by token.
class CompletionLists {
 public:
  CompletionLists(const TokenNames& names, size_t top)
      : names_(names), most_(top), before_(names.tokenizer) {}

  void Add(int32_t id, Json logprob, Json top) {
    tokens_.push_back(NameOf(names_, id));
    logprobs_.push_back(std::move(logprob));
    top_.push_back(std::move(top));
    offsets_.push_back(before_.count());
  }
  void Add(const ChosenToken& token) {
    Json top = Json::object();
    for (size_t i = 0; i < std::min(most_, token.top.size()); ++i) {
      top[NameOf(names_, token.top[i].id)] = token.top[i].logprob;
    }
    Add(token.token.id, token.token.logprob, std::move(top));
  }
  // The token's text follows; a silent token has none.
  void Advance(int32_t id, bool is_silent) { is_silent ? before_.Finish() : before_.Push(id); }
  void EndPrompt() { before_.Finish(); }

  Json Fields() && {
    return {{"tokens", std::move(tokens_)},
            {"token_logprobs", std::move(logprobs_)},
            {"top_logprobs", std::move(top_)},
            {"text_offset", std::move(offsets_)}};
  }

 private:
  const TokenNames& names_;
  size_t most_;
  Json tokens_ = Json::array(), logprobs_ = Json::array(), top_ = Json::array(),
       offsets_ = Json::array();
  CharacterCount before_;
};

Json RankedFields(const Tokenizer& tokenizer, const TokenLogprob& token, size_t rank) {
  return {{"logprob", token.logprob},
          {"rank", rank},
          {"decoded_token", tokenizer.TokenBytes(token.id)}};
}

}  // namespace

Json ChatLogprobs(const TokenNames& names, std::span<const ChosenToken> answer) {
  Json content = Json::array();
  for (const ChosenToken& token : answer) {
    Json fields = TokenFields(names, token.token);
    Json top = Json::array();
    for (const TokenLogprob& other : token.top) top.push_back(TokenFields(names, other));
    fields["top_logprobs"] = std::move(top);
    content.push_back(std::move(fields));
  }
  return {{"content", std::move(content)}};
}

Json CompletionLogprobs(const TokenNames& names, std::span<const int32_t> prompt,
                        std::span<const ChosenToken> prompt_logprobs,
                        std::span<const ChosenToken> answer, size_t top) {
  CompletionLists lists(names, top);
  for (size_t i = 0; i < prompt.size(); ++i) {
    if (i == 0) lists.Add(prompt[0], nullptr, nullptr);
    if (i > 0 && i <= prompt_logprobs.size()) lists.Add(prompt_logprobs[i - 1]);
    lists.Advance(prompt[i], false);  // an echo shows all that it repeats
  }
  lists.EndPrompt();
  for (const ChosenToken& token : answer) {
    lists.Add(token);
    lists.Advance(token.token.id, !names.show_control && IsSilent(names.tokenizer, token.token.id));
  }
  return std::move(lists).Fields();
}

Json PromptLogprobs(const Tokenizer& tokenizer, std::span<const ChosenToken> prompt_logprobs,
                    size_t top) {
  Json out = {nullptr};
  for (const ChosenToken& token : prompt_logprobs) {
    Json place = Json::object();
    place[std::to_string(token.token.id)] = RankedFields(tokenizer, token.token, token.rank);
    for (size_t i = 0; i < std::min(top, token.top.size()); ++i) {
      if (token.top[i].id == token.token.id) continue;
      place[std::to_string(token.top[i].id)] = RankedFields(tokenizer, token.top[i], i + 1);
    }
    out.push_back(std::move(place));
  }
  return out;
}

}  // namespace cedar
