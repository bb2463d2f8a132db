#include "app/string_grammar.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/code_automaton.h"
#include "app/string_machine.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Node = Grammar::Node;

[[noreturn]] void Fail(const std::string& what) { throw Error(ErrorKind::kInput, what); }

// UTF-8 that was checked before.
std::u32string CodePoints(std::string_view text) {
  std::u32string codes;
  for (size_t i = 0; i < text.size();) {
    const uint8_t lead = static_cast<uint8_t>(text[i]);
    const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
    for (size_t k = 1; k < size && i + k < text.size(); ++k) {
      code = code << 6 | (static_cast<uint8_t>(text[i + k]) & 0x3Fu);
    }
    codes.push_back(code);
    i += size;
  }
  return codes;
}

// Any text in which no D follows U+FF5C: the mark spelled out has them.
CodeAutomaton WithoutMark() {
  constexpr char32_t kBar = 0xFF5C;
  const CodeSet bar({{kBar, kBar}}), d({{'D', 'D'}});
  CodeAutomaton out(CodeClasses({CodeSet::All(), bar, d}));
  const auto plain = out.Add(true), behind_bar = out.Add(true);
  for (uint32_t which = 0; which < out.classes().count(); ++which) {
    out.Set(plain, which, plain);
    out.Set(behind_bar, which, plain);
  }
  out.Set(plain, out.classes().Of(kBar), behind_bar);
  out.Set(behind_bar, out.classes().Of(kBar), behind_bar);
  out.Set(behind_bar, out.classes().Of('D'), CodeAutomaton::kDead);
  return out;
}

CodeAutomaton AutomatonOf(const StringRule& rule) {
  if (!rule.patterns.empty() || !rule.not_patterns.empty() || !rule.formats.empty()) {
    Fail("patterns and formats of strings are not supported");
  }
  CodeAutomaton all = rule.max_length ? CodeAutomaton::OfLengths(rule.min_length, *rule.max_length)
                                      : CodeAutomaton::OfAtLeast(rule.min_length);
  all = all.Trimmed();
  for (const std::string& text : rule.excluded) {
    all = all.And(CodeAutomaton::OfText(CodePoints(text)).Not());
  }
  if (all.states() == 0) Fail("no string follows all of its rules");
  return all;
}

std::string NameOf(const StringRule& rule, StringForm form) {
  const nlohmann::json name = {
      "string",        static_cast<int>(form),
      rule.min_length, rule.max_length ? nlohmann::json(*rule.max_length) : nullptr,
      rule.patterns,   rule.not_patterns,
      rule.formats,    rule.excluded};
  return name.dump();
}

Node MachineOf(Grammar& g, const std::string& name, CodeAutomaton automaton, bool json) {
  const auto escapes = json ? StringMachine::Escapes::kJson : StringMachine::Escapes::kNone;
  return g.Machine(name, std::make_unique<StringMachine>(std::move(automaton), escapes));
}

}  // namespace

Node StringGrammar(Grammar& grammar, const StringRule& rule, StringForm form) {
  const std::string name = NameOf(rule, form);
  Node text = grammar.FindMachine(name);
  if (text == nullptr) {
    CodeAutomaton automaton = AutomatonOf(rule);
    if (form == StringForm::kCall) automaton = automaton.And(WithoutMark());
    if (automaton.states() == 0) Fail("no string without the mark of calls follows its rules");
    text = MachineOf(grammar, name, std::move(automaton), form == StringForm::kJson);
  }
  if (form != StringForm::kJson) return text;
  return grammar.Sequence({grammar.Literal("\""), text, grammar.Literal("\"")});
}

bool FollowsRule(const StringRule& rule, std::string_view value) {
  return AutomatonOf(rule).Matches(CodePoints(value));
}

}  // namespace cedar
