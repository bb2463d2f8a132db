// cedar batch: the requests of a file, one after the other. A line that fails gets an error object
// and the run goes on.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch_line.h"
#include "app/chat_format.h"
#include "app/commands.h"
#include "app/generate.h"
#include "app/interrupt.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/text_input.h"
#include "app/thinking_split.h"
#include "engine/engine.h"

namespace cedar {
namespace {

struct InputLine {
  size_t number;  // from 1, blank lines counted
  std::string_view text;
};

std::vector<InputLine> SplitLines(std::string_view text) {
  std::vector<InputLine> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back({number, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Answers lines and counts what they cost.
class BatchRun {
 public:
  explicit BatchRun(const Engine& engine) : engine_(engine) {}

  // The line to write.
  std::string Answer(const InputLine& line) {
    BatchId id{line.number, {}};
    try {
      const nlohmann::json json = ParseBatchLine(line.text);
      id.custom_id = CustomId(json);
      const BatchRequest request = ReadBatchRequest(json, line.text);
      return FormatAnswer(id, request, Answer(request));
    } catch (const Error& error) {
      ++failed_;
      return FormatFailure(id, error.what());
    }
  }

  size_t failed() const { return failed_; }
  std::string Figures() const { return figures_.Text(plan_bytes_); }

 private:
  BatchAnswer Answer(const BatchRequest& request) {
    const std::vector<int32_t> ids =
        EncodeChat(engine_.tokenizer(), request.messages, {request.effort});
    ThinkingSplit split(engine_.tokenizer(), request.effort.has_value());
    GeneratedText text;
    const auto append = [&text](const GeneratedText& more) {
      text.reasoning += more.reasoning;
      text.answer += more.answer;
    };
    const Generated generated =
        Generate(engine_, {ids, request.sampling, request.seed, request.max_tokens, {}},
                 [&](int32_t id) { append(split.Push(id)); });
    append(split.Finish());
    figures_.Add(generated.figures);
    plan_bytes_ = std::max(plan_bytes_, generated.plan_bytes);

    BatchAnswer answer{text.answer, {}, generated.finish};
    if (request.effort) answer.reasoning = text.reasoning;
    answer.prompt_tokens = generated.figures.prompt_tokens;
    answer.completion_tokens = generated.figures.generated_tokens;
    answer.reasoning_tokens = split.reasoning_tokens();
    return answer;
  }

  const Engine& engine_;
  RunFigures figures_;
  size_t plan_bytes_ = 0;
  size_t failed_ = 0;
};

// Opening the output empties it.
void CheckFiles(const BatchOptions& options) {
  std::error_code no_such_file;
  if (std::filesystem::equivalent(options.input, options.output, no_such_file)) {
    throw Error(ErrorKind::kUsage,
                "-o: found \"" + options.output + "\", expected another file than the input");
  }
}

}  // namespace

ExitCode Execute(const BatchOptions& options) {
  CheckFiles(options);
  const Engine engine(OpenModel(options.model), {});
  const std::string input = ReadFile(options.input);
  const std::vector<InputLine> lines = SplitLines(input);
  Output output = Output::File(options.output);

  BatchRun run(engine);
  {
    ProgressLine progress("batch", "requests", lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      progress.Update(i);
      CheckInterrupt();
      output.Write(run.Answer(lines[i]));
    }
  }
  output.Close();
  std::fprintf(stderr, "requests: %zu answered, %zu failed\n%s", lines.size() - run.failed(),
               run.failed(), run.Figures().c_str());
  return run.failed() == 0 ? kExitOk : kExitInput;
}

}  // namespace cedar
