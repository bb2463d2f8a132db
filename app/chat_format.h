#ifndef CEDAR_APP_CHAT_FORMAT_H_
#define CEDAR_APP_CHAT_FORMAT_H_

// Conversations as the model was taught to read them (text.md, section C).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/message.h"
#include "app/option_values.h"
#include "weights/tokenizer.h"

namespace cedar {

struct ChatOptions {
  std::optional<int> effort = kHighEffort;  // kLeastEffort to kMaxEffort; unset: no thinking
  // Keeps what was thought in all earlier turns, so that a conversation only grows (form R).
  bool preserve_thinking = false;
  bool open_turn = true;  // the prompt ends with a turn of the assistant's that has just begun
};

// The prompt of a conversation. It ends with an assistant's turn that has just begun, inside
// <think> or behind </think>, for the model to go on with; if the last message is an assistant's,
// it ends with that; if it has a task, with what the task asks for; without open_turn, with the
// last message. Consecutive messages of users and tools count as one. In thinking mode only what
// was thought since the last of them or of the later system messages is kept, except in a
// conversation with tools, where all is, and where that is asked for.
//
// No message at all, an effort out of range, an unknown task, damaged JSON of a tool, or a control
// token that the tokenizer lacks: Error (kInput).
std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer, std::span<const Message> messages,
                                const ChatOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_CHAT_FORMAT_H_
