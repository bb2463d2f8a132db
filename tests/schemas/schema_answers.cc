// schema_answers: reads lines {"schema": ..., "answers": N} and writes for each of them a line with
// N random texts of the schema's grammar, {"answers": [...]}, or {"error": ...}; with the seconds
// that it took to compile.

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/byte_automaton.h"
#include "app/json_schema.h"
#include "simd/error.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Texts are brought to an end from here on, and given up at the last.
constexpr size_t kLong = 200;
constexpr size_t kLongest = 5000;

// Bytes that close what is open come more often than others.
size_t WeightOf(uint8_t byte, size_t length) {
  const bool closes = byte == '"' || byte == '}' || byte == ']';
  if (closes) return length > kLong ? 5000 : 40;
  if (byte == '{' || byte == '[') return length > kLong ? 0 : 40;
  if (byte == ',') return length > kLong ? 1 : 60;
  if (byte == ' ' || byte == '\n' || byte == '\t') return length > kLong ? 0 : 2;
  if (byte == '\\') return length > kLong ? 0 : 4;
  return byte < 0x80 ? 4 : 1;
}

uint8_t Pick(const ByteSet& next, size_t length, Random& random) {
  size_t all = 0;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (next[byte]) all += WeightOf(static_cast<uint8_t>(byte), length) + 1;
  }
  size_t left = random.Next() % all;
  for (size_t byte = 0;; ++byte) {
    if (!next[byte]) continue;
    const size_t weight = WeightOf(static_cast<uint8_t>(byte), length) + 1;
    if (left < weight) return static_cast<uint8_t>(byte);
    left -= weight;
  }
}

// Empty if the text became too long.
std::string Walk(ByteAutomaton& automaton, Random& random) {
  std::string text;
  ByteAutomaton::State state = automaton.start();
  while (text.size() < kLongest) {
    const ByteSet next = automaton.Next(state);
    const bool may_end = automaton.Accepts(state);
    if (next.none() && !may_end) throw Error(ErrorKind::kInput, "stuck behind " + text);
    if (may_end && (next.none() || random.Next() % 4 != 0)) return text;
    text += static_cast<char>(Pick(next, text.size(), random));
    state = automaton.Step(state, static_cast<uint8_t>(text.back()));
    if (state == ByteAutomaton::kDead) throw Error(ErrorKind::kInput, "stuck behind " + text);
  }
  return "";
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

Json AnswersTo(const Json& task, Random& random) {
  std::unique_ptr<Grammar> grammar;
  const auto start = std::chrono::steady_clock::now();
  try {
    grammar = GrammarOfSchema(task["schema"]);
  } catch (const Error& error) {
    return {{"error", error.what()}, {"seconds", Seconds(start)}};
  }
  Json out = {{"answers", Json::array()}, {"seconds", Seconds(start)}};
  ByteAutomaton automaton(*grammar);
  for (size_t i = 0; i < task["answers"].get<size_t>(); ++i) {
    const std::string text = Walk(automaton, random);
    if (!text.empty()) out["answers"].push_back(text);
  }
  return out;
}

}  // namespace
}  // namespace cedar

int main() {
  cedar::Random random(7);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << cedar::AnswersTo(nlohmann::ordered_json::parse(line), random).dump() << "\n";
  }
  return 0;
}
