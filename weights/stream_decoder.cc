#include "weights/stream_decoder.h"

#include "weights/utf8.h"

namespace cedar {

std::string StreamDecoder::Push(int32_t id) {
  held_ += tokenizer_.TokenBytes(id);
  std::string_view rest = held_;
  std::string text;
  while (!rest.empty()) {
    const Utf8Unit unit = FirstUtf8Unit(rest);
    if (unit.kind == Utf8Kind::kIncomplete) break;
    text += unit.kind == Utf8Kind::kValid ? rest.substr(0, unit.length) : kReplacementCharacter;
    rest.remove_prefix(unit.length);
  }
  held_.erase(0, held_.size() - rest.size());
  return text;
}

std::string StreamDecoder::Finish() {
  std::string text = RepairUtf8(held_);
  held_.clear();
  return text;
}

}  // namespace cedar
