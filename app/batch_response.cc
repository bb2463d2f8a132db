#include "app/batch_response.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/logprob_fields.h"
#include "app/tool_names.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Answers may be cut inside a code point, and messages may quote the bytes of a broken line.
std::string Dump(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string LineText(const LineId& line, int status, Json body, Json error) {
  const Json out = {
      {"id", line.id()},
      {"custom_id", line.custom_id},
      {"response",
       {{"status_code", status}, {"request_id", "req" + line.suffix()}, {"body", std::move(body)}}},
      {"error", std::move(error)}};
  return Dump(out);
}

const char* FinishName(FinishReason finish) {
  switch (finish) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kToolCalls:
      return "tool_calls";
  }
  return "";
}

Json CallFields(const std::vector<ToolCall>& calls, const std::string& prefix) {
  Json out = Json::array();
  for (size_t i = 0; i < calls.size(); ++i) {
    const ToolName name = SplitToolName(calls[i].name);
    Json call = {{"id", prefix + std::to_string(i)}, {"type", "function"}};
    if (!name.space.empty()) call["namespace"] = name.space;
    call["function"] = {{"name", name.name}, {"arguments", calls[i].arguments}};
    out.push_back(std::move(call));
  }
  return out;
}

TokenNames NamesOf(const Tokenizer& tokenizer, const BatchRequest& request) {
  return {tokenizer, request.response.tokens_as_ids, request.answer.show_control};
}

Json ChatChoice(const Tokenizer& tokenizer, const LineId& line, const BatchRequest& request,
                const Answer& answer, size_t index) {
  Json message = {{"role", "assistant"}, {"content", request.response.before + answer.content}};
  if (answer.reasoning && request.response.reasoning)
    message["reasoning_content"] = *answer.reasoning;
  if (!answer.calls.empty()) {
    if (message["content"] == "") message["content"] = nullptr;
    message["tool_calls"] =
        CallFields(answer.calls, "call" + line.suffix() + "_" + std::to_string(index) + "_");
  }
  const bool logprobs = request.answer.top_logprobs.has_value();
  const TokenNames names = NamesOf(tokenizer, request);
  Json choice = {{"index", index},
                 {"message", std::move(message)},
                 {"logprobs", logprobs ? ChatLogprobs(names, answer.logprobs) : Json()},
                 {"finish_reason", FinishName(answer.finish)}};
  if (request.response.token_ids) choice["token_ids"] = answer.ids;
  return choice;
}

Json CompletionChoice(const Tokenizer& tokenizer, const BatchRequest& request,
                      const AnswerChoice& choice, size_t index) {
  const std::vector<int32_t>& prompt = request.prompts[choice.prompt];
  const ResponseFields& response = request.response;
  const std::string before = response.echo ? tokenizer.Decode(prompt) : "";
  Json logprobs;
  if (request.answer.top_logprobs) {
    const TokenNames names = NamesOf(tokenizer, request);
    const std::span<const int32_t> all(prompt);
    logprobs = CompletionLogprobs(names, response.echo ? all : all.first(0), choice.prompt_logprobs,
                                  choice.answer.logprobs, *request.answer.top_logprobs);
  }
  Json out = {{"index", index},
              {"text", before + choice.answer.content},
              {"logprobs", std::move(logprobs)},
              {"finish_reason", FinishName(choice.answer.finish)}};
  if (response.prompt_logprobs) {
    out["prompt_logprobs"] =
        PromptLogprobs(tokenizer, choice.prompt_logprobs, *response.prompt_logprobs);
  }
  if (response.token_ids) {
    out["token_ids"] = choice.answer.ids;
    out["prompt_token_ids"] = prompt;
  }
  return out;
}

// What a chat's response says of its one prompt.
void AddPromptFields(const Tokenizer& tokenizer, const BatchRequest& request,
                     const std::vector<AnswerChoice>& choices, Json& body) {
  const ResponseFields& response = request.response;
  if (response.prompt_logprobs) {
    body["prompt_logprobs"] =
        PromptLogprobs(tokenizer, choices[0].prompt_logprobs, *response.prompt_logprobs);
  }
  if (response.token_ids) body["prompt_token_ids"] = request.prompts[0];
}

Json Usage(const BatchRequest& request, const std::vector<AnswerChoice>& choices) {
  const PromptUsage prompt = PromptUsageOf(request, choices);
  size_t completion = 0, reasoning = 0;
  for (const AnswerChoice& choice : choices) {
    completion += choice.answer.tokens;
    reasoning += choice.answer.reasoning_tokens;
  }
  return {{"prompt_tokens", prompt.tokens},
          {"completion_tokens", completion},
          {"total_tokens", prompt.tokens + completion},
          {"prompt_tokens_details", {{"cached_tokens", prompt.cached}}},
          {"completion_tokens_details", {{"reasoning_tokens", reasoning}}}};
}

}  // namespace

PromptUsage PromptUsageOf(const BatchRequest& request, std::span<const AnswerChoice> choices) {
  // Choices begin in no fixed order: what the first of them found is the least of all.
  std::vector<size_t> cached;
  for (const auto& prompt : request.prompts) cached.push_back(prompt.size());
  for (const AnswerChoice& choice : choices) {
    cached[choice.prompt] = std::min(cached[choice.prompt], choice.cached_tokens);
  }
  PromptUsage usage;
  for (size_t i = 0; i < cached.size(); ++i) {
    usage.tokens += request.prompts[i].size();
    usage.cached += cached[i];
  }
  return usage;
}

std::string FormatAnswer(const Tokenizer& tokenizer, const LineId& line,
                         const BatchRequest& request, const std::vector<AnswerChoice>& choices) {
  Json list = Json::array();
  for (size_t i = 0; i < choices.size(); ++i) {
    list.push_back(request.completion ? CompletionChoice(tokenizer, request, choices[i], i)
                                      : ChatChoice(tokenizer, line, request, choices[i].answer, i));
  }
  Json body = {{"id", (request.completion ? "cmpl" : "chatcmpl") + line.suffix()},
               {"object", request.completion ? "text_completion" : "chat.completion"},
               {"created", std::time(nullptr)},
               {"model", request.model},
               {"choices", std::move(list)},
               {"usage", Usage(request, choices)}};
  if (!request.completion) AddPromptFields(tokenizer, request, choices, body);
  return LineText(line, 200, std::move(body), nullptr);
}

std::string FormatFailure(const LineId& line, const std::string& code, const std::string& message) {
  return LineText(line, 400, nullptr, {{"code", code}, {"message", message}});
}

}  // namespace cedar
