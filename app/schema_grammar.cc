#include "app/schema_grammar.h"

#include <algorithm>

#include "app/member_list.h"
#include "app/object_members.h"
#include "app/text_choice.h"
#include "simd/error.h"

namespace cedar {

using Json = nlohmann::ordered_json;
using Node = Grammar::Node;

namespace {

bool IsPlainInteger(NumberRule rule) {
  const bool integer = rule.integer;
  rule.integer = false;
  return integer && IsFree(rule);
}

}  // namespace

void SchemaGrammar::Fail(const SchemaTerms& terms, const std::string& what) {
  // Errors of parts come with their own place.
  if (what.starts_with("JSON schema")) throw Error(ErrorKind::kInput, what);
  normaliser_.document().Fail(terms.empty() ? SchemaDocument::kRoot : terms[0].place, what);
}

std::pair<SchemaGrammar::ShapeList, SchemaGrammar::ShapeList> SchemaGrammar::Wanted(
    const Shapes& shapes) {
  ShapeList named, open;
  for (const Shape& shape : shapes) (shape.named ? named : open).push_back(&shape);
  // What Cedar cannot write is left out where nobody asked for it.
  std::erase_if(open,
                [](const Shape* shape) { return shape->fraction || !shape->unsupported.empty(); });
  if (named.empty()) named.swap(open);
  if (named.empty() && !shapes.empty()) named.push_back(&shapes[0]);
  return {named, open};
}

Node SchemaGrammar::Value(const SchemaTerms& terms) {
  if (terms.empty()) return json_.Any();
  const auto [known, is_new] = known_.emplace(terms, nullptr);
  if (!is_new) {
    if (known->second != nullptr) return known->second;
    GrammarNode*& rule = recur_[terms];
    if (rule == nullptr) rule = g_.DeclareRule();
    return rule;
  }
  if (level_ == SchemaDocument::kMostLevels) {
    Fail(terms, "schemas within schemas: more than " + std::to_string(SchemaDocument::kMostLevels) +
                    " levels");
  }
  ++level_;
  const auto [wanted, open] = Wanted(normaliser_.Of(terms));
  Node value = ValueOf(terms, wanted);
  if (!open.empty()) value = g_.Prefer(value, ValueOf(terms, open));
  --level_;
  if (const auto rule = recur_.find(terms); rule != recur_.end()) {
    rule->second->parts = {value};
    value = rule->second;
  }
  known->second = value;
  places_.emplace_back(value, terms[0].place);
  return value;
}

Node SchemaGrammar::ValueOf(const SchemaTerms& terms, const ShapeList& shapes) {
  const auto bare = [](const Shape* shape) { return shape->IsBare(); };
  if (shapes.size() == kJsonTypes.size() && std::all_of(shapes.begin(), shapes.end(), bare)) {
    return json_.Any();
  }
  std::vector<Node> choices;
  for (const Shape* shape : shapes) choices.push_back(ShapeOf(terms, *shape));
  return choices.size() == 1 ? choices[0] : g_.Choice(std::move(choices));
}

Node SchemaGrammar::ShapeOf(const SchemaTerms& terms, const Shape& shape) {
  if (!shape.unsupported.empty()) {
    throw Error(ErrorKind::kInput, "JSON schema, " + shape.unsupported);
  }
  if (shape.values) {
    std::vector<std::string> texts;
    for (const Json* value : *shape.values) texts.push_back(value->dump());
    return TextChoice(g_, std::move(texts));
  }
  switch (shape.type) {
    case JsonType::kObject:
      return shape.IsBare() ? json_.AnyObject() : Object(terms, shape.object);
    case JsonType::kArray:
      return Array(terms, shape.array);
    case JsonType::kString:
      return String(terms, shape.string, StringForm::kJson);
    case JsonType::kNumber:
      if (shape.fraction) Fail(terms, "\"not\" (or oneOf) of integers is not supported here");
      if (IsFree(shape.number)) return json_.Number();
      if (IsPlainInteger(shape.number)) return json_.Integer(std::nullopt, std::nullopt);
      try {
        return NumberGrammar(g_, shape.number);
      } catch (const Error& error) {
        Fail(terms, error.what());
      }
    case JsonType::kBoolean:
      return g_.Choice({g_.Literal("true"), g_.Literal("false")});
    default:
      return g_.Literal("null");
  }
}

Node SchemaGrammar::String(const SchemaTerms& terms, const StringRule& rule, StringForm form) {
  if (form == StringForm::kJson && IsFree(rule)) return json_.String();
  try {
    return StringGrammar(g_, rule, form);
  } catch (const Error& error) {
    Fail(terms, error.what());
  }
}

void SchemaGrammar::CheckCount(const SchemaTerms& terms, const ObjectMembers& members) {
  if (!members.others.empty() && members.least > members.listed.size() + 1) {
    Fail(terms, "minProperties: more than one property that is not listed is not supported");
  }
}

Node SchemaGrammar::Object(const SchemaTerms& terms, const ObjectRule& rule) {
  try {
    const ObjectMembers members = MembersOf(rule, normaliser_);
    CheckCount(terms, members);
    MemberList list{.least = members.least, .most = members.most, .none = g_.Sequence({})};
    const auto text = [&](Node name, const SchemaTerms& value_terms) -> MemberList::Text {
      const Node value = Value(value_terms);
      return {json_.Member(name, value, /*first=*/true), json_.Member(name, value, false)};
    };
    for (const ObjectMembers::Listed& member : members.listed) {
      list.listed.push_back(
          {text(g_.Literal(Json(member.name).dump()), member.value), member.required});
    }
    std::vector<Node> first, later;
    for (const ObjectMembers::Others& others : members.others) {
      const auto [one, other] = text(String(terms, others.name, StringForm::kJson), others.value);
      first.push_back(one);
      later.push_back(other);
    }
    if (!first.empty()) list.free = {g_.Choice(std::move(first)), g_.Choice(std::move(later))};
    return json_.Braces(GrammarOfMembers(g_, list));
  } catch (const Error& error) {
    Fail(terms, error.what());
  }
}

void SchemaGrammar::FailAtBarren(const std::unordered_set<Node>& barren) {
  for (const auto& [node, place] : places_) {
    if (barren.contains(node)) {
      normaliser_.document().Fail(place, "no finite value meets it");
    }
  }
}

}  // namespace cedar
