#include "engine/reserved_ids.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cedar {
namespace {

constexpr std::array<std::string_view, 2> kPlaceholders = {"<｜place▁holder▁no▁",
                                                           "<|place_holder_mm_span_"};

constexpr std::array<std::string_view, 11> kImageMarks = {"<｜rl_image_pad｜>",
                                                          "<｜rl_image_start｜>",
                                                          "<｜deepseek_image｜>",
                                                          "<｜/polygon｜>",
                                                          "<｜polygon｜>",
                                                          "<｜/point｜>",
                                                          "<｜point｜>",
                                                          "<｜/box｜>",
                                                          "<｜box｜>",
                                                          "<｜/ref｜>",
                                                          "<｜ref｜>"};

bool IsReserved(std::string_view text) {
  return std::any_of(kPlaceholders.begin(), kPlaceholders.end(),
                     [text](std::string_view start) { return text.starts_with(start); }) ||
         std::find(kImageMarks.begin(), kImageMarks.end(), text) != kImageMarks.end();
}

}  // namespace

std::vector<int32_t> ReservedIds(const Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.IsControl(id) && IsReserved(tokenizer.TokenText(id))) ids.push_back(id);
  }
  return ids;
}

}  // namespace cedar
