// Many questions on one document: what cedar batch computes once, and where prompts part.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/batch_line.h"
#include "app/model_source.h"
#include "tests/app/batch_lines.h"
#include "tests/temp_folder.h"
#include "weights/read_model.h"

namespace cedar::test {
namespace {

using nlohmann::json;

constexpr size_t kQuestions = 64;

std::string Document() {
  std::string text;
  for (int i = 0; i < 170; ++i) {
    text += "Mr Park bought " + std::to_string(i) + " ropes for " + std::to_string(7 * i) +
            " pounds.\n";
  }
  return text;
}

// Each begins with a letter or digit of its own: all part at the end of the document.
std::vector<std::string> Questions() {
  const std::string names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#&";
  std::vector<std::string> questions;
  for (size_t i = 0; i < kQuestions; ++i) {
    questions.push_back(names.substr(i, 1) + ": what was bought" +
                        (i % 3 == 0 ? ", and who paid for it?" : "?"));
  }
  return questions;
}

struct Prompts {
  size_t shared = 0;  // tokens that all begin with
  size_t own = 0;     // all that come after them
};

Prompts CountTokens(const std::string& input) {
  const Tokenizer tokenizer = ReadTokenizer(OpenModel("demo"));
  RequestReader reader(tokenizer, static_cast<size_t>(tokenizer.size()), {});
  std::vector<std::vector<int32_t>> prompts;
  for (const std::string& line : SplitLines(input)) {
    prompts.push_back(reader.Read(ParseBatchLine(line), {}).prompts[0]);
  }
  Prompts counts{prompts[0].size(), 0};
  for (const auto& prompt : prompts) {
    const auto part = std::mismatch(prompt.begin(), prompt.end(), prompts[0].begin()).first;
    if (&prompt != &prompts[0]) {
      counts.shared = std::min(counts.shared, static_cast<size_t>(part - prompt.begin()));
    }
  }
  for (const auto& prompt : prompts) counts.own += prompt.size() - counts.shared;
  return counts;
}

TEST(BatchPrefixTest, OneDocumentIsComputedOnce) {
  std::string input;
  for (const std::string& question : Questions()) {
    json body = Question(Document() + question);
    body["max_tokens"] = 3;
    input += BatchLine(question, body);
  }
  const TempFolder folder;
  const std::string summary = folder / "summary.json";
  const BatchRun run = RunBatch(input, {"--summary", summary, "--threads", "1"});
  ASSERT_EQ(run.process.exit_code, 0) << run.process.err;
  const json figures = json::parse(ReadBytes(summary));
  const Prompts prompts = CountTokens(input);
  EXPECT_GT(prompts.shared, 2000u);
  // The token that ends an answer is chosen but goes through no layer.
  const size_t fed = figures["tokens"]["completion"].get<size_t>() - kQuestions;
  EXPECT_EQ(figures["rows"]["encoder"], prompts.shared + prompts.own + fed);
  constexpr size_t kWindow = 32;  // of the demo model
  EXPECT_EQ(figures["rows"]["decoder"], kWindow * kQuestions + fed);
  EXPECT_EQ(figures["tokens"]["cached"], (kQuestions - 1) * prompts.shared);
}

}  // namespace
}  // namespace cedar::test
