#include "app/answer_fields.h"

#include <charconv>
#include <limits>

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostTokens = std::numeric_limits<uint32_t>::max();
constexpr RealRange kPenaltyRange{-2, 2};
// Far from what a fp32 logit could not take.
constexpr RealRange kRepetitionRange{0.01, 100};

// The old name and the new one of the same limit.
std::optional<size_t> TakeMaxTokens(JsonFields& body, size_t least) {
  const auto old_name = body.TakeCount("max_tokens", least, kMostTokens);
  const auto new_name = body.TakeCount("max_completion_tokens", least, kMostTokens);
  if (old_name && new_name && *old_name != *new_name) {
    FailField(body.PathOf("max_completion_tokens"), *new_name,
              "the same as max_tokens (" + std::to_string(*old_name) + ")");
  }
  return new_name ? new_name : old_name;
}

SamplingParams TakeSampling(JsonFields& body, SamplingParams sampling) {
  sampling.temperature =
      body.TakeReal("temperature", kTemperatureRange).value_or(sampling.temperature);
  sampling.top_p = body.TakeReal("top_p", kTopPRange).value_or(sampling.top_p);
  sampling.min_p = body.TakeReal("min_p", kMinPRange).value_or(sampling.min_p);
  const Json* top_k = body.Take("top_k");
  if (top_k && *top_k == -1) {  // the other way to say that it is off
    sampling.top_k = 0;
  } else {
    sampling.top_k = body.TakeCount("top_k", 0, kMostTokens).value_or(sampling.top_k);
  }
  return sampling;
}

// Any 64-bit number; a negative one counts as its two's complement.
uint64_t TakeSeed(JsonFields& body, const std::optional<uint64_t>& otherwise, uint64_t digest) {
  const Json* seed = body.Take("seed");
  if (!seed) return otherwise.value_or(digest);
  if (!seed->is_number_integer()) FailField(body.PathOf("seed"), *seed, "a whole number");
  return seed->is_number_unsigned() ? seed->get<uint64_t>()
                                    : static_cast<uint64_t>(seed->get<int64_t>());
}

std::map<int32_t, double> TakeBias(JsonFields& body, size_t vocab) {
  const Json* bias = body.Take("logit_bias");
  if (!bias) return {};
  const std::string path = body.PathOf("logit_bias");
  if (!bias->is_object()) FailField(path, *bias, "an object of token ids and numbers");
  std::map<int32_t, double> out;
  for (const auto& [key, value] : bias->items()) {
    int32_t id = -1;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size() || id < 0 ||
        static_cast<size_t>(id) >= vocab) {
      FailField(path, key, "token ids from 0 to " + std::to_string(vocab - 1));
    }
    constexpr RealRange kRange{-100, 100};
    if (!value.is_number() || !kRange.Contains(value.get<double>())) {
      FailField(path + "." + key, value, kRange.Text());
    }
    out[id] = value.get<double>();
  }
  return out;
}

std::optional<int> EffortOf(const Json& effort, const std::string& path) {
  if (effort == "none") return std::nullopt;
  if (effort == "low") return kLowEffort;
  if (effort == "high") return kHighEffort;
  if (effort == "max") return kMaxEffort;
  if (effort.is_number_unsigned() && effort >= kLeastEffort && effort <= kMaxEffort)
    return effort.get<int>();
  FailField(path, effort, "\"none\", \"low\", \"high\", \"max\" or a whole number from 1 to 100");
}

}  // namespace

AnswerOptions TakeAnswerOptions(JsonFields& body, const AnswerDefaults& defaults, uint64_t digest,
                                size_t vocab, bool may_be_empty) {
  AnswerOptions out;
  const std::optional<size_t> most = TakeMaxTokens(body, may_be_empty ? 0 : 1);
  out.prompt_only = most == 0;
  out.max_tokens = most ? *most : defaults.max_tokens.value_or(0);
  out.min_tokens = body.TakeCount("min_tokens", 0, kMostTokens).value_or(0);
  if ((out.max_tokens > 0 || out.prompt_only) && out.min_tokens > out.max_tokens) {
    FailField(body.PathOf("min_tokens"), out.min_tokens, "no more than max_tokens");
  }
  out.max_thinking = defaults.max_thinking;
  out.sampling = TakeSampling(body, defaults.sampling);
  out.seed = TakeSeed(body, defaults.seed, digest);
  out.stop = body.TakeStrings("stop");
  for (const std::string& stop : out.stop) {
    if (stop.empty()) FailField(body.PathOf("stop"), stop, "strings that are not empty");
  }
  out.stop_ids = body.TakeIds("stop_token_ids", vocab);
  out.ignore_eos = body.TakeBool("ignore_eos").value_or(false);
  out.presence_penalty = body.TakeReal("presence_penalty", kPenaltyRange).value_or(0);
  out.frequency_penalty = body.TakeReal("frequency_penalty", kPenaltyRange).value_or(0);
  out.repetition_penalty = body.TakeReal("repetition_penalty", kRepetitionRange).value_or(1);
  out.logit_bias = TakeBias(body, vocab);
  return out;
}

ChatOptions TakeChatOptions(JsonFields& body, std::optional<int> effort) {
  const Json* const field = body.Take("reasoning_effort");
  if (field) {
    effort = EffortOf(*field, body.PathOf("reasoning_effort"));
  }
  const Json* object = body.Take("chat_template_kwargs");
  if (!object) return {effort};
  JsonFields fields(*object, body.PathOf("chat_template_kwargs"));
  const auto thinking = fields.TakeBool("thinking"), enabled = fields.TakeBool("enable_thinking");
  const bool preserve = fields.TakeBool("preserve_thinking").value_or(false);
  fields.RefuseOthers();
  if (thinking && enabled && *thinking != *enabled) {
    FailField(fields.PathOf("enable_thinking"), *enabled, "the same as thinking");
  }
  const std::optional<bool> thinks = thinking ? thinking : enabled;
  if (thinks && !*thinks) effort.reset();
  if (thinks && *thinks && field && !effort) {
    FailField(fields.PathOf(thinking ? "thinking" : "enable_thinking"), true,
              "false, as reasoning_effort is \"none\"");
  }
  if (thinks && *thinks && !effort) effort = kHighEffort;
  return {effort, preserve};
}

}  // namespace cedar
