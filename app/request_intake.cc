#include "app/request_intake.h"

#include <algorithm>
#include <cstdio>

#include "simd/quantities.h"

namespace cedar {

RequestIntake::RequestIntake(const Engine& engine, const BatchOptions& options,
                             const BatchPlan& plan, size_t lines)
    : context_(plan.scheduler.context),
      longest_token_(engine.tokenizer().longest_token()),
      truncate_(options.truncate_prompt),
      reader_(engine.tokenizer(), engine.config().vocab, options.defaults, plan.grammar_bytes),
      identifier_(engine, options, lines),
      served_(options.model) {}

BatchRequest RequestIntake::Read(const Line& line) {
  if (!line.failure.empty()) throw LineError(line.failure_code, line.failure);
  if (line.id.occurrence > 0) {
    throw LineError("duplicate_custom_id",
                    "custom_id: \"" + line.id.custom_id + "\" was the name of an earlier line");
  }
  CheckDocument(line);
  try {
    BatchRequest request = reader_.Read(line.json, line.seed);
    FitContext(request);
    if (const std::optional<std::string> warning = served_.Warn(request.model)) {
      std::fprintf(stderr, "%s\n", warning->c_str());
    }
    return request;
  } catch (const LineError&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    throw LineError("invalid_request", error.what());
  }
}

void RequestIntake::CheckDocument(const Line& line) const {
  const size_t least = line.document_bytes / longest_token_;
  if (truncate_ || least < context_) return;
  throw LineError("context_length_exceeded", BytesText(line.document_bytes) +
                                                 " of text, which are " + std::to_string(least) +
                                                 " prompt tokens or more: the context has " +
                                                 std::to_string(context_) + Advice(context_));
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
    request.cut |= truncate_ && !to_context && room > 0 && prompt.size() > room;
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
