#include "app/prompt_writer.h"

#include <optional>
#include <utility>

#include "simd/error.h"

namespace cedar {

void PromptWriter::Control(std::string_view name) {
  const std::optional<int32_t> id = tokenizer_.FindControl(name);
  if (!id) {
    throw Error(ErrorKind::kInput, "chat text: the model's tokenizer.json has no control token " +
                                       std::string(name) +
                                       ", so it cannot chat; --raw gives it plain text");
  }
  EncodeText();
  ids_.push_back(*id);
}

std::vector<int32_t> PromptWriter::Finish() {
  EncodeText();
  return std::exchange(ids_, {});
}

void PromptWriter::EncodeText() {
  const std::vector<int32_t> ids = tokenizer_.EncodePlain(text_);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  text_.clear();
}

}  // namespace cedar
