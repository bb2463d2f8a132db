// cedar run: one answer, streamed as it is made.

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "app/answer_writer.h"
#include "app/chat.h"
#include "app/chat_format.h"
#include "app/commands.h"
#include "app/generate.h"
#include "app/load_engine.h"
#include "app/memory_fit.h"
#include "app/output.h"
#include "app/report.h"
#include "app/run_answer.h"
#include "app/text_input.h"
#include "engine/engine.h"
#include "weights/stream_decoder.h"

namespace cedar {
namespace {

struct Prompt {
  std::string text;
  std::string source;  // for messages
};

Prompt ReadPromptFile(const RunOptions& options) {
  if (options.prompt_file) return {ReadFile(*options.prompt_file), *options.prompt_file};
  return {ReadStandardInput(), std::string(kStandardInput)};
}

// A text file ends with a newline that is no part of what it says; raw text is taken as it is.
Prompt ReadPrompt(const RunOptions& options) {
  if (options.prompt) return {*options.prompt, "-p"};
  Prompt prompt = ReadPromptFile(options);
  if (!options.raw && prompt.text.ends_with('\n')) prompt.text.pop_back();
  return prompt;
}

Prompt CheckedPrompt(const RunOptions& options) {
  Prompt prompt = ReadPrompt(options);
  if (prompt.text.empty()) {
    throw Error(ErrorKind::kInput, prompt.source + ": empty, expected a prompt");
  }
  CheckUtf8(prompt.text, prompt.source);
  if (options.system) CheckUtf8(*options.system, "--system");
  return prompt;
}

std::vector<int32_t> EncodePrompt(const RunOptions& options, const Prompt& prompt,
                                  const Tokenizer& tokenizer) {
  if (options.system)
    EncodeNaming("--system", [&] { return tokenizer.EncodePlain(*options.system); });
  return EncodeNaming(prompt.source, [&] {
    if (options.raw) return tokenizer.EncodeWithControl(prompt.text);
    std::vector<Message> messages;
    if (options.system) messages.push_back({Role::kSystem, *options.system, ""});
    messages.push_back({Role::kUser, prompt.text, ""});
    return EncodeChat(tokenizer, messages, {options.effort});
  });
}

// Every token as it is, control tokens included, to standard output.
class RawWriter {
 public:
  explicit RawWriter(const Tokenizer& tokenizer) : decoder_(tokenizer) {}

  void Push(int32_t id) { output_.Write(decoder_.Push(id)); }
  void Finish() { output_.Write(decoder_.Finish()); }

 private:
  StreamDecoder decoder_;
  Output output_ = Output::Standard();
};

template <typename Writer>
Generated Stream(const Engine& engine, const RunOptions& options, const Generation& generation,
                 Writer writer) {
  const Generated generated = Generate(
      engine, generation, [&](int32_t id) { writer.Push(id); },
      [&] { SayDrawnSeed(options, generation.answer); });
  writer.Finish();
  if (isatty(STDOUT_FILENO) == 1) Output::Standard().Write("\n");
  return generated;
}

}  // namespace

ExitCode Execute(const RunOptions& options) {
  const Engine engine = LoadEngine(options.model, options.compute);
  WarnIfUnfit(MakeMemoryFit(engine, /*plan=*/0));
  const bool has_prompt = options.prompt || options.prompt_file || options.raw;
  if (!has_prompt && isatty(STDIN_FILENO) == 1) return Chat(engine, options);
  const AnswerOptions answer = AnswerFor(options, engine);
  const std::vector<int32_t> ids =
      EncodePrompt(options, CheckedPrompt(options), engine.tokenizer());

  const Generation generation{ids, answer, options.max_tokens, options.compute};
  const Generated generated =
      options.raw
          ? Stream(engine, options, generation, RawWriter(engine.tokenizer()))
          : Stream(engine, options, generation, AnswerWriter(engine.tokenizer(), answer.thinking));
  RunFigures figures;
  figures.Add(generated.figures);
  std::fputs((figures.Text(generated.plan_bytes) + WeightsText(engine)).c_str(), stderr);
  return kExitOk;
}

}  // namespace cedar
