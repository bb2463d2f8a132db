#include "tests/app/request_fixture.h"

#include "simd/error.h"

namespace cedar {

std::string LineOf(const std::string& body) {
  return R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{)" + body + "}}";
}

std::string With(const std::string& field) { return LineOf(std::string(kMessages) + "," + field); }

std::string Then(const std::string& message, const std::string& fields) {
  return LineOf(R"("messages":[{"role":"user","content":"hi"},)" + message + "]" +
                (fields.empty() ? "" : "," + fields));
}

std::string RequestFixture::ErrorOf(const std::string& line) {
  try {
    Read(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "";
}

void RequestFixture::ExpectErrors(const std::vector<LineAndError>& lines) {
  for (const auto& [line, message] : lines) {
    EXPECT_EQ(ErrorOf(line).rfind(message, 0), 0u) << line << "\n" << ErrorOf(line);
  }
}

}  // namespace cedar
