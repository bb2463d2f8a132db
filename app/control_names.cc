#include "app/control_names.h"

namespace cedar {

bool IsSilent(const Tokenizer& tokenizer, int32_t id) {
  if (!tokenizer.IsControl(id)) return false;
  const std::string_view text = tokenizer.TokenText(id);
  return text != kThinkBegin && text != kThinkEnd && text != kDsml;
}

}  // namespace cedar
