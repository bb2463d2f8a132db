#include "tests/app/batch_lines.h"

#include <sstream>

#include "tests/temp_folder.h"

namespace cedar::test {

using nlohmann::json;

std::string BatchLine(const std::string& custom_id, const json& body) {
  const json line = {{"custom_id", custom_id},
                     {"method", "POST"},
                     {"url", "/v1/chat/completions"},
                     {"body", body}};
  return line.dump() + "\n";
}

json Question(const std::string& text) {
  return {{"messages", {{{"role", "user"}, {"content", text}}}},
          {"temperature", 0},
          {"reasoning_effort", "none"}};
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<json> ParseLines(const std::string& text) {
  std::vector<json> lines;
  for (const std::string& line : SplitLines(text)) lines.push_back(json::parse(line));
  return lines;
}

json Comparable(json line) {
  line.erase("id");
  line["response"].erase("request_id");
  json& body = line["response"]["body"];
  if (!body.is_object()) return line;
  body.erase("id");
  body.erase("created");
  body["usage"].erase("prompt_tokens_details");
  for (json& choice : body["choices"]) {
    if (!choice.contains("message") || !choice["message"].contains("tool_calls")) continue;
    for (json& call : choice["message"]["tool_calls"]) call.erase("id");
  }
  return line;
}

std::map<std::string, std::string> ByCustomId(const std::vector<json>& lines) {
  std::map<std::string, std::string> all;
  for (const json& line : lines) all[line.at("custom_id")] += Comparable(line).dump() + "\n";
  return all;
}

BatchRun RunBatch(const std::string& input, const std::vector<std::string>& options) {
  const TempFolder folder;
  const std::string out = folder / "out.jsonl";
  std::vector<std::string> arguments = {"batch", "demo", "-i", folder.Write("in.jsonl", input),
                                        "-o",    out};
  arguments.insert(arguments.end(), options.begin(), options.end());
  BatchRun run;
  run.process = RunCedar(arguments);
  run.lines = ParseLines(ReadBytes(out));
  return run;
}

}  // namespace cedar::test
