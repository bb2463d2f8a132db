#ifndef CEDAR_APP_CHAT_FORMAT_H_
#define CEDAR_APP_CHAT_FORMAT_H_

// Conversations as the model was taught to read them (text.md, section C, form O).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weights/tokenizer.h"

namespace cedar {

enum class Role { kSystem, kUser, kAssistant };

// Text is valid UTF-8 of any origin: none of it can become a control token.
struct Message {
  Role role;
  std::string content;
  std::string reasoning;  // of an assistant: what it thought before it answered
};

inline constexpr int kLeastEffort = 1;
inline constexpr int kMostEffort = 100;

struct ChatOptions {
  std::optional<int> effort = 75;  // kLeastEffort to kMostEffort; unset: no thinking
};

// The content of a message that was given in parts.
std::string JoinParts(std::span<const std::string> parts);

// The prompt of a conversation. It ends with an assistant's turn that has just begun, inside
// <think> or behind </think>, for the model to go on with; if the last message is an assistant's,
// it ends with that. Consecutive user messages count as one. In thinking mode only what was thought
// since the last user or later system message is kept.
//
// No message at all, an effort out of range, or a control token that the tokenizer lacks: Error
// (kInput).
std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer, std::span<const Message> messages,
                                const ChatOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_CHAT_FORMAT_H_
