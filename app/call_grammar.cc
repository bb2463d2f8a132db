#include "app/call_grammar.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control_names.h"
#include "app/json_grammar.h"
#include "app/json_schema.h"
#include "app/token_trie.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Node = Grammar::Node;

// The grammar calls itself once for each parameter that may be left out.
constexpr size_t kMostParameters = 1000;

[[noreturn]] void Fail(const std::string& tool, const std::string& what) {
  throw Error(ErrorKind::kInput, "tools: \"" + tool + "\": " + what);
}

// Names stand between quotes, and nothing is escaped.
void CheckName(const std::string& tool, const std::string& name) {
  const bool broken =
      name.empty() || name.find_first_of("\"\n") != name.npos || name.find(kDsml) != name.npos;
  if (broken)
    Fail(tool, "found the name " + Json(name).dump() + ", which no call can be written with");
}

bool HasProperties(const Json& schema) {
  return schema.is_object() && schema.contains("properties") && schema["properties"].is_object();
}

void CheckNames(const CallableTool& tool) {
  CheckName(tool.name, tool.name);
  if (!HasProperties(tool.parameters)) return;
  for (const auto& [name, schema] : tool.parameters["properties"].items()) {
    CheckName(tool.name, name);
  }
}

class CallWriter {
 public:
  explicit CallWriter(Grammar& grammar)
      : g_(grammar), json_(grammar), raw_(MakeRaw()), end_(Tag("</", " parameter>\n")) {}

  Node Block(std::span<const CallableTool> tools, const CallBlock& block) {
    std::vector<Node> choices;
    for (const CallableTool& tool : tools) choices.push_back(Invoke(tool));
    const Node call = g_.Choice(std::move(choices));
    const Node more = g_.Repeat(g_.Sequence({g_.Literal("\n"), call}), 0);
    return g_.Sequence({block.opened ? g_.Sequence({}) : Tag("\n\n<", " calls>\n"), call,
                        block.several ? more : g_.Sequence({}), Tag("\n</", " calls>")});
  }

  // The arguments as the schema wants them. Throws Error if it is not supported.
  Node Arguments(const Json& schema);

 private:
  struct Parameter {
    Node text;
    bool required;
  };

  // The two ways to write a value: a string as it is, anything else as JSON.
  Node AsText(Node text) { return g_.Sequence({g_.Literal("true\">"), text}); }
  Node AsJson(Node value) { return g_.Sequence({g_.Literal("false\">"), value}); }

  Node Tag(std::string_view before, std::string_view after) {
    return g_.Literal(std::string(before) + kDsmlByte + std::string(after));
  }
  Node Invoke(const CallableTool& tool) {
    return g_.Sequence({Tag("<", " invoke name=\"" + tool.name + "\">\n"), ArgumentsOf(tool),
                        Tag("</", " invoke>")});
  }
  // An argument with its line end.
  Node Argument(Node name, Node value) {
    return g_.Sequence(
        {Tag("<", " parameter name=\""), name, g_.Literal("\" string=\""), value, end_});
  }
  Node ArgumentsOf(const CallableTool& tool);
  Node AnyArguments();
  Node InOrder(const std::vector<Parameter>& parameters);
  Node Value(const Json& schema, const std::string& place, SchemaValues& values);
  Node Constants(const Json& schema, const std::string& place, SchemaValues& values);
  Node CodePoint(const ByteSet& ascii);
  Node MakeRaw();

  Grammar& g_;
  JsonGrammar json_;
  // A string as it is, and what ends an argument: one node each, so that masks inside of strings
  // are found once (app/token_mask.h).
  Node raw_;
  Node end_;
};

bool IsSupported(const Json& schema) {
  Grammar trial;
  try {
    trial.root = CallWriter(trial).Arguments(schema);
  } catch (const Error&) {
    return false;
  }
  return !trial.HasEmptyLoop();
}

Node CallWriter::ArgumentsOf(const CallableTool& tool) {
  if (tool.parameters.is_null()) return InOrder({});
  if (tool.strict || IsSupported(tool.parameters)) return Arguments(tool.parameters);
  return AnyArguments();
}

// Without any an empty line is left.
Node CallWriter::InOrder(const std::vector<Parameter>& parameters) {
  // What may follow, from the last to the first: when none stands before it, and when one does.
  Node if_first = g_.Literal("\n"), if_later = g_.Sequence({});
  for (size_t i = parameters.size(); i > 0; --i) {
    const auto& [text, required] = parameters[i - 1];
    const Node with = g_.Sequence({text, if_later});
    if_first = required ? with : g_.Choice({with, if_first});
    if_later = required ? with : g_.Choice({with, if_later});
  }
  return if_first;
}

Node CallWriter::AnyArguments() {
  ByteSet in_names;
  for (size_t byte = 0x20; byte < 0x7f; ++byte) in_names.set(byte, byte != '"');
  const Node name = g_.Repeat(CodePoint(in_names), 1);
  const Node argument = Argument(name, g_.Choice({AsText(raw_), AsJson(json_.Any())}));
  return g_.Choice({g_.Literal("\n"), g_.Repeat(argument, 1)});
}

Node CallWriter::Arguments(const Json& schema) {
  SchemaValues values(schema, g_);
  const std::set<std::string> required = values.CheckObject();
  const bool closed = schema.value("additionalProperties", Json()) == Json(false);
  if (!HasProperties(schema) && required.empty()) return closed ? InOrder({}) : AnyArguments();
  std::vector<Parameter> parameters;
  std::set<std::string> missing = required;
  const Json properties = schema.value("properties", Json::object());
  if (properties.size() + required.size() > kMostParameters) Fail("parameters", "too many");
  for (const auto& [name, property] : properties.items()) {
    const std::string place = "#/properties/" + name;
    const Node text = Argument(g_.Literal(name), Value(property, place, values));
    parameters.push_back({text, missing.erase(name) > 0});
  }
  for (const std::string& name : missing) {
    if (closed) Fail("parameters", "\"" + name + "\" is required but not allowed");
    parameters.push_back({Argument(g_.Literal(name), Value(true, "#", values)), true});
  }
  return InOrder(parameters);
}

// A string is written as it is wherever the schema lets it be one of its own.
Node CallWriter::Value(const Json& schema, const std::string& place, SchemaValues& values) {
  const Json& target = values.Resolve(schema, place);
  if (!target.is_object()) return g_.Choice({AsText(raw_), AsJson(values.Of(target, place))});
  if (target.contains("enum") || target.contains("const")) return Constants(target, place, values);
  if (target.contains("anyOf") && target["anyOf"].is_array() && !target["anyOf"].empty()) {
    values.Of(target, place);  // is it supported?
    std::vector<Node> choices;
    for (const Json& option : target["anyOf"]) choices.push_back(Value(option, place, values));
    return g_.Choice(std::move(choices));
  }
  const Node value = values.Of(target, place);
  const Json type = target.value("type", Json());
  if (type == "string") return AsText(raw_);
  const bool may_be_string =
      type.is_array()
          ? std::find(type.begin(), type.end(), "string") != type.end()
          : type.is_null() && !target.contains("properties") && !target.contains("items");
  return may_be_string ? g_.Choice({AsText(raw_), AsJson(value)}) : AsJson(value);
}

Node CallWriter::Constants(const Json& schema, const std::string& place, SchemaValues& values) {
  values.Of(schema, place);  // is it supported?
  const Json list = schema.contains("const") ? Json::array({schema["const"]}) : schema["enum"];
  std::vector<Node> choices;
  for (const Json& value : list) {
    if (!value.is_string()) {
      choices.push_back(AsJson(values.Of({{"const", value}}, place)));
    } else if (const std::string text = value; text.find(kDsml) == text.npos) {
      choices.push_back(AsText(g_.Literal(text)));
    } else {
      Fail("parameters", "a constant that no call can be written with");
    }
  }
  return g_.Choice(std::move(choices));
}

// A code point of UTF-8, of the first 128 only these, and none that is U+FF5C, with which the mark
// begins when it is spelled out.
Node CallWriter::CodePoint(const ByteSet& ascii) {
  const Node tail = g_.Range(0x80, 0xBF);
  const Node but_bar =
      g_.Choice({g_.Sequence({g_.Choice({g_.Range(0x80, 0xBC), g_.Range(0xBE, 0xBF)}), tail}),
                 g_.Sequence({g_.Range(0xBD, 0xBD),
                              g_.Choice({g_.Range(0x80, 0x9B), g_.Range(0x9D, 0xBF)})})});
  return g_.Choice(
      {g_.Bytes(ascii), g_.Sequence({g_.Range(0xC2, 0xDF), tail}),
       g_.Sequence({g_.Range(0xE0, 0xE0), g_.Range(0xA0, 0xBF), tail}),
       g_.Sequence({g_.Choice({g_.Range(0xE1, 0xEC), g_.Range(0xEE, 0xEE)}), tail, tail}),
       g_.Sequence({g_.Range(0xED, 0xED), g_.Range(0x80, 0x9F), tail}),
       g_.Sequence({g_.Range(0xEF, 0xEF), but_bar}),
       g_.Sequence({g_.Range(0xF0, 0xF0), g_.Range(0x90, 0xBF), tail, tail}),
       g_.Sequence({g_.Range(0xF1, 0xF3), tail, tail, tail}),
       g_.Sequence({g_.Range(0xF4, 0xF4), g_.Range(0x80, 0x8F), tail, tail})});
}

// Any text, but never the mark spelled out: behind U+FF5C comes no D.
Node CallWriter::MakeRaw() {
  ByteSet ascii, but_d;
  for (size_t byte = 0; byte < 0x80; ++byte) ascii.set(byte);
  but_d = ascii;
  but_d.reset('D');
  const Node bars = g_.Repeat(g_.Literal("\xEF\xBD\x9C"), 1);
  const Node unit = g_.Choice({CodePoint(ascii), g_.Sequence({bars, CodePoint(but_d)})});
  return g_.Sequence({g_.Repeat(unit, 0), g_.Optional(bars)});
}

}  // namespace

std::unique_ptr<Grammar> GrammarOfCalls(std::span<const CallableTool> tools, const CallBlock& block,
                                        size_t most_bytes) {
  std::for_each(tools.begin(), tools.end(), CheckNames);
  auto grammar = std::make_unique<Grammar>(most_bytes);
  grammar->root = CallWriter(*grammar).Block(tools, block);
  if (grammar->HasEmptyLoop()) {
    throw Error(ErrorKind::kInput, "tools: a $ref leads back to itself and to no value");
  }
  return grammar;
}

}  // namespace cedar
