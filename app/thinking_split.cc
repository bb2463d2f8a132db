#include "app/thinking_split.h"

#include <utility>

#include "app/control_names.h"

namespace cedar {

ThinkingSplit::ThinkingSplit(const Tokenizer& tokenizer, bool thinking)
    : decoder_(tokenizer), think_end_(tokenizer.FindControl(kThinkEnd)), thinking_(thinking) {}

GeneratedText ThinkingSplit::Push(int32_t id) {
  if (thinking_) ++reasoning_tokens_;
  if (id != think_end_) return Sort(decoder_.Push(id));
  GeneratedText rest = Finish();
  thinking_ = false;
  return rest;
}

GeneratedText ThinkingSplit::PushSilent() {
  if (thinking_) ++reasoning_tokens_;
  return Finish();
}

GeneratedText ThinkingSplit::Finish() { return Sort(decoder_.Finish()); }

GeneratedText ThinkingSplit::Sort(std::string text) const {
  GeneratedText sorted;
  (thinking_ ? sorted.reasoning : sorted.answer) = std::move(text);
  return sorted;
}

}  // namespace cedar
