#ifndef CEDAR_TESTS_APP_BATCH_LINES_H_
#define CEDAR_TESTS_APP_BATCH_LINES_H_

// Lines that go into cedar batch, and those that come out.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/run_process.h"

namespace cedar::test {

// A request in OpenAI's form, with its newline.
std::string BatchLine(const std::string& custom_id, const nlohmann::json& body);
// A body that is answered without thinking and always with the likeliest token.
nlohmann::json Question(const std::string& text);

// The lines of a text, without their line ends.
std::vector<std::string> SplitLines(const std::string& text);
std::vector<nlohmann::json> ParseLines(const std::string& text);

// A line of the output without what may differ from run to run: ids (those of tool calls among
// them), the time, and how many tokens were cached.
nlohmann::json Comparable(nlohmann::json line);

// Comparable lines by custom_id, in one string each; a second one with the same name follows the
// first.
std::map<std::string, std::string> ByCustomId(const std::vector<nlohmann::json>& lines);

// cedar batch demo -i (a file with this input) -o (a file, whose lines are returned).
struct BatchRun {
  ProcessResult process;
  std::vector<nlohmann::json> lines;
};
BatchRun RunBatch(const std::string& input, const std::vector<std::string>& options = {});

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_BATCH_LINES_H_
