#include "tests/app/grammar_texts.h"

#include <gtest/gtest.h>

#include <vector>

namespace cedar {

bool IsText(ByteAutomaton& automaton, std::string_view text) {
  ByteAutomaton::State state = automaton.start();
  if (state == ByteAutomaton::kDead) return false;
  for (const char byte : text) {
    state = automaton.Step(state, static_cast<uint8_t>(byte));
    if (state == ByteAutomaton::kDead) return false;
  }
  return automaton.Accepts(state);
}

bool IsText(const Grammar& grammar, std::string_view text) {
  ByteAutomaton automaton(grammar);
  return IsText(automaton, text);
}

std::optional<std::string> RandomText(ByteAutomaton& automaton, Random& random, size_t longest) {
  const auto below = [&](size_t count) {
    return static_cast<size_t>(random.NextUnit() * static_cast<double>(count));
  };
  std::string text;
  ByteAutomaton::State state = automaton.start();
  while (text.size() < longest) {
    std::vector<uint8_t> plain, all;
    const ByteSet next = automaton.Next(state);
    for (size_t byte = 0; byte < 256; ++byte) {
      if (!next[byte]) continue;
      all.push_back(static_cast<uint8_t>(byte));
      if (byte >= 0x20 && byte < 0x7f && byte != '\\') plain.push_back(all.back());
    }
    const bool may_end = automaton.Accepts(state);
    if (may_end && (all.empty() || below(8) == 0)) return text;
    if (all.empty()) {
      ADD_FAILURE() << "stuck behind " << text;
      return std::nullopt;
    }
    const std::vector<uint8_t>& from = plain.empty() || below(4) == 0 ? all : plain;
    text += static_cast<char>(from[below(from.size())]);
    state = automaton.Step(state, static_cast<uint8_t>(text.back()));
    if (state == ByteAutomaton::kDead) {
      ADD_FAILURE() << "dead behind " << text;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace cedar
