#include <glob.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/line_source.h"
#include "app/text_input.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr std::string_view kPlaceholder = "{document}";

std::vector<std::string> FilesOf(const std::string& pattern) {
  glob_t found;
  std::memset(&found, 0, sizeof(found));
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> paths;
  for (size_t i = 0; status == 0 && i < found.gl_pathc; ++i) paths.push_back(found.gl_pathv[i]);
  globfree(&found);
  if (paths.empty()) {
    throw Error(ErrorKind::kInput, "--documents " + pattern + ": no file has such a name");
  }
  return paths;
}

const char* KindName(std::filesystem::file_type type) {
  switch (type) {
    case std::filesystem::file_type::directory:
      return "a directory";
    case std::filesystem::file_type::fifo:
      return "a FIFO";
    case std::filesystem::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

// Nothing that would wait for somebody who writes, or never end.
std::string ReadDocument(const std::string& path) {
  std::error_code ignored;  // the file is about to be opened, which says the same
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::kInput,
                path + ": found " + KindName(status.type()) + ", expected a regular file");
  }
  return ReadFile(path);
}

class Documents : public LineSource {
 public:
  Documents(std::vector<std::string> paths, std::string prompt_template)
      : paths_(std::move(paths)), template_(std::move(prompt_template)) {}

  Status Next(bool, InputLine& line) override {
    if (next_ == paths_.size()) return Status::kEnd;
    const std::string& path = paths_[next_++];
    line = {.number = next_, .text = {}, .failure = {}, .custom_id = path};
    try {
      CheckUtf8(path, "file name " + std::to_string(next_));
      const std::string document = ReadDocument(path);
      CheckUtf8(document, path);
      const nlohmann::ordered_json request = {
          {"custom_id", path},
          {"body", {{"messages", {{{"role", "user"}, {"content", Fill(document)}}}}}}};
      line.text = request.dump();
    } catch (const Error& error) {
      line.failure = error.what();
    }
    return Status::kLine;
  }
  std::optional<size_t> total() const override { return paths_.size(); }

 private:
  std::string Fill(const std::string& document) const {
    const size_t at = template_.find(kPlaceholder);
    if (at == template_.npos) return document + "\n\n" + template_;
    return template_.substr(0, at) + document + template_.substr(at + kPlaceholder.size());
  }

  std::vector<std::string> paths_;
  std::string template_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<LineSource> OpenDocuments(const std::string& pattern,
                                          const std::string& prompt_template) {
  return std::make_unique<Documents>(FilesOf(pattern), prompt_template);
}

}  // namespace cedar
