#include "app/chat.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/answer_writer.h"
#include "app/chat_format.h"
#include "app/control_names.h"
#include "app/generate.h"
#include "app/interrupt.h"
#include "app/prompt_writer.h"
#include "app/run_answer.h"
#include "app/text_input.h"
#include "app/token_chooser.h"
#include "engine/memory_plan.h"
#include "simd/error.h"
#include "simd/memory.h"

namespace cedar {
namespace {

// As many positions as the model has, or as half of the available memory holds.
size_t ContextOf(const Engine& engine, const ComputeOptions& compute) {
  const size_t positions = engine.config().max_positions;
  const size_t available = simd::AvailableMemory();
  if (available == 0) return positions;
  const size_t context = LargestContext(positions, [&](size_t context) {
    const PlanOptions plan{.context = context,
                           .chunk = compute.chunk,
                           .replay = compute.replay,
                           .threads = engine.threads(),
                           .isa = engine.isa()};
    return PlanMemory(engine.config(), engine.plan(), plan).total <= available / 2;
  });
  return std::max<size_t>(context, 1);
}

class Conversation {
 public:
  Conversation(const Engine& engine, const RunOptions& options)
      : engine_(engine),
        options_(options),
        tokens_(engine.tokenizer(), engine.config().vocab),
        system_(options.system),
        answer_(AnswerFor(options, engine)) {
    Clear();
    SayDrawnSeed(options, answer_);
  }

  void Clear() {
    session_.reset();  // its memory first
    session_.emplace(engine_, SessionOptions{ContextOf(engine_, options_.compute),
                                             options_.compute.chunk, options_.compute.replay});
    unfed_.clear();
  }

  void SetSystem(const std::string& text) {
    system_ = text;
    Clear();
  }

  void Answer(const std::string& text) {
    if (!Feed(text)) return Output::Standard().Write("\n");
    TokenChooser chooser(tokens_, answer_, session_->tokens());
    AnswerWriter writer(engine_.tokenizer(), answer_.thinking);
    ++answer_.seed;  // each turn draws anew
    const size_t room = session_->context() - session_->tokens().size();
    const size_t limit = std::min(options_.max_tokens.value_or(room), room);
    const size_t begin = session_->tokens().size();
    std::vector<int32_t> said;
    try {
      GenerateFrom(
          *session_, chooser, limit,
          [&](int32_t id) {
            writer.Push(id);
            said.push_back(id);
          },
          [] {});
    } catch (const Interrupted&) {
      ClearInterrupt();
    }
    writer.Finish();
    Output::Standard().Write("\n");
    KeepEnd(said, session_->tokens().size() - begin);
  }

 private:
  // False if an interrupt stopped it. The turns before are then fed anew with the next one: a
  // session cannot go back.
  bool Feed(const std::string& text) {
    const std::vector<int32_t> before = session_->tokens();
    const bool is_first = before.empty() && unfed_.empty();
    std::vector<int32_t> turn = unfed_;
    const std::vector<int32_t> asked = is_first ? FirstTurn(text) : Turn(text);
    turn.insert(turn.end(), asked.begin(), asked.end());
    try {
      session_->Prefill(turn, true, [](size_t) { CheckInterrupt(); });
      unfed_.clear();
      return true;
    } catch (const Interrupted&) {
      ClearInterrupt();
      std::vector<int32_t> again = before;
      again.insert(again.end(), unfed_.begin(), unfed_.end());
      Clear();
      unfed_ = std::move(again);
      return false;
    }
  }

  std::vector<int32_t> FirstTurn(const std::string& text) const {
    std::vector<Message> messages;
    if (system_) messages.push_back({Role::kSystem, *system_});
    messages.push_back({Role::kUser, text});
    return EncodeChat(engine_.tokenizer(), messages, {options_.effort});
  }

  // A later turn, behind what the session holds: what was thought before stays in it.
  std::vector<int32_t> Turn(const std::string& text) const {
    PromptWriter writer(engine_.tokenizer());
    writer.Control(kUserTurn);
    writer.Text(text);
    writer.Control(kAssistantTurn);
    writer.Control(options_.effort ? kThinkBegin : kThinkEnd);
    return writer.Finish();
  }

  // What the next turn must feed first: the last token, if it is not in the session yet (`fed`
  // are), and the end of the assistant's text.
  void KeepEnd(const std::vector<int32_t>& said, size_t fed) {
    if (fed < said.size()) unfed_.push_back(said.back());
    if (tokens_.end) unfed_.push_back(*tokens_.end);
  }

  const Engine& engine_;
  const RunOptions& options_;
  ModelTokens tokens_;
  std::optional<std::string> system_;
  AnswerOptions answer_;
  std::optional<Session> session_;
  std::vector<int32_t> unfed_;
};

// False when the conversation is over.
bool ReadLine(std::string& line) {
  while (true) {
    std::fputs("> ", stderr);
    try {
      // A terminal hands out one line at a time, so none waits in a buffer of ours.
      AwaitInput(STDIN_FILENO);
      return static_cast<bool>(std::getline(std::cin, line));
    } catch (const Interrupted&) {
      ClearInterrupt();
      std::fputs("\n(/exit ends)\n", stderr);
    }
  }
}

// False for /exit.
bool Obey(Conversation& conversation, const std::string& line) {
  constexpr std::string_view kSystem = "/system ";
  if (line == "/exit") return false;
  CheckUtf8(line, "line");
  if (line == "/clear") {
    conversation.Clear();
  } else if (line.starts_with(kSystem)) {
    conversation.SetSystem(line.substr(kSystem.size()));
  } else if (line.starts_with('/')) {
    std::fputs("commands: /clear, /system TEXT, /exit\n", stderr);
  } else if (!line.empty()) {
    conversation.Answer(line);
  }
  return true;
}

}  // namespace

ExitCode Chat(const Engine& engine, const RunOptions& options) {
  Conversation conversation(engine, options);
  std::string line;
  while (ReadLine(line)) {
    try {
      if (!Obey(conversation, line)) break;
    } catch (const Error& error) {
      // A turn that is too long or no text: the conversation goes on without it.
      if (error.kind() != ErrorKind::kInput) throw;
      std::fprintf(stderr, "cedar: %s\n", error.what());
    }
  }
  return kExitOk;
}

}  // namespace cedar
