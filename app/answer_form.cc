#include "app/answer_form.h"

#include <utility>
#include <vector>

#include "app/json_schema.h"
#include "app/json_text.h"
#include "app/python_json.h"
#include "app/string_grammar.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Kind = AnswerForm::Kind;

constexpr const char* kResponseFormat = "response_format";
constexpr const char* kStructured = "structured_outputs";

// A field that asks for what cannot be done.
void Refuse(JsonFields& fields, const char* name, const std::string& expected) {
  if (const Json* value = fields.Take(name)) FailField(fields.PathOf(name), *value, expected);
}

// A schema, or its text.
Json SchemaOf(const Json& given, const std::string& path) {
  Json schema = given.is_string() ? ParseJson(given.get_ref<const std::string&>(), path) : given;
  if (!schema.is_object() && !schema.is_boolean()) FailField(path, given, "a JSON schema");
  return schema;
}

Json RegexOf(const Json& given, const std::string& path) {
  if (!given.is_string()) FailField(path, given, "a regular expression");
  return given;
}

Json ChoicesOf(const Json& given, const std::string& path) {
  if (!given.is_array() || given.empty()) FailField(path, given, "a list of texts");
  for (const Json& one : given) {
    if (!one.is_string()) FailField(path, one, "texts");
  }
  return given;
}

using Reader = Json (*)(const Json& given, const std::string& path);

AnswerForm FormOf(Kind kind, Reader read, const JsonFields& fields, const char* name,
                  const Json& given) {
  const std::string path = fields.PathOf(name);
  return {.kind = kind, .value = read(given, path), .field = path, .told = ""};
}

// Of these fields the one that is there, if any.
void TakeOne(JsonFields& fields, std::initializer_list<std::tuple<const char*, Kind, Reader>> known,
             std::vector<AnswerForm>& forms) {
  for (const auto& [name, kind, read] : known) {
    const Json* const given = fields.Take(name);
    if (given != nullptr) forms.push_back(FormOf(kind, read, fields, name, *given));
  }
}

AnswerForm TakeResponseFormat(const Json& object, const std::string& path) {
  JsonFields format(object, path);
  const std::string type = format.NeedString("type");
  AnswerForm form{.kind = Kind::kFree, .value = nullptr, .field = path, .told = ""};
  if (type == "json_schema") {
    JsonFields named(format.Need("json_schema"), format.PathOf("json_schema"));
    for (const char* name : {"name", "description", "strict"}) named.Ignore(name);
    form.value = SchemaOf(named.Need("schema"), named.PathOf("schema"));
    named.RefuseOthers();
  } else if (const Json* schema = type == "json_object" ? format.Take("schema") : nullptr) {
    form.value = SchemaOf(*schema, format.PathOf("schema"));  // as other servers have it
  } else if (type != "text" && type != "json_object") {
    FailField(format.PathOf("type"), type, "\"text\", \"json_object\" or \"json_schema\"");
  }
  format.RefuseOthers();
  if (!form.value.is_null()) {
    form.kind = Kind::kSchema;
    form.told = PythonJson(form.value);
  } else if (type == "json_object") {
    form.kind = Kind::kObject;
    form.told = PythonJson({{"type", "json_object"}});
  }
  return form;
}

void TakeStructured(const Json& object, const std::string& path, std::vector<AnswerForm>& forms) {
  JsonFields fields(object, path);
  const size_t before = forms.size();
  TakeOne(fields,
          {{"json", Kind::kSchema, SchemaOf},
           {"regex", Kind::kRegex, RegexOf},
           {"choice", Kind::kChoice, ChoicesOf}},
          forms);
  if (fields.TakeBool("json_object").value_or(false)) {
    forms.push_back({.kind = Kind::kObject,
                     .value = nullptr,
                     .field = fields.PathOf("json_object"),
                     .told = ""});
  }
  for (const char* name : {"grammar", "structural_tag"}) {
    Refuse(fields, name, "json, regex or choice instead: it is not supported");
  }
  // White space stays as models write it, and schemas say themselves what properties there are.
  for (const char* name : {"disable_any_whitespace", "disable_additional_properties"}) {
    fields.OnlyIf(name, false);
  }
  Refuse(fields, "whitespace_pattern", "null: it is not supported");
  for (const char* name : {"disable_fallback", "_backend", "_backend_was_auto"}) {
    fields.Ignore(name);  // which library of vLLM's does it
  }
  fields.RefuseOthers();
  if (forms.size() == before) {
    throw Error(ErrorKind::kInput, path + ": expected one of json, regex, choice and json_object");
  }
}

Grammar::Node OneOf(Grammar& grammar, const Json& texts) {
  std::vector<Grammar::Node> choices;
  for (const Json& text : texts) choices.push_back(grammar.Literal(text.get<std::string>()));
  return grammar.Choice(std::move(choices));
}

}  // namespace

AnswerForm TakeAnswerForm(JsonFields& body) {
  std::vector<AnswerForm> forms;
  if (const Json* object = body.Take(kResponseFormat)) {
    AnswerForm form = TakeResponseFormat(*object, body.PathOf(kResponseFormat));
    if (form.kind != Kind::kFree) forms.push_back(std::move(form));
  }
  if (const Json* object = body.Take(kStructured)) {
    TakeStructured(*object, body.PathOf(kStructured), forms);
  }
  TakeOne(body,
          {{"guided_json", Kind::kSchema, SchemaOf},
           {"guided_regex", Kind::kRegex, RegexOf},
           {"guided_choice", Kind::kChoice, ChoicesOf}},
          forms);
  if (forms.size() > 1) {
    throw Error(ErrorKind::kInput, forms[1].field +
                                       ": only one may say what an answer looks like, and " +
                                       forms[0].field + " does");
  }
  return forms.empty() ? AnswerForm() : std::move(forms[0]);
}

std::unique_ptr<Grammar> GrammarOfForm(const AnswerForm& form, size_t most_bytes) {
  if (form.kind == Kind::kObject) return GrammarOfAnyObject();
  if (form.kind == Kind::kSchema) return GrammarOfSchema(form.value, most_bytes);
  auto grammar = std::make_unique<Grammar>(most_bytes);
  if (form.kind == Kind::kChoice) {
    grammar->root = OneOf(*grammar, form.value);
    return grammar;
  }
  try {
    grammar->root = RegexGrammar(*grammar, form.value.get<std::string>());
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, form.field + ": " + error.what());
  }
  return grammar;
}

}  // namespace cedar
