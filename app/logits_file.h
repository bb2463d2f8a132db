#ifndef CEDAR_APP_LOGITS_FILE_H_
#define CEDAR_APP_LOGITS_FILE_H_

// A safetensors file with the one tensor `logits`, F32 [rows, columns], and no metadata: its bytes
// depend on the numbers alone. Written row by row, so that no more than one row is in memory, under
// a temporary name until it is whole. Every function throws Error (kInput) that names the file.

#include <cstddef>
#include <span>
#include <string>

#include "app/new_file.h"

namespace cedar {

class LogitsFile {
 public:
  LogitsFile(const std::string& path, size_t rows, size_t columns);

  // The next row, [columns].
  void Append(std::span<const float> row);

  // After the last row: the file takes its name.
  void Finish();

 private:
  size_t columns_;
  size_t rows_left_;
  NewFile file_;
};

}  // namespace cedar

#endif  // CEDAR_APP_LOGITS_FILE_H_
