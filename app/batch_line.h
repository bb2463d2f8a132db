#ifndef CEDAR_APP_BATCH_LINE_H_
#define CEDAR_APP_BATCH_LINE_H_

// A line of a batch: a request as OpenAI's Batch API and `vllm run-batch` have them, or one of the
// looser forms that people write.
//
//   {"custom_id", "method", "url", "body": {...}}   the full form; method and url may be missing
//   {"messages": [...], ...}                        the body alone
//   {"prompt": "...", ...}                          one user message; raw text with the url
//                                                   /v1/completions

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/answer_fields.h"
#include "app/answer_options.h"
#include "app/grammar_cache.h"
#include "app/response_fields.h"
#include "app/tool_choice.h"
#include "weights/tokenizer.h"

namespace cedar {

// A request that was understood.
struct BatchRequest {
  std::string custom_id;                      // empty: it has none
  bool completion = false;                    // of /v1/completions: raw text
  std::string model;                          // echoed; empty: any
  std::vector<std::vector<int32_t>> prompts;  // one, but for completions of a list
  size_t choices = 1;                         // answers to each prompt
  Truncation truncation;                      // of the prompts, not done yet
  AnswerOptions answer;                       // thinking as the prompt ends
  ResponseFields response;
  bool cut = false;  // prompts, by --truncate-prompt

  // How many of the likeliest tokens are wanted in the place of each token of a prompt, if any.
  std::optional<size_t> TopOfPrompt() const;
  size_t bytes() const;  // of memory, about
};

// The JSON of a line. Throws Error (kInput) if it is not UTF-8, not JSON or nested too deeply.
nlohmann::ordered_json ParseBatchLine(std::string_view line);

// The line's own name, if it has one.
std::optional<std::string> CustomId(const nlohmann::ordered_json& line);

// Reads requests for one model.
class RequestReader {
 public:
  // vocab: rows of the model's head; grammar_bytes: of the grammars that are kept
  // (app/grammar_cache.h). The tokenizer must outlive the reader.
  RequestReader(const Tokenizer& tokenizer, size_t vocab, AnswerDefaults defaults,
                size_t grammar_bytes = kDefaultGrammarBytes);

  // text_digest: of the line's text. Throws Error (kInput) that names the field: one that is
  // missing, has a value that is not allowed, or is not supported. No field is ignored that would
  // change the answer.
  BatchRequest Read(const nlohmann::ordered_json& line, uint64_t text_digest);
  // As GrammarCache::Full.
  bool GrammarsFull() { return grammars_.Full(); }

 private:
  void ReadBody(JsonFields& body, uint64_t text_digest, BatchRequest& request);
  void ReadChat(JsonFields& body, BatchRequest& request);
  // Sets the grammar of a chat's answer, by what calls it may have or must.
  void LimitAnswer(const JsonFields& body, const AnswerForm& form, const ToolChoice& choice,
                   std::span<const Message> messages, AnswerOptions& answer);
  void ReadCompletion(JsonFields& body, BatchRequest& request);
  std::vector<int32_t> ReadRawPrompt(const nlohmann::ordered_json& prompt, const std::string& path);

  const Tokenizer& tokenizer_;
  size_t vocab_;
  AnswerDefaults defaults_;
  GrammarCache grammars_;
};

// FNV-1a, 64 bits: the same on every machine.
uint64_t Digest(std::string_view text, uint64_t before = 0xcbf29ce484222325u);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_LINE_H_
