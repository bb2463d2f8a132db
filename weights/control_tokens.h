#ifndef CEDAR_WEIGHTS_CONTROL_TOKENS_H_
#define CEDAR_WEIGHTS_CONTROL_TOKENS_H_

// The added tokens of a tokenizer, such as <｜User｜> and </think>, and how they are found in text.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cedar {

struct ControlToken {
  std::string text;
  int32_t id;
  bool normalized;  // looked for in normalised text, after all that are not
};

// A stretch of text: either one control token, or text without any.
struct TextSegment {
  std::string_view text;
  std::optional<int32_t> control;
};

class ControlTokens {
 public:
  // No text twice, none empty.
  explicit ControlTokens(const std::vector<ControlToken>& tokens);

  std::optional<int32_t> Find(std::string_view text) const;

  // Cuts `text` at its control tokens: the leftmost first, the longest of those that start there;
  // those that are not `normalized` before the others (text.md, A.1). No segment is empty.
  std::vector<TextSegment> Split(std::string_view text) const;

 private:
  // Token texts in byte order, so that all that share a prefix lie side by side.
  struct Group {
    std::vector<std::pair<std::string, int32_t>> sorted;
    std::array<bool, 256> starts{};  // bytes with which one of them starts

    void Add(const std::string& text, int32_t id);
    void Sort();
    // The longest token that `text` starts with, as an index into `sorted`.
    std::optional<size_t> LongestAt(std::string_view text) const;
    void Split(std::string_view text, std::vector<TextSegment>& out) const;
  };

  Group raw_;
  Group normalized_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CONTROL_TOKENS_H_
