// cedar run: one answer, streamed as it is made.

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/chat_format.h"
#include "app/commands.h"
#include "app/generate.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/report.h"
#include "app/text_input.h"
#include "app/thinking_split.h"
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

std::string CheckedPrompt(const RunOptions& options) {
  const Prompt prompt = ReadPrompt(options);
  if (prompt.text.empty()) {
    throw Error(ErrorKind::kInput, prompt.source + ": empty, expected a prompt");
  }
  CheckUtf8(prompt.text, prompt.source);
  if (options.system) CheckUtf8(*options.system, "--system");
  return prompt.text;
}

std::vector<int32_t> EncodePrompt(const RunOptions& options, const std::string& prompt,
                                  const Tokenizer& tokenizer) {
  if (options.raw) return tokenizer.EncodeWithControl(prompt);
  std::vector<Message> messages;
  if (options.system) messages.push_back({Role::kSystem, *options.system, ""});
  messages.push_back({Role::kUser, prompt, ""});
  return EncodeChat(tokenizer, messages, {options.effort});
}

uint64_t DrawSeed() {
  std::random_device device;
  const uint64_t seed = uint64_t{device()} << 32 | device();
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

// The answer to standard output, what is thought to standard error.
class AnswerWriter {
 public:
  AnswerWriter(const Tokenizer& tokenizer, bool thinking) : split_(tokenizer, thinking) {}

  void Push(int32_t id) { Write(split_.Push(id)); }

  void Finish() {
    Write(split_.Finish());
    EndReasoning();
  }

 private:
  void Write(const GeneratedText& text) {
    if (!text.reasoning.empty()) {
      std::fwrite(text.reasoning.data(), 1, text.reasoning.size(), stderr);
      reasoning_open_ = true;
    }
    if (text.answer.empty()) return;
    EndReasoning();
    output_.Write(text.answer);
  }

  // What follows on standard error begins on a line of its own.
  void EndReasoning() {
    if (reasoning_open_) std::fputs("\n", stderr);
    reasoning_open_ = false;
  }

  ThinkingSplit split_;
  Output output_ = Output::Standard();
  bool reasoning_open_ = false;
};

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
Generated Stream(const Engine& engine, const Generation& generation, Writer writer) {
  const Generated generated = Generate(engine, generation, [&](int32_t id) { writer.Push(id); });
  writer.Finish();
  if (isatty(STDOUT_FILENO) == 1) Output::Standard().Write("\n");
  return generated;
}

}  // namespace

ExitCode Execute(const RunOptions& options) {
  const Engine engine(OpenModel(options.model), {options.compute.isa, options.compute.threads});
  const std::vector<int32_t> ids =
      EncodePrompt(options, CheckedPrompt(options), engine.tokenizer());
  const uint64_t seed = options.seed ? *options.seed : DrawSeed();

  const Generation generation{ids, options.sampling, seed, options.max_tokens, options.compute};
  const Generated generated =
      options.raw ? Stream(engine, generation, RawWriter(engine.tokenizer()))
                  : Stream(engine, generation,
                           AnswerWriter(engine.tokenizer(), options.effort.has_value()));
  RunFigures figures;
  figures.Add(generated.figures);
  std::fputs(figures.Text(generated.plan_bytes).c_str(), stderr);
  return kExitOk;
}

}  // namespace cedar
