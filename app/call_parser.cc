#include "app/call_parser.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/json_text.h"

namespace cedar {
namespace {

constexpr std::string_view kOpen = "<｜DSML｜";
constexpr std::string_view kClose = "</｜DSML｜";

// Reads a text from front to back.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Skip(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  void SkipSpace() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size())); }
  // What stands before `end`, which is skipped too.
  std::optional<std::string_view> Until(std::string_view end) {
    const size_t at = text_.find(end);
    if (at == text_.npos) return std::nullopt;
    const std::string_view before = text_.substr(0, at);
    text_.remove_prefix(at + end.size());
    return before;
  }
  // An opening or closing mark; the model may or may not write a space inside.
  bool Mark(std::string_view mark, std::string_view name) {
    Reader trial = *this;
    trial.SkipSpace();
    if (!trial.Skip(mark)) return false;
    trial.SkipSpace();
    if (!trial.Skip(name)) return false;
    *this = trial;
    return true;
  }

 private:
  std::string_view text_;
};

// name="NAME" string="true|false">VALUE</...parameter>, behind the mark that opens it.
bool ReadParameter(Reader& reader, nlohmann::ordered_json& arguments) {
  reader.SkipSpace();
  if (!reader.Skip("name=\"")) return false;
  const auto name = reader.Until("\"");
  if (!name || !reader.Skip(" string=\"")) return false;
  const auto is_string = reader.Until("\">");
  const auto value = reader.Until(kClose);
  if (!is_string || !value || !reader.Mark("", "parameter") || !reader.Skip(">")) return false;
  if (arguments.contains(*name)) return false;
  if (*is_string == "true") {
    arguments[std::string(*name)] = *value;
    return true;
  }
  if (*is_string != "false") return false;
  auto parsed = TryParseJson(*value);
  if (parsed.is_discarded()) return false;
  arguments[std::string(*name)] = std::move(parsed);
  return true;
}

std::optional<ToolCall> ReadCall(Reader& reader) {
  reader.SkipSpace();
  if (!reader.Skip("name=\"")) return std::nullopt;
  const auto name = reader.Until("\"");
  if (!name || !reader.Skip(">")) return std::nullopt;
  ToolCall call;
  call.name = *name;
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  while (reader.Mark(kOpen, "parameter")) {
    if (!ReadParameter(reader, arguments)) return std::nullopt;
  }
  if (!reader.Mark(kClose, "invoke") || !reader.Skip(">")) return std::nullopt;
  // What the model wrote may be cut inside a code point.
  call.arguments = arguments.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return call;
}

std::optional<std::vector<ToolCall>> ReadCalls(Reader reader) {
  if (!reader.Mark(kOpen, "calls") || !reader.Skip(">")) return std::nullopt;
  std::vector<ToolCall> calls;
  while (reader.Mark(kOpen, "invoke")) {
    const std::optional<ToolCall> call = ReadCall(reader);
    if (!call) return std::nullopt;
    calls.push_back(*call);
  }
  if (calls.empty() || !reader.Mark(kClose, "calls")) return std::nullopt;
  return calls;
}

}  // namespace

void AppendOpenCall(const Tokenizer& tokenizer, std::vector<int32_t>& prompt) {
  // All of it is ours, so the mark inside may be a control token.
  const std::vector<int32_t> ids = tokenizer.EncodeWithControl(kOpenCalls);
  prompt.insert(prompt.end(), ids.begin(), ids.end());
}

std::vector<ToolCall> TakeCalls(std::string& text) {
  const size_t begin = text.find(kOpen);
  if (begin == std::string::npos) return {};
  const auto calls = ReadCalls(Reader(std::string_view(text).substr(begin)));
  if (!calls) return {};
  text.resize(begin);
  text.resize(text.find_last_not_of('\n') + 1);
  return *calls;
}

}  // namespace cedar
