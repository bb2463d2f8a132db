#include "app/prompt_writer.h"

#include <optional>
#include <utility>

#include "app/control_names.h"
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

void PromptWriter::Template(std::string_view text) {
  while (!text.empty()) {
    size_t first = text.size();
    std::string_view name;
    for (const std::string_view candidate : {kThinkBegin, kThinkEnd, kDsml}) {
      const size_t at = text.find(candidate);
      if (at >= first) continue;
      first = at;
      name = candidate;
    }
    Text(text.substr(0, first));
    if (!name.empty()) Control(name);
    text.remove_prefix(first + name.size());
  }
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
