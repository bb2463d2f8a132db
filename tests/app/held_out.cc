#include "tests/app/held_out.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/paths.h"
#include "tests/temp_folder.h"

namespace cedar::test {

std::vector<HeldOut> ReadHeldOut() {
  std::vector<HeldOut> questions;
  std::istringstream lines(ReadBytes(TestDataPath("demo/held_out.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    questions.push_back(
        {json.at("document").get<std::string>() + "\n\n" + json.at("question").get<std::string>(),
         json.at("bounded"), json.at("thinking"), json.at("ids"), json.at("nll"), json.at("nll_int8")});
  }
  return questions;
}

HeldOut LongestHeldOut() {
  const std::vector<HeldOut> questions = ReadHeldOut();
  return *std::max_element(
      questions.begin(), questions.end(),
      [](const HeldOut& a, const HeldOut& b) { return a.ids.size() < b.ids.size(); });
}

std::string Join(const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

}  // namespace cedar::test
