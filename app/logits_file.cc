#include "app/logits_file.h"

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

}  // namespace

LogitsFile::LogitsFile(const std::string& path, size_t rows, size_t columns)
    : columns_(columns), rows_left_(rows), file_(path) {
  file_.Write(Header(rows, columns));
}

void LogitsFile::Append(std::span<const float> row) {
  CEDAR_CHECK(row.size() == columns_ && rows_left_ > 0);
  --rows_left_;
  file_.Write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
}

void LogitsFile::Finish() {
  CEDAR_CHECK(rows_left_ == 0);
  file_.Commit();
}

}  // namespace cedar
