#ifndef CEDAR_APP_CHAT_TURNS_H_
#define CEDAR_APP_CHAT_TURNS_H_

#include <span>
#include <vector>

#include "app/message.h"

namespace cedar {

// Messages as the turns of chat text (text.md, C.2, rules 2 and 3): a run of user and tool messages
// becomes one user message, up to one with a task. Results of tools stand in the order of the calls
// that they answer.
std::vector<Message> TurnsOf(std::span<const Message> messages);

}  // namespace cedar

#endif  // CEDAR_APP_CHAT_TURNS_H_
