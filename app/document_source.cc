#include "app/document_source.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/document_text.h"
#include "simd/error.h"
#include "simd/quantities.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

constexpr std::string_view kPlace = "{document}";

// How JSON writes a character within a string, unless that is the character itself.
std::string_view EscapeOf(char byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return "";
  }
}

bool IsControl(char byte) { return static_cast<unsigned char>(byte) < 0x20; }

size_t EscapedSize(std::string_view text) {
  constexpr size_t kCode = 6;  // \u0001
  size_t size = 0;
  for (const char byte : text) {
    const size_t escape = EscapeOf(byte).size();
    size += escape > 0 ? escape : IsControl(byte) ? kCode : 1;
  }
  return size;
}

// As the JSON library writes a string, without its quotes. Appended here since that would first
// take several copies of a long text.
void AppendEscaped(std::string_view text, std::string& out) {
  for (const char byte : text) {
    if (const std::string_view escape = EscapeOf(byte); !escape.empty()) {
      out += escape;
    } else if (IsControl(byte)) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", byte);
      out += code;
    } else {
      out += byte;
    }
  }
}

// What stands between the places of a template, and before and after them.
std::vector<std::string> SplitTemplate(std::string_view text) {
  std::vector<std::string> between;
  for (size_t at = text.find(kPlace); at != text.npos; at = text.find(kPlace)) {
    between.emplace_back(text.substr(0, at));
    text.remove_prefix(at + kPlace.size());
  }
  if (between.empty()) return {"", "\n\n" + std::string(text)};
  between.emplace_back(text);
  return between;
}

class Documents : public LineSource {
 public:
  Documents(std::vector<std::string> paths, const std::string& prompt_template, size_t longest)
      : paths_(std::move(paths)),
        between_(SplitTemplate(prompt_template)),
        longest_(longest / (between_.size() - 1)) {}

  Status Next(bool, InputLine& line) override {
    if (next_ == paths_.size()) return Status::kEnd;
    const std::string& path = paths_[next_++];
    line = {.number = next_, .text = {}, .failure = {}, .custom_id = DocumentName(path)};
    try {
      const std::string document = ReadDocument(path, line.custom_id, longest_);
      line.text = RequestAbout(document, line.custom_id);
      line.document_bytes = document.size() * (between_.size() - 1);
    } catch (const DocumentTooLong& error) {
      line.failure = error.what();
      line.failure_code = "document_too_long";
    } catch (const Error& error) {
      line.failure = error.what();
    }
    if (line.failure) line.text = *line.failure;
    return Status::kLine;
  }
  void SkipTo(size_t number) override { next_ = std::clamp(number - 1, next_, paths_.size()); }
  std::optional<size_t> total() const override { return paths_.size(); }
  void Rewind() override { next_ = 0; }
  std::optional<std::string> NextName() const override {
    return next_ < paths_.size() ? std::optional(DocumentName(paths_[next_])) : std::nullopt;
  }
  void Skip() override { ++next_; }

 private:
  std::string RequestAbout(const std::string& document, const std::string& name) const {
    std::string request;
    request.reserve(BytesOfRequest(document, name));
    request += "{\"custom_id\":\"";
    AppendEscaped(name, request);
    request += "\",\"body\":{\"messages\":[{\"role\":\"user\",\"content\":\"";
    AppendEscaped(between_[0], request);
    for (size_t i = 1; i < between_.size(); ++i) {
      AppendEscaped(document, request);
      AppendEscaped(between_[i], request);
    }
    request += "\"}]}}";
    return request;
  }

  // About as many as there will be. A text that JSON makes much longer counts as that long.
  size_t BytesOfRequest(const std::string& document, const std::string& name) const {
    constexpr size_t kBeside = 128;
    const size_t places = between_.size() - 1, escaped = EscapedSize(document);
    if (escaped > 2 * longest_) {
      throw DocumentTooLong(name + ": found " + ExcessText(escaped, 2 * longest_) +
                            ", with what JSON adds to control characters; expected at most " +
                            BytesText(2 * longest_) + " (a share of --memory)");
    }
    size_t bytes = kBeside + places * escaped + EscapedSize(name);
    for (const std::string& text : between_) bytes += EscapedSize(text);
    return bytes;
  }

  std::vector<std::string> paths_;
  std::vector<std::string> between_;  // of the template
  size_t longest_;                    // of a document: all its copies make one line
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<LineSource> OpenDocuments(std::vector<std::string> paths,
                                          const std::string& prompt_template, size_t longest) {
  return std::make_unique<Documents>(std::move(paths), prompt_template, longest);
}

std::string DocumentName(std::string_view path) {
  if (!FirstInvalidUtf8(path)) return std::string(path);
  std::string name;
  while (!path.empty()) {
    const Utf8Unit unit = FirstUtf8Unit(path);
    if (unit.kind == Utf8Kind::kValid) {
      name += path[0] == '\\' ? "\\\\" : path.substr(0, unit.length);
    } else {
      for (const char byte : path.substr(0, unit.length)) {
        char code[8];
        std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(byte));
        name += code;
      }
    }
    path.remove_prefix(unit.length);
  }
  return name;
}

}  // namespace cedar
