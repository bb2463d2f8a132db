#include "tests/app/batch_job.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/app/batch_lines.h"

namespace cedar::test {

using nlohmann::json;

std::string Ask(const std::string& custom_id, size_t max_tokens) {
  json body = Question("Mr " + custom_id + " buys a rope.");
  body["max_tokens"] = max_tokens;
  body["temperature"] = 1;
  return BatchLine(custom_id, body);
}

std::string Asks(int from, int to, size_t max_tokens) {
  std::string lines;
  for (int i = from; i < to; ++i) lines += Ask(std::to_string(i), max_tokens);
  return lines;
}

std::string BadLine(const std::string& custom_id) {
  return BatchLine(custom_id, {{"stream", true}});
}

std::vector<std::string> Job::Arguments(const std::vector<std::string>& options) const {
  std::vector<std::string> all = {"batch", "demo", "-i", in(), "-o", out(), "--threads", "1"};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

std::vector<json> Job::lines() const { return ParseLines(text()); }

size_t WaitForLines(const std::string& path, size_t lines, ChildProcess& run) {
  size_t found = 0;
  while (found < lines && !run.Poll()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (access(path.c_str(), F_OK) != 0) continue;
    const std::string text = ReadBytes(path);
    found = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  return found;
}

}  // namespace cedar::test
