#ifndef CEDAR_TESTS_APP_BATCH_JOB_H_
#define CEDAR_TESTS_APP_BATCH_JOB_H_

// Short lines, and a folder in which cedar batch works on them: for tests of runs that are stopped
// and go on.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/child_process.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {

// A line that is answered with a few tokens, drawn from its own seed.
std::string Ask(const std::string& custom_id, size_t max_tokens = 6);
// Such lines, called by the numbers from `from` to `to` (exclusive).
std::string Asks(int from, int to, size_t max_tokens = 6);
// One that cannot be answered.
std::string BadLine(const std::string& custom_id);

// A folder with an input, an output and a way to run them.
struct Job {
  explicit Job(const std::string& input) { folder.Write("in.jsonl", input); }

  std::vector<std::string> Arguments(const std::vector<std::string>& options = {}) const;
  ProcessResult Run(const std::vector<std::string>& options = {}) const {
    return RunCedar(Arguments(options));
  }
  std::string in() const { return folder / "in.jsonl"; }
  std::string out() const { return folder / "out.jsonl"; }
  std::string text() const { return ReadBytes(out()); }
  std::vector<nlohmann::json> lines() const;

  TempFolder folder;
};

// Waits until the file has so many lines, or the run ends; how many it has.
size_t WaitForLines(const std::string& path, size_t lines, ChildProcess& run);

}  // namespace cedar::test

#endif  // CEDAR_TESTS_APP_BATCH_JOB_H_
