#ifndef CEDAR_APP_THINKING_SPLIT_H_
#define CEDAR_APP_THINKING_SPLIT_H_

// Parts what a model generates into what it thinks and what it answers (text.md, C.4).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weights/stream_decoder.h"
#include "weights/tokenizer.h"

namespace cedar {

struct GeneratedText {
  std::string reasoning;
  std::string answer;
};

class ThinkingSplit {
 public:
  // thinking: the prompt ended with <think>, so the first tokens are reasoning; else all is answer.
  // The tokenizer must outlive the splitter.
  ThinkingSplit(const Tokenizer& tokenizer, bool thinking);

  // The text that became certain with this token, valid UTF-8. The token </think> ends the
  // reasoning and is itself no text, wherever it comes.
  GeneratedText Push(int32_t id);

  // The same for a token that is no text.
  GeneratedText PushSilent();

  // Bytes of an unfinished code point, as U+FFFD.
  GeneratedText Finish();

  bool thinking() const { return thinking_; }
  // Tokens of reasoning so far, </think> among them.
  size_t reasoning_tokens() const { return reasoning_tokens_; }

 private:
  GeneratedText Sort(std::string text) const;

  StreamDecoder decoder_;
  std::optional<int32_t> think_end_;
  bool thinking_;
  size_t reasoning_tokens_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_APP_THINKING_SPLIT_H_
