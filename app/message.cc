#include "app/message.h"

#include <cstddef>

namespace cedar {

std::string JoinParts(std::span<const std::string> parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += "\n\n";
    text += parts[i];
  }
  return text;
}

void AttachTools(const std::vector<std::string>& tools, std::vector<Message>& messages) {
  if (tools.empty()) return;
  if (messages.empty() || messages[0].role != Role::kSystem) {
    messages.insert(messages.begin(), Message{Role::kSystem, ""});
  }
  messages[0].tools = tools;
}

}  // namespace cedar
