#ifndef CEDAR_APP_CHAT_FORMAT_H_
#define CEDAR_APP_CHAT_FORMAT_H_

// Conversations as the model was taught to read them (text.md, section C, form O).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/message.h"
#include "weights/tokenizer.h"

namespace cedar {

inline constexpr int kLeastEffort = 1;
inline constexpr int kMostEffort = 100;

struct ChatOptions {
  std::optional<int> effort = 75;  // kLeastEffort to kMostEffort; unset: no thinking
};

// The prompt of a conversation. It ends with an assistant's turn that has just begun, inside
// <think> or behind </think>, for the model to go on with; if the last message is an assistant's,
// it ends with that; if it has a task, with what the task asks for. Consecutive messages of users
// and tools count as one. In thinking mode only what was thought since the last of them or of the
// later system messages is kept, except in a conversation with tools, where all is.
//
// No message at all, an effort out of range, an unknown task, damaged JSON of a tool, or a control
// token that the tokenizer lacks: Error (kInput).
std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer, std::span<const Message> messages,
                                const ChatOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_CHAT_FORMAT_H_
