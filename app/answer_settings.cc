#include "app/answer_settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "app/batch_line.h"
#include "app/request_digest.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kModelDigits = 8;

// DO NOT CHANGE letters, nor the defaults at which an option is not written: files on disk.
struct Option {
  char letter;
  const char* name;
};
constexpr Option kOptions[] = {
    {'s', "--system"},      {'e', "--effort"}, {'m', "--max-tokens"}, {'h', "--max-thinking"},
    {'t', "--temperature"}, {'p', "--top-p"},  {'k', "--top-k"},      {'i', "--min-p"},
    {'d', "--seed"},        {'r', "--replay"}, {'n', "--numerics"},   {'u', "--reuse"},
};
constexpr int kUsualEffort = 75;
constexpr double kUsualTemperature = 1, kUsualTopP = 0.95;

std::string RealText(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

// Its text may be long.
std::string SystemText(const std::string& system) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(Digest(system)));
  return text;
}

// A member of the body that says something.
const Json* Find(const Json& body, std::string_view name) {
  const auto it = body.is_object() ? body.find(name) : body.end();
  return it == body.end() || it->is_null() ? nullptr : &*it;
}

bool HasAny(const Json& body, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return Find(body, name) != nullptr; });
}

bool HasSystem(const Json& body) {
  const Json* messages = Find(body, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) return false;
  const Json* role = Find(messages->front(), "role");
  return role != nullptr && (*role == "system" || *role == "developer");
}

// A member of an object in the body that says something.
const Json* FindIn(const Json& body, std::string_view object, std::string_view name) {
  const Json* const inner = Find(body, object);
  return inner == nullptr ? nullptr : Find(*inner, name);
}

// Whether a line says itself how much is thought (app/thinking_fields.h), be it not at all.
bool HasEffort(const Json& body) {
  const auto is_off = [](const Json* found) { return found != nullptr && *found == false; };
  const Json* const type = FindIn(body, "thinking", "type");
  return Find(body, "reasoning_effort") != nullptr ||
         FindIn(body, "reasoning", "effort") != nullptr ||
         FindIn(body, "chat_template_kwargs", "reasoning_effort") != nullptr ||
         is_off(Find(body, "enable_thinking")) || is_off(FindIn(body, "reasoning", "enabled")) ||
         is_off(FindIn(body, "chat_template_kwargs", "thinking")) ||
         is_off(FindIn(body, "chat_template_kwargs", "enable_thinking")) ||
         (type != nullptr && *type == "disabled");
}

bool HasBudget(const Json& body) {
  return HasAny(body, {"thinking_token_budget", "thinking_budget"}) ||
         FindIn(body, "reasoning", "max_tokens") != nullptr ||
         FindIn(body, "thinking", "budget_tokens") != nullptr;
}

// Where nothing is drawn, nothing that acts on drawing matters.
bool IsDrawn(const Json& body, double temperature) {
  const Json* own = Find(body, "temperature");
  if (own == nullptr) return temperature != 0;
  return !own->is_number() || own->get<double>() != 0;
}

// Whether an option might change the answer to a line. In doubt it does.
bool Matters(char letter, const Json& line, double temperature) {
  const Json& body = BodyOf(line);
  switch (letter) {
    case 's':
      return !IsCompletion(line) && !HasSystem(body);
    case 'e':
      return !IsCompletion(line) && !HasEffort(body);
    case 'h':
      return !IsCompletion(line) && !HasBudget(body);
    case 'm':
      return !HasAny(body, {"max_tokens", "max_completion_tokens"});
    case 't':
      return !HasAny(body, {"temperature"});
    case 'p':
      return !HasAny(body, {"top_p"}) && IsDrawn(body, temperature);
    case 'k':
      return !HasAny(body, {"top_k"}) && IsDrawn(body, temperature);
    case 'i':
      return !HasAny(body, {"min_p"}) && IsDrawn(body, temperature);
    case 'd':
      return !HasAny(body, {"seed"}) && IsDrawn(body, temperature);
    default:
      return true;
  }
}

// The parts of a text between "_".
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find('_');
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::string_view> ValueOf(char letter, std::span<const std::string_view> parts) {
  for (const std::string_view part : parts.subspan(1)) {
    if (part.starts_with(letter)) return part.substr(1);
  }
  return std::nullopt;
}

std::string Shown(char letter, const std::optional<std::string_view>& value) {
  if (!value) return "not given";
  if (letter == 's') return "another text";
  if (letter == 'e' && *value == "0") return "--no-think";
  return std::string(*value);
}

}  // namespace

AnswerSettings::AnswerSettings(const Engine& engine, const BatchOptions& options)
    : model_(KeyText(engine.ContentKey()).substr(0, kModelDigits)),
      temperature_(options.defaults.sampling.temperature) {
  const auto add = [&](char letter, bool is_usual, std::string value) {
    if (!is_usual) all_.push_back({letter, std::move(value)});
  };
  const auto add_count = [&](char letter, const auto& count) {
    if (count) all_.push_back({letter, std::to_string(*count)});
  };
  const AnswerDefaults& d = options.defaults;
  if (d.system) add('s', false, SystemText(*d.system));
  add('e', d.effort == kUsualEffort, std::to_string(d.effort.value_or(0)));
  add_count('m', d.max_tokens);
  add_count('h', d.max_thinking);
  add('t', d.sampling.temperature == kUsualTemperature, RealText(d.sampling.temperature));
  add('p', d.sampling.top_p == kUsualTopP, RealText(d.sampling.top_p));
  add('k', d.sampling.top_k == 0, std::to_string(d.sampling.top_k));
  add('i', d.sampling.min_p == 0, RealText(d.sampling.min_p));
  add_count('d', d.seed);
  const Replay replay = options.compute.replay;
  add('r', replay == Replay::kBounded, std::string(ReplayName(replay)));
  const Numerics numerics = engine.numerics();
  add('n', numerics == Numerics::kReference, std::string(NumericsName(numerics)));
  add('u', options.ReuseMode() != Reuse::kGlobal, "global");
}

std::string AnswerSettings::Of(const Json& line) const {
  std::string text = model_;
  for (const Setting& setting : all_) {
    if (Matters(setting.letter, line, temperature_)) text += "_" + (setting.letter + setting.value);
  }
  return text;
}

std::string WhatChanged(const LineId& then, const LineId& now) {
  std::string changes;
  const auto add = [&](const std::string& change) {
    changes += (changes.empty() ? "" : ", ") + change;
  };
  if (then.digest != now.digest) add("its request");
  const std::vector<std::string_view> before = Split(then.settings), after = Split(now.settings);
  if (before[0] != after[0]) add("the model");
  for (const Option& option : kOptions) {
    const auto old_value = ValueOf(option.letter, before), value = ValueOf(option.letter, after);
    if (old_value == value) continue;
    add(std::string(option.name) + " (was " + Shown(option.letter, old_value) + ", is " +
        Shown(option.letter, value) + ")");
  }
  if (then.cut && !now.cut) add("--truncate-prompt (was given)");
  return changes;
}

}  // namespace cedar
