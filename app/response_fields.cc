#include "app/response_fields.h"

#include <limits>

namespace cedar {

ResponseFields TakeResponseFields(JsonFields& body) {
  constexpr uint64_t kMostLogprobs = 20;
  ResponseFields out;
  out.echo = body.TakeBool("echo").value_or(false);
  if (const auto top = body.TakeCount("prompt_logprobs", 0, kMostLogprobs)) {
    out.prompt_logprobs = *top;
  }
  out.token_ids = body.TakeBool("return_token_ids").value_or(false);
  out.tokens_as_ids = body.TakeBool("return_tokens_as_token_ids").value_or(false);
  return out;
}

void Truncation::Cut(size_t most, std::vector<int32_t>& prompt) const {
  if (prompt.size() <= most) return;
  const auto cut = static_cast<std::ptrdiff_t>(prompt.size() - most);
  if (keep_front) {
    prompt.erase(prompt.end() - cut, prompt.end());
  } else {
    prompt.erase(prompt.begin(), prompt.begin() + cut);
  }
}

Truncation TakeTruncation(JsonFields& body) {
  constexpr const char* kName = "truncate_prompt_tokens";
  Truncation out;
  const nlohmann::ordered_json* const tokens = body.Take(kName);
  if (tokens && *tokens == -1) {
    out.tokens = Truncation::kToContext;
  } else if (const auto most = body.TakeCount(kName, 1, std::numeric_limits<uint32_t>::max())) {
    out.tokens = *most;
  }
  const std::string side = body.TakeString("truncation_side").value_or("left");
  if (side != "left" && side != "right") {
    FailField(body.PathOf("truncation_side"), side, "\"left\" or \"right\"");
  }
  out.keep_front = side == "right";
  return out;
}

}  // namespace cedar
