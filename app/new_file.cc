#include "app/new_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

bool IsSpecial(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace

NewFile::NewFile(const std::string& path)
    : path_(path),
      target_(TargetOf(path)),
      written_(IsSpecial(target_) ? target_ : target_ + ".part"),
      output_(Output::FileNamed(written_, path_)) {
  std::error_code ignored;
  const fs::file_status old = fs::status(target_, ignored);
  if (fs::is_regular_file(old)) fs::permissions(written_, old.permissions(), ignored);
}

NewFile::~NewFile() {
  if (output_ && written_ != target_) unlink(written_.c_str());
}

void NewFile::Commit() {
  output_->Close();
  if (written_ != target_ && std::rename(written_.c_str(), target_.c_str()) != 0) {
    throw Error(ErrorKind::kInput, path_ + ": cannot write: " + std::strerror(errno));
  }
  output_.reset();
}

}  // namespace cedar
