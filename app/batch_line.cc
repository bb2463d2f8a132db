#include "app/batch_line.h"

#include <ctime>
#include <limits>

#include "app/json_fields.h"
#include "app/option_values.h"
#include "app/options.h"
#include "app/text_input.h"
#include "simd/error.h"

namespace cedar {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kMethod = "POST";
constexpr const char* kUrl = "/v1/chat/completions";
constexpr const char* kErrorCode = "invalid_request";
constexpr uint64_t kMostTokens = std::numeric_limits<uint32_t>::max();

// Text as a string, or as a list of parts {"type": "text", "text": ...}.
std::vector<std::string> ReadContent(const json& content, const std::string& path) {
  if (content.is_string()) return {content.get<std::string>()};
  if (!content.is_array()) FailField(path, content, "a string or a list of text parts");
  std::vector<std::string> parts;
  for (size_t i = 0; i < content.size(); ++i) {
    JsonFields fields(content[i], path + "[" + std::to_string(i) + "]");
    const std::string type = fields.NeedString("type");
    if (type != "text") FailField(fields.PathOf("type"), type, "\"text\"");
    parts.push_back(fields.NeedString("text"));
    fields.RefuseOthers();
  }
  return parts;
}

Role ReadRole(JsonFields& fields) {
  const std::string role = fields.NeedString("role");
  if (role == "system") return Role::kSystem;
  if (role == "user") return Role::kUser;
  if (role == "assistant") return Role::kAssistant;
  FailField(fields.PathOf("role"), role, "\"system\", \"user\" or \"assistant\"");
}

Message ReadMessage(const json& message, const std::string& path) {
  JsonFields fields(message, path);
  Message out{ReadRole(fields), "", ""};
  out.content = JoinParts(ReadContent(fields.Need("content"), fields.PathOf("content")));
  if (out.role == Role::kAssistant) {
    out.reasoning = fields.TakeString("reasoning_content").value_or("");
  }
  fields.RefuseOthers();
  return out;
}

std::vector<Message> ReadMessages(JsonFields& body) {
  const json& messages = body.Need("messages");
  const std::string path = body.PathOf("messages");
  if (!messages.is_array() || messages.empty()) FailField(path, messages, "a list of messages");
  std::vector<Message> out;
  for (size_t i = 0; i < messages.size(); ++i) {
    out.push_back(ReadMessage(messages[i], path + "[" + std::to_string(i) + "]"));
  }
  if (out.back().role == Role::kAssistant) {
    FailField(path, messages.back(), "a last message for the model to answer");
  }
  return out;
}

// "none": no thinking.
std::optional<int> ReadEffort(JsonFields& body) {
  const json* effort = body.Take("reasoning_effort");
  if (!effort) return kDefaultEffort;
  if (effort->is_number_unsigned()) {
    return static_cast<int>(body.TakeCount("reasoning_effort", 1, kMaxEffort).value());
  }
  if (*effort == "none") return std::nullopt;
  if (*effort == "low") return kLowEffort;
  if (*effort == "high") return kHighEffort;
  if (*effort == "max") return kMaxEffort;
  FailField(body.PathOf("reasoning_effort"), *effort,
            "\"none\", \"low\", \"high\", \"max\" or a whole number from 1 to 100");
}

// The old name and the new one of the same limit.
std::optional<size_t> ReadMaxTokens(JsonFields& body) {
  const auto old_name = body.TakeCount("max_tokens", 1, kMostTokens);
  const auto new_name = body.TakeCount("max_completion_tokens", 1, kMostTokens);
  if (old_name && new_name && *old_name != *new_name) {
    FailField(body.PathOf("max_completion_tokens"), *new_name,
              "the same as max_tokens (" + std::to_string(*old_name) + ")");
  }
  return new_name ? new_name : old_name;
}

SamplingParams ReadSampling(JsonFields& body) {
  SamplingParams out;
  out.temperature = body.TakeReal("temperature", kTemperatureRange).value_or(out.temperature);
  out.top_p = body.TakeReal("top_p", kTopPRange).value_or(out.top_p);
  out.top_k = static_cast<int>(
      body.TakeCount("top_k", 0, std::numeric_limits<int>::max()).value_or(out.top_k));
  out.min_p = body.TakeReal("min_p", kMinPRange).value_or(out.min_p);
  return out;
}

// FNV-1a, 64 bits: the same on every machine.
uint64_t Digest(std::string_view text) {
  uint64_t digest = 0xcbf29ce484222325u;
  for (const char byte : text) {
    digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return digest;
}

// Any 64-bit number; a negative one counts as its two's complement.
uint64_t ReadSeed(JsonFields& body, std::string_view text) {
  const json* seed = body.Take("seed");
  if (!seed) return Digest(text);
  if (!seed->is_number_integer()) FailField(body.PathOf("seed"), *seed, "a whole number");
  return seed->is_number_unsigned() ? seed->get<uint64_t>()
                                    : static_cast<uint64_t>(seed->get<int64_t>());
}

BatchRequest ReadBody(const json& object, std::string_view text) {
  JsonFields body(object, "body");
  BatchRequest request;
  request.model = body.TakeString("model").value_or("");
  request.messages = ReadMessages(body);
  request.max_tokens = ReadMaxTokens(body);
  request.sampling = ReadSampling(body);
  request.seed = ReadSeed(body, text);
  request.effort = ReadEffort(body);
  body.RefuseOthers();
  return request;
}

// Messages may quote the bytes of a broken line.
std::string Dump(const ordered_json& line) {
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string Line(const BatchId& id, int status_code, ordered_json body, ordered_json error) {
  const std::string number = std::to_string(id.line);
  ordered_json line;
  line["id"] = "batch_req_" + number;
  line["custom_id"] = id.custom_id ? ordered_json(*id.custom_id) : ordered_json();
  line["response"] = {
      {"status_code", status_code}, {"request_id", "req_" + number}, {"body", std::move(body)}};
  line["error"] = std::move(error);
  return Dump(line);
}

ordered_json AnswerMessage(const BatchAnswer& answer) {
  ordered_json message{{"role", "assistant"}, {"content", answer.content}};
  if (answer.reasoning) message["reasoning_content"] = *answer.reasoning;
  return message;
}

ordered_json Usage(const BatchAnswer& answer) {
  return {{"prompt_tokens", answer.prompt_tokens},
          {"completion_tokens", answer.completion_tokens},
          {"total_tokens", answer.prompt_tokens + answer.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", 0}}},
          {"completion_tokens_details", {{"reasoning_tokens", answer.reasoning_tokens}}}};
}

}  // namespace

json ParseBatchLine(std::string_view line) {
  CheckUtf8(line, "line");
  try {
    return json::parse(line);
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kInput, std::string("line: expected JSON: ") + error.what());
  }
}

std::optional<std::string> CustomId(const json& line) {
  if (!line.is_object()) return std::nullopt;
  const auto id = line.find("custom_id");
  if (id == line.end() || !id->is_string()) return std::nullopt;
  return id->get<std::string>();
}

BatchRequest ReadBatchRequest(const json& line, std::string_view text) {
  JsonFields fields(line, "");
  fields.NeedString("custom_id");
  const std::string method = fields.NeedString("method");
  if (method != kMethod) FailField("method", method, std::string("\"") + kMethod + "\"");
  const std::string url = fields.NeedString("url");
  if (url != kUrl) FailField("url", url, std::string("\"") + kUrl + "\"");
  const json& body = fields.Need("body");
  fields.RefuseOthers();
  return ReadBody(body, text);
}

std::string FormatAnswer(const BatchId& id, const BatchRequest& request,
                         const BatchAnswer& answer) {
  const char* finish = answer.finish == Finish::kStop ? "stop" : "length";
  ordered_json choice{{"index", 0},
                      {"message", AnswerMessage(answer)},
                      {"logprobs", nullptr},
                      {"finish_reason", finish}};
  ordered_json body{{"id", "chatcmpl-" + std::to_string(id.line)},
                    {"object", "chat.completion"},
                    {"created", std::time(nullptr)},
                    {"model", request.model},
                    {"choices", ordered_json::array({std::move(choice)})},
                    {"usage", Usage(answer)}};
  return Line(id, 200, std::move(body), nullptr);
}

std::string FormatFailure(const BatchId& id, const std::string& message) {
  return Line(id, 400, nullptr, {{"code", kErrorCode}, {"message", message}});
}

}  // namespace cedar
