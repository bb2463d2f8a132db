#include "app/chat_turns.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "app/tool_text.h"

namespace cedar {
namespace {

bool IsOfUserTurn(const Message& message) {
  return message.role == Role::kUser || message.role == Role::kTool;
}

// The place of a result among its calls; 0 for one that answers none of them.
size_t PlaceOf(const Message& result, std::span<const ToolCall> calls) {
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [&](const ToolCall& call) { return call.id == result.call_id; });
  return found == calls.end() ? 0 : found - calls.begin();
}

// Sorts the results of tools among themselves; what the user said stays where it is.
void SortResults(std::span<const ToolCall> calls, std::vector<Message>& run) {
  std::multimap<size_t, Message> results;  // by place; of one place in the order of the run
  for (const Message& message : run) {
    if (message.role == Role::kTool) results.emplace(PlaceOf(message, calls), message);
  }
  auto next = results.begin();
  for (Message& message : run) {
    if (message.role == Role::kTool) message = (next++)->second;
  }
}

Message UserTurn(std::vector<Message> run) {
  std::vector<std::string> parts;
  for (Message& message : run) {
    parts.push_back(message.role == Role::kTool ? ToolResult(message.content)
                                                : std::move(message.content));
  }
  Message turn = {Role::kUser, parts.size() == 1 ? std::move(parts[0]) : JoinParts(parts)};
  turn.task = run.back().task;
  return turn;
}

}  // namespace

std::vector<Message> TurnsOf(std::span<const Message> messages) {
  std::vector<Message> turns;
  std::span<const ToolCall> calls;  // of the assistant before
  for (size_t i = 0; i < messages.size();) {
    std::vector<Message> run;
    while (i < messages.size() && IsOfUserTurn(messages[i]) &&
           (run.empty() || run.back().task.empty())) {
      run.push_back(messages[i++]);
    }
    if (!run.empty()) {
      SortResults(calls, run);
      turns.push_back(UserTurn(std::move(run)));
      continue;
    }
    if (messages[i].role == Role::kAssistant) calls = messages[i].calls;
    turns.push_back(messages[i++]);
  }
  return turns;
}

}  // namespace cedar
