#include "app/object_members.h"

#include <algorithm>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Whether any text follows the rule, as far as it is supported.
bool HasTexts(const StringRule& rule) {
  try {
    Grammar trial;
    const Grammar::Node names = StringGrammar(trial, rule);
    return !trial.Prune().contains(names);
  } catch (const Error&) {
    return false;
  }
}

class MemberPlan {
 public:
  MemberPlan(const ObjectRule& rule, SchemaNormaliser& normaliser)
      : rule_(rule), normaliser_(normaliser) {}

  ObjectMembers Make() {
    members_.least = rule_.least;
    members_.most = rule_.most;
    ReadNames();
    for (const ObjectRule::Property& property : rule_.properties) {
      excluded_.push_back(property.name);
      SchemaTerms value = property.value;
      if (!AllowsName(property.name)) value = {{SchemaDocument::kNever}};
      List(property.name, std::move(value), property.required);
    }
    for (const std::string& name : names_) {
      if (rule_.Find(name) != nullptr) continue;
      excluded_.push_back(name);
      List(name, normaliser_.ValueOf(rule_, name), /*required=*/false);
    }
    for (const StringRule& name : name_rules_) {
      AddPatterns(name);
      if (SpeaksOfOthers()) AddOthers(name);
    }
    return std::move(members_);
  }

 private:
  // The names that propertyNames allows: some, and those of some rules.
  void ReadNames() {
    if (rule_.names.empty()) {
      name_rules_.emplace_back();
      return;
    }
    for (const Shape& shape : normaliser_.Of(rule_.names)) {
      if (shape.type != JsonType::kString) continue;
      if (!shape.unsupported.empty()) throw Error(ErrorKind::kInput, shape.unsupported);
      if (!shape.values) {
        name_rules_.push_back(shape.string);
        continue;
      }
      for (const Json* name : *shape.values) names_.push_back(*name);
    }
  }

  bool AllowsName(const std::string& name) {
    return rule_.names.empty() || normaliser_.Allows(rule_.names, Json(name));
  }

  void List(const std::string& name, SchemaTerms value, bool required) {
    if (SchemaNormaliser::IsNever(value) && !required) return;
    members_.listed.push_back({name, std::move(value), required});
  }

  // Names of one pattern and no other, where there are such; or else those of one at least, with
  // values as all patterns want them.
  void AddPatterns(const StringRule& name) {
    for (const ObjectRule::Pattern& pattern : rule_.patterns) {
      StringRule own = name;
      own.patterns.push_back(pattern.text);
      for (const std::string& listed : excluded_) {
        if (normaliser_.HasName(pattern.text, listed)) own.excluded.push_back(listed);
      }
      SchemaTerms value = pattern.value;
      if (rule_.patterns.size() > 1) {
        StringRule alone = own;
        for (const ObjectRule::Pattern& other : rule_.patterns) {
          if (&other != &pattern) alone.not_patterns.push_back(other.text);
        }
        if (HasTexts(alone)) {
          own = std::move(alone);
        } else {
          for (const ObjectRule::Pattern& other : rule_.patterns) AddTerms(value, other.value);
        }
      }
      if (!SchemaNormaliser::IsNever(value) && HasTextsOrIsWrong(own)) {
        members_.others.push_back({std::move(own), std::move(value)});
      }
    }
  }

  // Where a rule cannot be met there are no such members; one that is not supported fails later.
  static bool HasTextsOrIsWrong(const StringRule& rule) {
    return (rule.excluded.empty() && rule.patterns.size() < 2) || HasTexts(rule);
  }

  bool SpeaksOfOthers() const {
    if (rule_.others && SchemaNormaliser::IsNever(*rule_.others)) return false;
    if (rule_.others && !rule_.others->empty()) return true;
    return (members_.listed.empty() && rule_.patterns.empty()) ||
           rule_.least > members_.listed.size();
  }

  void AddOthers(StringRule name) {
    for (const ObjectRule::Pattern& pattern : rule_.patterns) {
      name.not_patterns.push_back(pattern.text);
    }
    name.excluded.insert(name.excluded.end(), excluded_.begin(), excluded_.end());
    const bool free = name.excluded.empty() && name.not_patterns.empty();
    if (free || HasTexts(name)) {
      members_.others.push_back({std::move(name), rule_.others.value_or(SchemaTerms())});
    }
  }

  const ObjectRule& rule_;
  SchemaNormaliser& normaliser_;
  ObjectMembers members_;
  std::vector<std::string> names_;
  std::vector<StringRule> name_rules_;
  std::vector<std::string> excluded_;  // names that others do not have
};

}  // namespace

ObjectMembers MembersOf(const ObjectRule& rule, SchemaNormaliser& normaliser) {
  return MemberPlan(rule, normaliser).Make();
}

}  // namespace cedar
