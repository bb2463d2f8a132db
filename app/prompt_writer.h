#ifndef CEDAR_APP_PROMPT_WRITER_H_
#define CEDAR_APP_PROMPT_WRITER_H_

// Builds the ids of a prompt out of control tokens and text, so that text of any origin stays text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/tokenizer.h"

namespace cedar {

class PromptWriter {
 public:
  // The tokenizer must outlive the writer.
  explicit PromptWriter(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Appends the control token with this text; one that the tokenizer lacks is an Error (kInput)
  // that names it.
  void Control(std::string_view name);

  // Appends text (valid UTF-8), in which nothing counts as a control token. What is written between
  // two control tokens is encoded as one string: merges cross the seams of several calls.
  void Text(std::string_view text) { text_ += text; }

  // Appends text of our own, in which <think>, </think> and ｜DSML｜ are control tokens.
  void Template(std::string_view text);

  // The ids of all that was written; the writer is empty afterwards.
  std::vector<int32_t> Finish();

 private:
  void EncodeText();

  const Tokenizer& tokenizer_;
  std::vector<int32_t> ids_;
  std::string text_;  // since the last control token
};

}  // namespace cedar

#endif  // CEDAR_APP_PROMPT_WRITER_H_
