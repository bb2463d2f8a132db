#ifndef CEDAR_APP_BATCH_LINE_H_
#define CEDAR_APP_BATCH_LINE_H_

// The lines of a batch as OpenAI's Batch API has them: a request in, an answer or an error out.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat_format.h"
#include "app/generate.h"
#include "engine/sampler.h"

namespace cedar {

// A line that was understood.
struct BatchRequest {
  std::string model;  // echoed
  std::vector<Message> messages;
  std::optional<int> effort;  // unset: no thinking
  std::optional<size_t> max_tokens;
  SamplingParams sampling;
  uint64_t seed = 0;
};

struct BatchAnswer {
  std::string content;
  std::optional<std::string> reasoning;  // unset: it was not asked to think
  Finish finish = Finish::kStop;
  size_t prompt_tokens = 0;
  size_t completion_tokens = 0;
  size_t reasoning_tokens = 0;
};

// What every line that goes out begins with.
struct BatchId {
  size_t line = 0;                       // of the input, from 1
  std::optional<std::string> custom_id;  // of the request, where it has one
};

// The JSON of a line. Throws Error (kInput) if it is not UTF-8 or not JSON.
nlohmann::json ParseBatchLine(std::string_view line);

std::optional<std::string> CustomId(const nlohmann::json& line);

// Throws Error (kInput) that names the field: one that is missing, has a value that is not allowed
// or is not supported. A request without a seed gets one that depends on the text of its line
// alone.
BatchRequest ReadBatchRequest(const nlohmann::json& line, std::string_view text);

// The lines to write, with their newline.
std::string FormatAnswer(const BatchId& id, const BatchRequest& request, const BatchAnswer& answer);
std::string FormatFailure(const BatchId& id, const std::string& message);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_LINE_H_
