#ifndef CEDAR_APP_ANSWER_WRITER_H_
#define CEDAR_APP_ANSWER_WRITER_H_

#include <cstdint>
#include <cstdio>

#include "app/output.h"
#include "app/thinking_split.h"

namespace cedar {

// The answer to standard output, what is thought to standard error.
class AnswerWriter {
 public:
  AnswerWriter(const Tokenizer& tokenizer, bool thinking) : split_(tokenizer, thinking) {}

  void Push(int32_t id) { Write(split_.Push(id)); }

  void Finish() {
    Write(split_.Finish());
    EndReasoning();
  }

 private:
  void Write(const GeneratedText& text) {
    if (!text.reasoning.empty()) {
      std::fwrite(text.reasoning.data(), 1, text.reasoning.size(), stderr);
      reasoning_open_ = true;
    }
    if (text.answer.empty()) return;
    EndReasoning();
    output_.Write(text.answer);
  }

  // What follows on standard error begins on a line of its own.
  void EndReasoning() {
    if (reasoning_open_) std::fputs("\n", stderr);
    reasoning_open_ = false;
  }

  ThinkingSplit split_;
  Output output_ = Output::Standard();
  bool reasoning_open_ = false;
};

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_WRITER_H_
