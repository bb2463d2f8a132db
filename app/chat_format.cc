#include "app/chat_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/chat_turns.h"
#include "app/control_names.h"
#include "app/prompt_writer.h"
#include "app/tool_text.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr std::string_view kAction = "action";
constexpr std::array<std::string_view, 6> kTasks = {kAction,  "query", "authority",
                                                    "domain", "title", "read_url"};

std::string EffortLine(int effort) {
  return "Reasoning Effort: " + std::to_string(effort) +
         " (range 1-100, the higher the value, the more thorough the reasoning)\n\n";
}

bool HasTools(const Message& turn) { return !turn.tools.empty(); }

// Writes turn after turn; the rules are those of text.md, C.2.
class ChatWriter {
 public:
  ChatWriter(const Tokenizer& tokenizer, std::vector<Message> turns, const ChatOptions& options)
      : out_(tokenizer),
        turns_(std::move(turns)),
        effort_(options.effort),
        open_turn_(options.open_turn),
        thoughts_from_(options.preserve_thinking ? 0 : ThoughtsFrom()) {}

  std::vector<int32_t> Write() {
    out_.Control(kBeginOfText);
    WriteHead();
    for (size_t i = 0; i < turns_.size(); ++i) {
      WriteTurn(i);
      WriteTransition(i);
    }
    return out_.Finish();
  }

 private:
  // Does this turn ask the model for something?
  bool IsAsking(size_t i) const {
    return turns_[i].role == Role::kUser || (turns_[i].role == Role::kSystem && i > 0);
  }

  // The first turn that keeps what was thought: the one after the last that asks for something.
  size_t ThoughtsFrom() const {
    size_t from = 0;
    if (std::any_of(turns_.begin(), turns_.end(), HasTools)) return from;
    for (size_t i = 0; i < turns_.size(); ++i) {
      if (IsAsking(i)) from = i + 1;
    }
    return from;
  }

  bool KeepsThoughts(size_t i) const { return effort_ && i >= thoughts_from_; }

  // The effort and a leading system prompt share one system turn.
  void WriteHead() {
    if (effort_ || turns_[0].role == Role::kSystem) out_.Control(kSystemTurn);
    if (effort_) out_.Text(EffortLine(*effort_));
  }

  void WriteTurn(size_t i) {
    const Message& turn = turns_[i];
    switch (turn.role) {
      case Role::kSystem:
        if (i > 0) out_.Control(kSystemTurn);
        return WriteSystem(turn);
      case Role::kAssistant:
        return WriteAssistant(i);
      case Role::kLatestReminder:
        out_.Control(kLatestReminder);
        break;
      case Role::kUser:
      case Role::kTool:  // became part of a user's turn
        out_.Control(kUserTurn);
        break;
    }
    out_.Text(turn.content);
  }

  void WriteSystem(const Message& turn) {
    out_.Text(turn.content);
    if (HasTools(turn)) {
      out_.Text("\n\n");
      WriteTools(turn.tools, out_);
    }
    if (!turn.reply_schema.empty()) {
      out_.Text("\n\n");
      WriteReplySchema(turn.reply_schema, out_);
    }
  }

  void WriteAssistant(size_t i) {
    const Message& turn = turns_[i];
    if (KeepsThoughts(i) && (i == 0 || turns_[i - 1].task.empty())) {
      out_.Text(turn.reasoning);
      // An unfinished turn that has only thoughts goes on with them.
      const bool only_thoughts = turn.content.empty() && !turn.reasoning.empty();
      if (!(turn.unfinished && only_thoughts)) out_.Control(kThinkEnd);
    }
    out_.Text(turn.content);
    if (!turn.calls.empty()) WriteCalls(turn.calls, out_);
    if (!turn.unfinished) out_.Control(kEndOfText);
  }

  // What follows a turn, if that is the last one, or the assistant or a reminder comes next.
  void WriteTransition(size_t i) {
    const bool last = i + 1 == turns_.size();
    if (!last && turns_[i + 1].role != Role::kAssistant &&
        turns_[i + 1].role != Role::kLatestReminder) {
      return;
    }
    const std::string& task = turns_[i].task;
    if (!task.empty() && task != kAction) return WriteTask(task);
    if (task == kAction) {
      // In thinking mode its thoughts are always open, in an earlier turn too.
      out_.Control(kAssistantTurn);
      out_.Control(effort_ ? kThinkBegin : kThinkEnd);
      return WriteTask(task);
    }
    // At the end the model answers, whatever was said last, unless that is an answer already.
    const bool answers = last ? open_turn_ && turns_[i].role != Role::kAssistant : IsAsking(i);
    if (!answers) return;
    out_.Control(kAssistantTurn);
    out_.Control(KeepsThoughts(i + 1) ? kThinkBegin : kThinkEnd);
  }

  void WriteTask(const std::string& task) { out_.Control("<｜" + task + "｜>"); }

  PromptWriter out_;
  std::vector<Message> turns_;
  std::optional<int> effort_;
  bool open_turn_;
  size_t thoughts_from_;
};

void CheckTasks(std::span<const Message> messages) {
  for (const Message& message : messages) {
    if (message.task.empty()) continue;
    if (std::find(kTasks.begin(), kTasks.end(), message.task) == kTasks.end()) {
      throw Error(ErrorKind::kInput, "task: found \"" + message.task +
                                         "\", expected action, query, authority, domain, title or "
                                         "read_url");
    }
  }
}

}  // namespace

std::vector<int32_t> EncodeChat(const Tokenizer& tokenizer, std::span<const Message> messages,
                                const ChatOptions& options) {
  if (messages.empty())
    throw Error(ErrorKind::kInput, "messages: found none, expected one or more");
  if (options.effort && (*options.effort < kLeastEffort || *options.effort > kMaxEffort)) {
    throw Error(ErrorKind::kInput, "effort: found " + std::to_string(*options.effort) +
                                       ", expected a number from 1 to 100");
  }
  CheckTasks(messages);
  return ChatWriter(tokenizer, TurnsOf(messages), options).Write();
}

}  // namespace cedar
