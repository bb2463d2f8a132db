#include "app/chat_format.h"

#include <cstddef>
#include <utility>

#include "app/control_names.h"
#include "app/prompt_writer.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr const char* kSeparator = "\n\n";  // between the parts of one turn

std::string EffortLine(int effort) {
  return "Reasoning Effort: " + std::to_string(effort) +
         " (range 1-100, the higher the value, the more thorough the reasoning)\n\n";
}

// Consecutive user messages as one.
std::vector<Message> FuseUserMessages(std::span<const Message> messages) {
  std::vector<Message> turns;
  for (const Message& message : messages) {
    const bool fuse =
        message.role == Role::kUser && !turns.empty() && turns.back().role == Role::kUser;
    if (fuse) {
      turns.back().content += kSeparator + message.content;
    } else {
      turns.push_back(message);
    }
  }
  return turns;
}

// Writes turn after turn; the rules are those of text.md, C.2.
class ChatWriter {
 public:
  ChatWriter(const Tokenizer& tokenizer, std::vector<Message> turns, std::optional<int> effort)
      : out_(tokenizer),
        turns_(std::move(turns)),
        effort_(effort),
        reasoning_from_(ReasoningFrom()) {}

  std::vector<int32_t> Write() {
    out_.Control(kBeginOfText);
    WriteHead();
    for (size_t i = 0; i < turns_.size(); ++i) {
      WriteTurn(i);
      if (AssistantFollows(i)) OpenAssistantTurn(i);
    }
    return out_.Finish();
  }

 private:
  bool IsAsking(size_t i) const {
    return turns_[i].role == Role::kUser || (turns_[i].role == Role::kSystem && i > 0);
  }

  // The first turn that keeps what was thought: the one after the last that asks for something.
  size_t ReasoningFrom() const {
    size_t from = 0;
    for (size_t i = 0; i < turns_.size(); ++i) {
      if (IsAsking(i)) from = i + 1;
    }
    return from;
  }

  // The effort and a leading system prompt share one system turn.
  void WriteHead() {
    if (effort_ || turns_[0].role == Role::kSystem) out_.Control(kSystemTurn);
    if (effort_) out_.Text(EffortLine(*effort_));
  }

  void WriteTurn(size_t i) {
    const Message& turn = turns_[i];
    if (turn.role == Role::kSystem && i > 0) out_.Control(kSystemTurn);
    if (turn.role == Role::kUser) out_.Control(kUserTurn);
    if (turn.role == Role::kAssistant && effort_ && i >= reasoning_from_) {
      out_.Text(turn.reasoning);
      out_.Control(kThinkEnd);
    }
    out_.Text(turn.content);
    if (turn.role == Role::kAssistant) out_.Control(kEndOfText);
  }

  // At the end the model answers, whatever was said last, unless that is an answer already.
  bool AssistantFollows(size_t i) const {
    if (i + 1 == turns_.size()) return turns_[i].role != Role::kAssistant;
    return IsAsking(i) && turns_[i + 1].role == Role::kAssistant;
  }

  void OpenAssistantTurn(size_t i) {
    out_.Control(kAssistantTurn);
    out_.Control(effort_ && i + 1 >= reasoning_from_ ? kThinkBegin : kThinkEnd);
  }

  PromptWriter out_;
  std::vector<Message> turns_;
  std::optional<int> effort_;
  size_t reasoning_from_;
};

}  // namespace

std::string JoinParts(std::span<const std::string> parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += kSeparator;
    text += parts[i];
  }
  return text;
}

std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer, std::span<const Message> messages,
                                const ChatOptions& options) {
  if (messages.empty())
    throw Error(ErrorKind::kInput, "messages: found none, expected one or more");
  if (options.effort && (*options.effort < kLeastEffort || *options.effort > kMostEffort)) {
    throw Error(ErrorKind::kInput, "effort: found " + std::to_string(*options.effort) +
                                       ", expected a number from 1 to 100");
  }
  return ChatWriter(tokenizer, FuseUserMessages(messages), options.effort).Write();
}

}  // namespace cedar
