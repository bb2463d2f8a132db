#include "app/batch_line.h"

#include <algorithm>
#include <utility>

#include "app/answer_form.h"
#include "app/call_parser.h"
#include "app/chat_format.h"
#include "app/control_names.h"
#include "app/json_text.h"
#include "app/message_fields.h"
#include "app/request_url.h"
#include "app/text_input.h"
#include "app/thinking_fields.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostChoices = 128;

// A prompt as one user message.
std::vector<Message> AsMessage(JsonFields& body) {
  return {{Role::kUser, body.NeedString("prompt")}};
}

// The leading system message, made if there is none.
Message& SystemMessage(std::vector<Message>& messages) {
  if (messages[0].role != Role::kSystem) {
    messages.insert(messages.begin(), Message{Role::kSystem, ""});
  }
  return messages[0];
}

// Which of the two marks came last: an unfinished turn of the assistant's may go on with its
// thoughts.
bool IsThinking(const Tokenizer& tokenizer, std::span<const int32_t> prompt) {
  const auto begin = tokenizer.FindControl(kThinkBegin), end = tokenizer.FindControl(kThinkEnd);
  const auto last = std::find_if(prompt.rbegin(), prompt.rend(),
                                 [&](int32_t id) { return id == begin || id == end; });
  return last != prompt.rend() && *last == begin;
}

// Answers to each prompt. The old way to say from how many they are picked: from no more.
size_t TakeChoices(JsonFields& body) {
  const size_t choices = body.TakeCount("n", 1, kMostChoices).value_or(1);
  const size_t best_of = body.TakeCount("best_of", 1, kMostChoices).value_or(choices);
  if (best_of != choices) {
    FailField(body.PathOf("best_of"), best_of, std::to_string(choices) + ", as n says");
  }
  return choices;
}

// What follows a grammar is over where it is complete: it cannot be made longer. field: what gave
// it the grammar.
void CheckLength(const JsonFields& body, const AnswerOptions& answer, const std::string& field) {
  if (answer.grammar == nullptr) return;
  const std::string with = ", as " + field + " says where the answer ends";
  if (answer.min_tokens > 1) {
    FailField(body.PathOf("min_tokens"), answer.min_tokens, "1 at most" + with);
  }
  if (answer.ignore_eos) FailField(body.PathOf("ignore_eos"), true, "false" + with);
}

void TakeLogprobs(JsonFields& body, AnswerOptions& answer) {
  const bool logprobs = body.TakeBool("logprobs").value_or(false);
  const auto top = body.TakeCount("top_logprobs", 0, 20);
  if (top && *top > 0 && !logprobs)
    FailField(body.PathOf("top_logprobs"), *top, "logprobs to be true");
  if (logprobs) answer.top_logprobs = top.value_or(0);
}

}  // namespace

Json ParseBatchLine(std::string_view line) { return ParseJson(line, "line"); }

std::optional<std::string> CustomId(const Json& line) {
  if (line.is_object()) {
    const auto id = line.find("custom_id");
    if (id != line.end() && id->is_string()) return id->get<std::string>();
  }
  return std::nullopt;
}

uint64_t Digest(std::string_view text, uint64_t before) {
  uint64_t digest = before;
  for (const char byte : text) {
    digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return digest;
}

std::optional<size_t> BatchRequest::TopOfPrompt() const {
  const bool echoed = completion && response.echo && answer.top_logprobs.has_value();
  if (!echoed) return response.prompt_logprobs;
  return std::max(*answer.top_logprobs, response.prompt_logprobs.value_or(0));
}

size_t BatchRequest::bytes() const {
  // Beside what grows: the request with its options, and the sampler, the parser and the place in
  // the queue of each choice.
  constexpr size_t kFixed = 1024, kChoice = 2048, kBias = 64, kOfLogprob = 32;
  size_t bytes = kFixed + custom_id.size() + kBias * answer.logit_bias.size() +
                 sizeof(int32_t) * answer.stop_ids.size();
  for (const std::string& stop : answer.stop) bytes += sizeof(stop) + stop.size();
  for (const auto& prompt : prompts) bytes += sizeof(int32_t) * prompt.size() + kChoice * choices;
  if (const std::optional<size_t> top = TopOfPrompt()) {
    for (const auto& prompt : prompts) bytes += prompt.size() * choices * (1 + *top) * kOfLogprob;
  }
  if (answer.top_logprobs) {
    // Until all choices are done, each keeps its tokens' log-probabilities. Few answers are longer.
    constexpr size_t kLikely = 512;
    bytes += prompts.size() * choices * std::min<size_t>(answer.max_tokens, kLikely) *
             (1 + *answer.top_logprobs) * kOfLogprob;
  }
  return bytes;
}

RequestReader::RequestReader(const Tokenizer& tokenizer, size_t vocab, AnswerDefaults defaults,
                             size_t grammar_bytes)
    : tokenizer_(tokenizer),
      vocab_(vocab),
      defaults_(std::move(defaults)),
      grammars_(tokenizer, grammar_bytes) {}

BatchRequest RequestReader::Read(const Json& line, uint64_t text_digest) {
  JsonFields fields(line, "");
  BatchRequest request;
  request.custom_id = fields.TakeString("custom_id").value_or("");
  const std::string url = fields.TakeString("url").value_or("/v1/chat/completions");
  const std::optional<Endpoint> endpoint = EndpointOf(url);
  if (!endpoint) FailField("url", url, "\"/v1/chat/completions\" or \"/v1/completions\"");
  request.completion = *endpoint == Endpoint::kCompletion;
  const auto own = request.completion ? CompletionFields() : ChatFields();
  if (const Json* object = fields.Take("body")) {
    fields.CheckNames({LineFields()});
    JsonFields body(*object, "body");
    body.CheckNames({BodyFields(), own});
    ReadBody(body, text_digest, request);
    fields.RefuseOthers();
  } else {
    fields.CheckNames({LineFields(), BodyFields(), own});
    if (line.contains("url") && !fields.Take("messages") && !fields.Take("prompt")) {
      fields.Need("body");
    }
    ReadBody(fields, text_digest, request);
  }
  return request;
}

void RequestReader::ReadBody(JsonFields& body, uint64_t text_digest, BatchRequest& request) {
  request.model = body.TakeString("model").value_or("");
  request.response = TakeResponseFields(body);
  request.truncation = TakeTruncation(body);
  // The prompt alone is worth an answer where something is said of it.
  const bool may_be_empty =
      (request.completion && request.response.echo) || request.response.prompt_logprobs.has_value();
  request.answer = TakeAnswerOptions(body, defaults_, text_digest, vocab_, may_be_empty);
  request.answer.keep_ids = request.response.token_ids;
  request.choices = TakeChoices(body);
  if (request.completion) {
    ReadCompletion(body, request);
  } else {
    ReadChat(body, request);
  }
  body.RefuseOthers();
}

void RequestReader::ReadChat(JsonFields& body, BatchRequest& request) {
  AnswerOptions& answer = request.answer;
  // Only a line without messages may have a prompt.
  const bool has_messages = body.Take("messages") != nullptr || !body.Take("prompt");
  std::vector<Message> messages = has_messages ? TakeMessages(body) : AsMessage(body);
  if (request.response.echo && messages.back().role == Role::kAssistant) {
    request.response.before = messages.back().content;
  }
  if (defaults_.system && messages[0].role != Role::kSystem) {
    SystemMessage(messages).content = *defaults_.system;
  }
  const std::vector<std::string> tools = TakeTools(body);
  const ToolChoice choice = TakeToolChoice(body);
  if (!choice.none) AttachTools(tools, messages);
  const bool has_tools = std::any_of(messages.begin(), messages.end(),
                                     [](const Message& message) { return !message.tools.empty(); });
  answer.parse_calls = has_tools && !choice.none;
  const AnswerForm form = TakeAnswerForm(body);
  if (!form.told.empty()) SystemMessage(messages).reply_schema = form.told;
  TakeLogprobs(body, answer);

  ThinkingFields thinking = TakeThinking(body, defaults_);
  thinking.chat.open_turn = TakeGenerationPrompt(body);
  answer.max_thinking = thinking.max_thinking;
  request.response.reasoning = thinking.is_shown;
  std::vector<int32_t> prompt = EncodeChat(tokenizer_, messages, thinking.chat);
  answer.thinking = IsThinking(tokenizer_, prompt);
  LimitAnswer(body, form, choice, messages, answer);
  if (answer.open_call) AppendOpenCall(tokenizer_, prompt);
  request.prompts.push_back(std::move(prompt));
}

// Without thinking the prompt itself opens a block of calls that must come.
void RequestReader::LimitAnswer(const JsonFields& body, const AnswerForm& form,
                                const ToolChoice& choice, std::span<const Message> messages,
                                AnswerOptions& answer) {
  const std::string path = body.PathOf("tool_choice");
  const bool has_form = form.kind != AnswerForm::Kind::kFree;
  if (choice.must_call && has_form) {
    throw Error(ErrorKind::kInput,
                path + ": a call is wanted, and by " + form.field + " a text instead");
  }
  answer.must_call = choice.must_call;
  answer.open_call = choice.must_call && !answer.thinking;
  const CallBlock block{.opened = answer.open_call, .several = choice.several};
  const bool may_call = answer.parse_calls && (has_form || choice.IsNarrow());
  if (choice.must_call) {
    answer.grammar = grammars_.GetCalls(CallableTools(messages, choice, path), block);
  } else if (may_call || !choice.names.empty()) {
    answer.grammar = grammars_.GetFormOrCalls(form, CallableTools(messages, choice, path), block);
  } else if (has_form) {
    answer.grammar = grammars_.GetForm(form);
  }
  const bool by_choice = choice.must_call || !choice.names.empty();
  CheckLength(body, answer,
              has_form    ? form.field
              : by_choice ? path
                          : body.PathOf("parallel_tool_calls"));
}

std::vector<int32_t> RequestReader::ReadRawPrompt(const Json& prompt, const std::string& path) {
  std::vector<int32_t> ids;
  if (prompt.is_string()) {
    ids = tokenizer_.EncodeWithControl(prompt.get<std::string>());
  } else if (prompt.is_array()) {
    for (const Json& id : prompt) ids.push_back(TokenId(id, vocab_, path));
  } else {
    FailField(path, prompt, "text or a list of token ids");
  }
  if (ids.empty()) FailField(path, prompt, "a prompt that is not empty");
  return ids;
}

void RequestReader::ReadCompletion(JsonFields& body, BatchRequest& request) {
  const Json& prompt = body.Need("prompt");
  const std::string path = body.PathOf("prompt");
  const bool is_list =
      prompt.is_array() && !prompt.empty() && (prompt[0].is_string() || prompt[0].is_array());
  if (is_list) {
    for (size_t i = 0; i < prompt.size(); ++i) {
      request.prompts.push_back(ReadRawPrompt(prompt[i], path + "[" + std::to_string(i) + "]"));
    }
  } else {
    request.prompts.push_back(ReadRawPrompt(prompt, path));
  }
  request.answer.raw = true;
  if (const auto top = body.TakeCount("logprobs", 0, 20)) request.answer.top_logprobs = *top;
  const AnswerForm form = TakeAnswerForm(body);
  if (form.kind != AnswerForm::Kind::kFree) request.answer.grammar = grammars_.GetForm(form);
  CheckLength(body, request.answer, form.field);
}

}  // namespace cedar
