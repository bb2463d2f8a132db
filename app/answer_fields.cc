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
  if (const std::optional<uint64_t> number = WholeNumber(*seed)) return *number;
  if (seed->is_number_integer()) return static_cast<uint64_t>(seed->get<int64_t>());
  if (seed->is_number()) {
    if (const auto below = WholeNumber(-seed->get<double>())) return -*below;
  }
  FailField(body.PathOf("seed"), *seed, "a whole number");
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
    if (value.is_null()) continue;
    constexpr RealRange kRange{-100, 100};
    if (!value.is_number() || !kRange.Contains(value.get<double>())) {
      FailField(path + "." + key, value, kRange.Text());
    }
    out[id] = value.get<double>();
  }
  return out;
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
  out.sampling = TakeSampling(body, defaults.sampling);
  out.seed = TakeSeed(body, defaults.seed, digest);
  out.stop = body.TakeStrings("stop");
  for (const std::string& stop : out.stop) {
    if (stop.empty()) FailField(body.PathOf("stop"), stop, "strings that are not empty");
  }
  out.stop_ids = body.TakeIds("stop_token_ids", vocab);
  out.ignore_eos = body.TakeBool("ignore_eos").value_or(false);
  out.keep_stop = body.TakeBool("include_stop_str_in_output").value_or(false);
  out.show_control = !body.TakeBool("skip_special_tokens").value_or(true);
  out.presence_penalty = body.TakeReal("presence_penalty", kPenaltyRange).value_or(0);
  out.frequency_penalty = body.TakeReal("frequency_penalty", kPenaltyRange).value_or(0);
  out.repetition_penalty = body.TakeReal("repetition_penalty", kRepetitionRange).value_or(1);
  out.logit_bias = TakeBias(body, vocab);
  return out;
}

}  // namespace cedar
