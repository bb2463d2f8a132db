// demo_report FACTS.jsonl ANSWERS.jsonl FIGURES: prints each answer of a batch run beside the fact
// that stands in the document, then the figures of the run, then how many answers are right.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::json;

std::ifstream Open(const char* path) {
  std::ifstream file;
  file.exceptions(std::ifstream::badbit | std::ifstream::failbit);
  file.open(path);
  file.exceptions(std::ifstream::badbit);
  return file;
}

// custom_id -> what the model said, or why it said nothing.
std::map<std::string, std::string> ReadAnswers(const char* path) {
  std::map<std::string, std::string> answers;
  std::ifstream file = Open(path);
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    answers[json.at("custom_id")] =
        json.at("error").is_null()
            ? json.at("response").at("body").at("choices").at(0).at("message").at("content")
            : json.at("error").at("message");
  }
  return answers;
}

bool Report(const Json& fact, const std::string& answer) {
  const std::string expected = fact.at("answer");
  std::printf("%s  %s\n  answer  %s\n  fact    %s  <- %s\n",
              fact.at("custom_id").get<std::string>().c_str(),
              fact.at("question").get<std::string>().c_str(), answer.c_str(), expected.c_str(),
              fact.at("line").get<std::string>().c_str());
  return answer == expected;
}

void Run(char** argv) {
  const auto answers = ReadAnswers(argv[2]);
  std::ifstream facts = Open(argv[1]);
  int right = 0;
  int asked = 0;
  for (std::string line; std::getline(facts, line); ++asked) {
    const Json fact = Json::parse(line);
    right += Report(fact, answers.at(fact.at("custom_id")));
  }
  std::ifstream figures = Open(argv[3]);
  const std::string text(std::istreambuf_iterator<char>(figures), {});
  std::printf("\n%s%d of %d answers right\n", text.c_str(), right, asked);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: demo_report FACTS.jsonl ANSWERS.jsonl FIGURES\n", stderr);
    return 2;
  }
  try {
    Run(argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "demo_report: %s\n", error.what());
    return 1;
  }
}
