#include "app/request_intake.h"

#include <algorithm>

namespace cedar {
namespace {

// What acts on every line beside its own text.
uint64_t DigestOf(const Engine& engine, const BatchOptions& options) {
  const AnswerDefaults& d = options.defaults;
  const nlohmann::json all = {d.system.value_or(""),
                              d.effort.value_or(0),
                              d.max_tokens.value_or(0),
                              d.max_thinking.has_value(),
                              d.max_thinking.value_or(0),
                              d.sampling.temperature,
                              d.sampling.top_p,
                              d.sampling.top_k,
                              d.sampling.min_p,
                              d.seed.has_value(),
                              d.seed.value_or(0),
                              ReplayName(options.compute.replay),
                              options.truncate_prompt,
                              NumericsName(engine.numerics()),
                              KeyText(engine.ContentKey())};
  return Digest(all.dump());
}

}  // namespace

RequestIntake::RequestIntake(const Engine& engine, const BatchOptions& options,
                             const BatchPlan& plan, size_t lines)
    : context_(plan.scheduler.context),
      truncate_(options.truncate_prompt),
      defaults_digest_(DigestOf(engine, options)),
      reader_(engine.tokenizer(), engine.config().vocab, options.defaults, plan.grammar_bytes),
      names_(lines) {}

RequestIntake::Line RequestIntake::Identify(const InputLine& input) {
  Line line;
  line.number = input.number;
  line.text_digest = Digest(input.text);
  line.failure_code = input.failure_code;
  try {
    if (input.failure) throw Error(ErrorKind::kInput, *input.failure);
    line.json = ParseBatchLine(input.text);
  } catch (const Error& error) {
    line.failure = error.what();
  }
  const std::optional<std::string> name =
      input.custom_id.empty() ? CustomId(line.json) : input.custom_id;
  line.id.custom_id = name ? *name : names_.AddUnnamed(input.number);
  line.id.digest = Digest(input.text, Digest(line.id.custom_id, defaults_digest_));
  line.id.occurrence = name ? names_.Add(*name) : 0;
  return line;
}

BatchRequest RequestIntake::Read(const Line& line) {
  if (!line.failure.empty()) throw LineError(line.failure_code, line.failure);
  if (line.id.occurrence > 0) {
    throw LineError("duplicate_custom_id",
                    "custom_id: \"" + line.id.custom_id + "\" was the name of an earlier line");
  }
  try {
    BatchRequest request = reader_.Read(line.json, line.text_digest);
    FitContext(request);
    return request;
  } catch (const LineError&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    throw LineError("invalid_request", error.what());
  }
}

// What helps a prompt of which so much would fit.
std::string RequestIntake::Advice(size_t room) const {
  if (room == 0) return ", which is no room for a prompt: fewer max_tokens help";
  return truncate_ ? "" : " (--truncate-prompt cuts prompts that are too long at their front)";
}

// Checks lengths against the context, and sets max_tokens where nobody did.
void RequestIntake::FitContext(BatchRequest& request) const {
  AnswerOptions& answer = request.answer;
  const size_t answer_room = std::max<size_t>(answer.max_tokens, 1);
  const size_t room = context_ - std::min(context_, answer_room);
  const Truncation& truncation = request.truncation;
  const bool to_context = truncation.tokens == Truncation::kToContext;
  if (truncation.tokens && !to_context && *truncation.tokens > context_) {
    FailField("truncate_prompt_tokens", *truncation.tokens,
              "no more than the context, which has " + std::to_string(context_));
  }
  size_t longest = 0;
  for (std::vector<int32_t>& prompt : request.prompts) {
    if (truncation.tokens && !to_context) truncation.Cut(*truncation.tokens, prompt);
    if ((truncate_ || to_context) && room > 0) truncation.Cut(room, prompt);
    if (prompt.size() > room) {
      throw LineError("context_length_exceeded",
                      std::to_string(prompt.size()) + " prompt tokens and " +
                          std::to_string(answer_room) + " to generate: the context has " +
                          std::to_string(context_) + Advice(room));
    }
    longest = std::max(longest, prompt.size());
  }
  if (answer.max_tokens == 0 && !answer.prompt_only) answer.max_tokens = context_ - longest;
}

}  // namespace cedar
