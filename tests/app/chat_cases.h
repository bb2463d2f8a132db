#ifndef CEDAR_TESTS_APP_CHAT_CASES_H_
#define CEDAR_TESTS_APP_CHAT_CASES_H_

// What the tests of chat text share.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/chat_format.h"
#include "app/control_names.h"
#include "tests/weights/tokenizer_data.h"

namespace cedar {

using Ids = std::vector<int32_t>;
using Messages = std::vector<Message>;

inline constexpr ChatOptions kChat = {std::nullopt};
inline constexpr ChatOptions kThinking = {};

inline const std::string kBos(kBeginOfText);
inline const std::string kEos(kEndOfText);

inline Message System(std::string text) { return {Role::kSystem, std::move(text)}; }
inline Message User(std::string text) { return {Role::kUser, std::move(text)}; }
inline Message Assistant(std::string text, std::string reasoning = "") {
  return {Role::kAssistant, std::move(text), std::move(reasoning)};
}

inline std::string EffortText(const std::string& n) {
  return "Reasoning Effort: " + n +
         " (range 1-100, the higher the value, the more thorough the reasoning)\n\n";
}

inline Ids Encode(const Messages& messages, const ChatOptions& options) {
  return EncodeChat(RealTokenizer(), messages, options);
}

// The prompt must be `text`, with every control token spelled out in it taken as one: the messages
// of a test that uses this spell none.
inline void ExpectPrompt(const Messages& messages, const ChatOptions& options,
                         const std::string& text) {
  const Ids ids = Encode(messages, options);
  EXPECT_EQ(RealTokenizer().Decode(ids), text);
  EXPECT_EQ(ids, RealTokenizer().EncodeWithControl(text));
}

}  // namespace cedar

#endif  // CEDAR_TESTS_APP_CHAT_CASES_H_
