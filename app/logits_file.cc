#include "app/logits_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

// The length of the header, then the header, padded so that the numbers are aligned.
std::string Header(size_t rows, size_t columns) {
  const std::string end = std::to_string(rows * columns * sizeof(float));
  std::string json = R"({"logits":{"dtype":"F32","shape":[)" + std::to_string(rows) + "," +
                     std::to_string(columns) + R"(],"data_offsets":[0,)" + end + "]}}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(json.size() >> (8 * i) & 0xff);
  return bytes + json;
}

// A device or a pipe has no other name to be made under.
std::string TemporaryName(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  return special ? path : path + ".part";
}

}  // namespace

LogitsFile::LogitsFile(std::string path, size_t rows, size_t columns)
    : path_(std::move(path)),
      written_path_(TemporaryName(path_)),
      columns_(columns),
      rows_left_(rows),
      output_(Output::File(written_path_)) {
  try {
    output_->Write(Header(rows, columns));
  } catch (const Error&) {
    if (written_path_ != path_) unlink(written_path_.c_str());
    throw;
  }
}

LogitsFile::~LogitsFile() {
  if (output_ && written_path_ != path_) unlink(written_path_.c_str());
}

void LogitsFile::Append(std::span<const float> row) {
  CEDAR_CHECK(row.size() == columns_ && rows_left_ > 0);
  --rows_left_;
  output_->Write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
}

void LogitsFile::Finish() {
  CEDAR_CHECK(rows_left_ == 0);
  output_->Close();
  if (written_path_ != path_ && std::rename(written_path_.c_str(), path_.c_str()) != 0) {
    throw Error(ErrorKind::kInput, path_ + ": cannot write: " + std::strerror(errno));
  }
  output_.reset();
}

}  // namespace cedar
