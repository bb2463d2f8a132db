#include "app/thinking_fields.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "app/option_values.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, int>, 6> kEfforts = {{{"minimal", kLowEffort},
                                                                       {"low", kLowEffort},
                                                                       {"medium", kHighEffort},
                                                                       {"high", kHighEffort},
                                                                       {"xhigh", kHighEffort},
                                                                       {"max", kMaxEffort}}};

// Nothing for "none".
std::optional<int> EffortOf(const Json& effort, const std::string& path) {
  if (effort == "none") return std::nullopt;
  for (const auto& [name, value] : kEfforts) {
    if (effort == name) return value;
  }
  const std::optional<uint64_t> number = WholeNumber(effort);
  if (number && *number >= kLeastEffort && *number <= kMaxEffort) return static_cast<int>(*number);
  FailField(path, effort,
            "\"none\", \"minimal\", \"low\", \"medium\", \"high\", \"xhigh\", \"max\" or a whole "
            "number from 1 to 100");
}

// A value that several fields may give: all that do must agree.
template <typename Value>
class Agreed {
 public:
  void Add(const std::string& path, const Json& found, Value value) {
    if (value_ && *value_ != value) {
      FailField(path, found, "no contradiction to " + path_ + ", which is " + found_.dump());
    }
    if (!value_) {
      path_ = path;
      found_ = found;
    }
    value_ = value;
  }
  const std::optional<Value>& value() const { return value_; }

 private:
  std::optional<Value> value_;
  std::string path_;
  Json found_;
};

class ThinkingReader {
 public:
  ThinkingFields Read(JsonFields& body, const AnswerDefaults& defaults) {
    TakeEffort(body, "reasoning_effort");
    TakeSwitch(body, "enable_thinking");
    TakeBudget(body, "thinking_token_budget");
    TakeBudget(body, "thinking_budget");
    TakeShown(body, "include_reasoning", true);
    TakeReasoning(body);
    TakeThinkingObject(body);
    TakeTemplate(body);

    ThinkingFields out;
    out.chat.effort = effort_.value() ? effort_.value() : defaults.effort;
    if (thinks_.value() && !*thinks_.value()) out.chat.effort.reset();
    if (thinks_.value() && *thinks_.value() && !out.chat.effort) out.chat.effort = kHighEffort;
    out.chat.preserve_thinking = preserve_.value().value_or(false);
    out.max_thinking = budget_.value() ? budget_.value() : defaults.max_thinking;
    out.is_shown = shown_.value().value_or(true);
    return out;
  }

 private:
  // "none" is a switch; of the others, the value.
  void TakeEffort(JsonFields& fields, const std::string& name) {
    const Json* const found = fields.Take(name);
    if (!found) return;
    const std::string path = fields.PathOf(name);
    const std::optional<int> effort = EffortOf(*found, path);
    if (!effort) return thinks_.Add(path, *found, false);
    effort_.Add(path, *found, *effort);
  }

  void TakeSwitch(JsonFields& fields, const std::string& name) {
    if (const auto on = fields.TakeBool(name)) thinks_.Add(fields.PathOf(name), *on, *on);
  }
  void TakeBudget(JsonFields& fields, const std::string& name) {
    const auto budget = fields.TakeCount(name, 0, std::numeric_limits<uint32_t>::max());
    if (budget) budget_.Add(fields.PathOf(name), *budget, *budget);
  }
  // `shows`: what true says.
  void TakeShown(JsonFields& fields, const std::string& name, bool shows) {
    if (const auto given = fields.TakeBool(name)) {
      shown_.Add(fields.PathOf(name), *given, *given == shows);
    }
  }
  void TakePreserved(JsonFields& fields, const std::string& name, bool preserves) {
    if (const auto given = fields.TakeBool(name)) {
      preserve_.Add(fields.PathOf(name), *given, *given == preserves);
    }
  }

  void TakeReasoning(JsonFields& body) {
    const Json* const object = body.Take("reasoning");
    if (!object) return;
    JsonFields fields(*object, body.PathOf("reasoning"));
    TakeEffort(fields, "effort");
    TakeSwitch(fields, "enabled");
    TakeBudget(fields, "max_tokens");
    TakeShown(fields, "exclude", false);
    fields.Ignore("summary");
    fields.RefuseOthers();
  }

  void TakeThinkingObject(JsonFields& body) {
    const Json* const object = body.Take("thinking");
    if (!object) return;
    JsonFields fields(*object, body.PathOf("thinking"));
    if (const auto type = fields.TakeString("type")) {
      const std::string path = fields.PathOf("type");
      if (type != "enabled" && type != "disabled") {
        FailField(path, *type, "\"enabled\" or \"disabled\"");
      }
      thinks_.Add(path, *type, type == "enabled");
    }
    TakeBudget(fields, "budget_tokens");
    fields.RefuseOthers();
  }

  void TakeTemplate(JsonFields& body) {
    const Json* const object = body.Take("chat_template_kwargs");
    if (!object) return;
    JsonFields fields(*object, body.PathOf("chat_template_kwargs"));
    TakeSwitch(fields, "thinking");
    TakeSwitch(fields, "enable_thinking");
    TakeEffort(fields, "reasoning_effort");
    TakePreserved(fields, "preserve_thinking", true);
    TakePreserved(fields, "drop_thinking", false);
    fields.RefuseOthers();
  }

  Agreed<bool> thinks_;
  Agreed<int> effort_;
  Agreed<uint64_t> budget_;
  Agreed<bool> shown_;
  Agreed<bool> preserve_;
};

}  // namespace

ThinkingFields TakeThinking(JsonFields& body, const AnswerDefaults& defaults) {
  return ThinkingReader().Read(body, defaults);
}

}  // namespace cedar
