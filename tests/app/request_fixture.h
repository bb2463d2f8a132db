#ifndef CEDAR_TESTS_APP_REQUEST_FIXTURE_H_
#define CEDAR_TESTS_APP_REQUEST_FIXTURE_H_

// Reads requests for the demo model.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/batch_line.h"
#include "app/model_source.h"
#include "engine/engine.h"

namespace cedar {

// A whole line around the fields of a body.
std::string LineOf(const std::string& body);

inline constexpr const char* kMessages = R"("messages":[{"role":"user","content":"hi"}])";

// A line that asks "hi", with one field more, or several.
std::string With(const std::string& field);
// A line of one message behind that.
std::string Then(const std::string& message, const std::string& fields = "");

class RequestFixture : public testing::Test {
 protected:
  BatchRequest Read(const std::string& line) {
    return reader_.Read(ParseBatchLine(line), Digest(line));
  }
  // Empty for a line that is understood.
  std::string ErrorOf(const std::string& line);
  // Each line is refused with a message that begins so.
  using LineAndError = std::pair<std::string, std::string>;
  void ExpectErrors(const std::vector<LineAndError>& lines);
  // The prompt as text.
  std::string Prompt(const std::string& line) {
    return engine_.tokenizer().Decode(Read(line).prompts.at(0));
  }

  Engine engine_{OpenModel(kDemoModel), {}};
  RequestReader reader_{engine_.tokenizer(), engine_.config().vocab, {}};
};

}  // namespace cedar

#endif  // CEDAR_TESTS_APP_REQUEST_FIXTURE_H_
