#include "app/tool_text.h"

#include "app/json_text.h"
#include "app/python_json.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kToolsBefore =
    R"(## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜ calls>" block like the following:

<｜DSML｜ calls>
<｜DSML｜ invoke name="$TOOL_NAME">
<｜DSML｜ parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜ parameter>
...
</｜DSML｜ invoke>
<｜DSML｜ invoke name="$TOOL_NAME2">
...
</｜DSML｜ invoke>
</｜DSML｜ calls>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

)";

constexpr std::string_view kToolsAfter = R"(

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
)";

constexpr std::string_view kReplySchema =
    "## Response Format:\n\n"
    "You MUST strictly adhere to the following schema to reply:\n";

Json ParseOrThrow(const std::string& text, const char* where) {
  Json value = TryParseJson(text);
  if (value.is_discarded()) throw Error(ErrorKind::kInput, std::string(where) + ": damaged JSON");
  return value;
}

void WriteParameter(const std::string& name, bool is_string, const std::string& value,
                    PromptWriter& out) {
  out.Template("<｜DSML｜ parameter name=\"");
  out.Text(name);
  out.Text(is_string ? "\" string=\"true\">" : "\" string=\"false\">");
  out.Text(value);
  out.Template("</｜DSML｜ parameter>");
}

void WriteArguments(const std::string& arguments, PromptWriter& out) {
  const Json object = TryParseJson(arguments);
  if (!object.is_object()) return WriteParameter("arguments", true, arguments, out);
  bool first = true;
  for (const auto& [name, value] : object.items()) {
    if (!first) out.Text("\n");
    first = false;
    const bool is_string = value.is_string();
    WriteParameter(name, is_string, is_string ? value.get<std::string>() : PythonJson(value), out);
  }
}

}  // namespace

void WriteTools(std::span<const std::string> tools, PromptWriter& out) {
  out.Template(kToolsBefore);
  for (size_t i = 0; i < tools.size(); ++i) {
    const Json function = ParseOrThrow(tools[i], "tools");
    if (!function.is_object()) {
      throw Error(ErrorKind::kInput, "tools: found " + tools[i] + ", expected an object");
    }
    if (i > 0) out.Text("\n");
    out.Text(PythonJson(function));
  }
  out.Template(kToolsAfter);
}

void WriteReplySchema(const std::string& schema, PromptWriter& out) {
  out.Text(kReplySchema);
  out.Text(PythonJson(ParseOrThrow(schema, "response_format")));
}

void WriteCalls(std::span<const ToolCall> calls, PromptWriter& out) {
  out.Template("\n\n<｜DSML｜ calls>\n");
  for (const ToolCall& call : calls) {
    out.Template("<｜DSML｜ invoke name=\"");
    out.Text(call.name);
    out.Text("\">\n");
    WriteArguments(call.arguments, out);
    out.Template("\n</｜DSML｜ invoke>\n");
  }
  out.Template("</｜DSML｜ calls>");
}

std::string ToolResult(std::string_view content) {
  return "<tool_result>" + std::string(content) + "</tool_result>";
}

}  // namespace cedar
