#include "app/call_grammar.h"

#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "app/control_names.h"
#include "app/json_grammar.h"
#include "app/member_list.h"
#include "app/object_members.h"
#include "app/schema_grammar.h"
#include "app/text_choice.h"
#include "app/token_trie.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;
using Node = Grammar::Node;

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

  // Fails for a tool whose arguments no text ends.
  void Check(const std::unordered_set<Node>& barren);

 private:
  // A tool's arguments, and the schemas that they are made of.
  struct Made {
    std::string tool;
    std::unique_ptr<SchemaGrammar> values;
    Node arguments;
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
  Node Arguments(const std::string& tool, SchemaGrammar& values);
  Node OfShapes(const std::string& tool, const SchemaGrammar::ShapeList& shapes,
                const SchemaTerms& terms, SchemaGrammar& values);
  Node OfObject(const std::string& tool, const ObjectRule& rule, const SchemaTerms& terms,
                SchemaGrammar& values);
  Node OtherName(const StringRule& rule, const SchemaTerms& terms, SchemaGrammar& values);
  Node Value(const SchemaTerms& terms, SchemaGrammar& values);
  Node ValueOf(const SchemaGrammar::ShapeList& shapes, const SchemaTerms& terms,
               SchemaGrammar& values);
  Node Constants(const std::vector<const Json*>& constants, const SchemaTerms& terms,
                 SchemaGrammar& values);
  Node CodePoint(const ByteSet& ascii);
  Node MakeRaw();

  Grammar& g_;
  JsonGrammar json_;
  // A string as it is, and what ends an argument: one node each, so that masks inside of strings
  // are found once (app/token_mask.h).
  Node raw_;
  Node end_;
  std::vector<Made> made_;
};

Node CallWriter::ArgumentsOf(const CallableTool& tool) {
  if (tool.parameters.is_null()) return g_.Literal("\n");
  auto values = std::make_unique<SchemaGrammar>(tool.parameters, json_, g_);
  try {
    const Node arguments = Arguments(tool.name, *values);
    made_.push_back({tool.name, std::move(values), arguments});
    return arguments;
  } catch (const Error& error) {
    Fail(tool.name, error.what());
  }
}

void CallWriter::Check(const std::unordered_set<Node>& barren) {
  for (const Made& made : made_) {
    if (!barren.contains(made.arguments)) continue;
    try {
      made.values->FailAtBarren(barren);
    } catch (const Error& error) {
      Fail(made.tool, error.what());
    }
    Fail(made.tool, "JSON schema, #: no arguments meet it");
  }
}

// Any names and values; without any an empty line is left.
Node CallWriter::AnyArguments() {
  ByteSet in_names;
  for (size_t byte = 0x20; byte < 0x7f; ++byte) in_names.set(byte, byte != '"');
  const Node name = g_.Repeat(CodePoint(in_names), 1);
  const Node argument = Argument(name, g_.Choice({AsText(raw_), AsJson(json_.Any())}));
  return g_.Choice({g_.Literal("\n"), g_.Repeat(argument, 1)});
}

Node CallWriter::Arguments(const std::string& tool, SchemaGrammar& values) {
  const SchemaTerms terms = values.normaliser().Terms(SchemaDocument::kRoot);
  if (terms.empty()) return AnyArguments();
  SchemaGrammar::ShapeList objects;
  for (const Shape& shape : values.normaliser().Of(terms)) {
    if (shape.type == JsonType::kObject) objects.push_back(&shape);
  }
  if (objects.empty()) {
    values.normaliser().document().Fail(SchemaDocument::kRoot,
                                        "no arguments meet it: expected a schema of objects");
  }
  return OfShapes(tool, objects, terms, values);
}

Node CallWriter::OfShapes(const std::string& tool, const SchemaGrammar::ShapeList& shapes,
                          const SchemaTerms& terms, SchemaGrammar& values) {
  std::vector<Node> choices;
  for (const Shape* shape : shapes) {
    if (!shape->unsupported.empty()) throw Error(ErrorKind::kInput, shape->unsupported);
    if (shape->values) {
      values.normaliser().document().Fail(SchemaDocument::kRoot,
                                          "const and enum are not supported for all arguments");
    }
    choices.push_back(OfObject(tool, shape->object, terms, values));
  }
  return g_.Choice(std::move(choices));
}

Node CallWriter::OfObject(const std::string& tool, const ObjectRule& rule, const SchemaTerms& terms,
                          SchemaGrammar& values) {
  if (rule == ObjectRule()) {
    // A list of properties that is empty is one of a tool that takes none.
    const bool takes_none =
        values.normaliser().document().SchemaOf(SchemaDocument::kRoot).contains("properties");
    return takes_none ? g_.Literal("\n") : AnyArguments();
  }
  const ObjectMembers members = MembersOf(rule, values.normaliser());
  values.CheckCount(terms, members);
  MemberList list{.least = members.least, .most = members.most, .none = g_.Literal("\n")};
  for (const ObjectMembers::Listed& member : members.listed) {
    CheckName(tool, member.name);
    const Node text = Argument(g_.Literal(member.name), Value(member.value, values));
    list.listed.push_back({{text, text}, member.required});
  }
  std::vector<Node> free;
  for (const ObjectMembers::Others& others : members.others) {
    free.push_back(Argument(OtherName(others.name, terms, values), Value(others.value, values)));
  }
  if (!free.empty()) {
    const Node any = g_.Choice(std::move(free));
    list.free = {any, any};
  }
  return GrammarOfMembers(g_, list);
}

// A name between quotes in which nothing is escaped.
Node CallWriter::OtherName(const StringRule& rule, const SchemaTerms& terms,
                           SchemaGrammar& values) {
  StringRule name = rule;
  name.patterns.push_back("^[^\"\\n]+$");
  return values.String(terms, name, StringForm::kCall);
}

Node CallWriter::Value(const SchemaTerms& terms, SchemaGrammar& values) {
  if (terms.empty()) return g_.Choice({AsText(raw_), AsJson(json_.Any())});
  const auto [wanted, open] = SchemaGrammar::Wanted(values.normaliser().Of(terms));
  const Node value = ValueOf(wanted, terms, values);
  return open.empty() ? value : g_.Prefer(value, ValueOf(open, terms, values));
}

// A string is written as it is.
Node CallWriter::ValueOf(const SchemaGrammar::ShapeList& shapes, const SchemaTerms& terms,
                         SchemaGrammar& values) {
  std::vector<Node> choices;
  SchemaGrammar::ShapeList others;
  for (const Shape* shape : shapes) {
    if (shape->type != JsonType::kString || !shape->unsupported.empty()) {
      others.push_back(shape);
    } else if (!shape->values) {
      choices.push_back(AsText(
          IsFree(shape->string) ? raw_ : values.String(terms, shape->string, StringForm::kCall)));
    } else {
      choices.push_back(AsText(Constants(*shape->values, terms, values)));
    }
  }
  if (!others.empty()) choices.push_back(AsJson(values.ValueOf(terms, others)));
  return g_.Choice(std::move(choices));
}

Node CallWriter::Constants(const std::vector<const Json*>& constants, const SchemaTerms& terms,
                           SchemaGrammar& values) {
  std::vector<std::string> texts;
  for (const Json* constant : constants) {
    texts.push_back(*constant);
    if (texts.back().find(kDsml) != std::string::npos) {
      values.normaliser().document().Fail(terms[0].place,
                                          "a constant that no call can be written with");
    }
  }
  return TextChoice(g_, std::move(texts));
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
  for (const CallableTool& tool : tools) CheckName(tool.name, tool.name);
  auto grammar = std::make_unique<Grammar>(most_bytes);
  CallWriter writer(*grammar);
  grammar->root = writer.Block(tools, block);
  writer.Check(grammar->Prune());
  return grammar;
}

}  // namespace cedar
