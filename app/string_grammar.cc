#include "app/string_grammar.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/code_automaton.h"
#include "app/code_points.h"
#include "app/regex_automaton.h"
#include "app/string_formats.h"
#include "app/string_machine.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Node = Grammar::Node;

[[noreturn]] void Fail(const std::string& what) { throw Error(ErrorKind::kInput, what); }

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

// The same, with what an error says about.
template <class Make>
auto Naming(const std::string& what, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    Fail(what + ": " + error.what());
  }
}

// The texts of both; the first one may be none yet.
void Meet(std::optional<CodeAutomaton>& all, const CodeAutomaton& next) {
  all = all ? all->And(next) : next;
}

void MeetPattern(std::optional<CodeAutomaton>& all, const std::string& pattern, bool is_found) {
  Naming("pattern " + nlohmann::json(pattern).dump(), [&] {
    if (is_found) {
      Meet(all, AutomatonOfRegex(pattern, RegexMatch::kAnywhere));
    } else {
      Meet(all, AutomatonOfRegex(pattern, RegexMatch::kAnywhere, RegexDialects::kAny).Not());
    }
  });
}

// What texts are allowed; what their length says at the end is kept apart.
struct Texts {
  std::optional<CodeAutomaton> automaton;
  std::optional<uint64_t> longest;

  void Shorten(std::optional<uint64_t> most) {
    if (most) longest = std::min(longest.value_or(*most), *most);
  }
};

void MeetFormat(Texts& texts, const std::string& name) {
  const std::string quoted = "format " + nlohmann::json(name).dump();
  const auto format = FindStringFormat(name);
  if (!format) Fail(quoted + " is not supported; the formats are " + StringFormatNames());
  std::optional<CodeAutomaton>& all = texts.automaton;
  Naming(quoted, [&] {
    if (!format->regex.empty()) Meet(all, AutomatonOfRegex(format->regex, RegexMatch::kWhole));
    for (const std::string& regex : format->never) MeetPattern(all, regex, false);
  });
  texts.Shorten(format->max_length);
}

Texts TextsOf(const StringRule& rule) {
  Texts texts;
  std::optional<CodeAutomaton>& all = texts.automaton;
  for (const std::string& pattern : rule.patterns) MeetPattern(all, pattern, true);
  for (const std::string& pattern : rule.not_patterns) MeetPattern(all, pattern, false);
  for (const std::string& name : rule.formats) MeetFormat(texts, name);
  for (const std::string& text : rule.excluded) {
    Meet(all, CodeAutomaton::OfText(CodePoints(text)).Not());
  }
  if (rule.min_length > 0 || !all) {
    Naming("minLength", [&] { Meet(all, CodeAutomaton::OfAtLeast(rule.min_length)); });
  }
  texts.Shorten(rule.max_length);
  return texts;
}

std::string NameOf(const StringRule& rule, StringForm form) {
  const nlohmann::json name = {
      "string",        static_cast<int>(form),
      rule.min_length, rule.max_length ? nlohmann::json(*rule.max_length) : nullptr,
      rule.patterns,   rule.not_patterns,
      rule.formats,    rule.excluded};
  return name.dump();
}

// Null if there is no such text.
Node MachineOf(Grammar& g, const std::string& name, const Texts& texts, StringForm form) {
  const bool json = form == StringForm::kJson;
  auto machine = std::make_unique<StringMachine>(
      form == StringForm::kCall ? texts.automaton->And(WithoutMark()) : *texts.automaton,
      texts.longest, json ? StringMachine::Escapes::kJson : StringMachine::Escapes::kNone);
  return machine->HasTexts() ? g.Machine(name, std::move(machine)) : nullptr;
}

}  // namespace

Node StringGrammar(Grammar& grammar, const StringRule& rule, StringForm form) {
  const std::string name = NameOf(rule, form);
  Node text = grammar.FindMachine(name);
  if (text == nullptr) text = MachineOf(grammar, name, TextsOf(rule), form);
  if (text == nullptr) return grammar.Choice({});
  if (form != StringForm::kJson) return text;
  return grammar.Sequence({grammar.Literal("\""), text, grammar.Literal("\"")});
}

Node RegexGrammar(Grammar& grammar, const std::string& regex) {
  const Texts texts{AutomatonOfRegex(regex, RegexMatch::kWhole), std::nullopt};
  const Node text = MachineOf(grammar, "regex " + regex, texts, StringForm::kText);
  if (text == nullptr) Fail("no text matches the regular expression");
  return text;
}

bool FollowsRule(const StringRule& rule, std::string_view value) {
  const Texts texts = TextsOf(rule);
  const std::u32string codes = CodePoints(value);
  return texts.automaton->Matches(codes) && codes.size() <= texts.longest.value_or(codes.size());
}

}  // namespace cedar
