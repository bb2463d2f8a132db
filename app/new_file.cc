#include "app/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

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

// A file of this name that was left there is not written over: it may have other names.
Output Make(const std::string& written, const std::string& target, const std::string& name) {
  if (written == target) return Output::FileNamed(written, name);
  unlink(written.c_str());
  return Output::NewNamed(written, name);
}

// A rename is on the disk when its folder is.
void SyncFolder(const std::string& path) {
  const std::string folder = fs::path(path).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

NewFile::NewFile(const std::string& path, const std::string& like)
    : path_(path),
      target_(TargetOf(path)),
      written_(IsSpecial(target_) ? target_ : target_ + ".part"),
      output_(Make(written_, target_, path_)) {
  std::error_code ignored;
  const fs::file_status old = fs::status(like, ignored);
  if (fs::is_regular_file(old)) fs::permissions(written_, old.permissions(), ignored);
}

NewFile::~NewFile() {
  if (output_ && written_ != target_) unlink(written_.c_str());
}

void NewFile::Commit() {
  output_->Close();
  Rename();
  output_.reset();
}

Output NewFile::CommitClaimed() {
  output_->Claim();
  output_->Sync();
  Rename();
  SyncFolder(target_);
  Output output = std::move(*output_);
  output_.reset();
  return output;
}

void NewFile::Rename() {
  if (written_ != target_ && std::rename(written_.c_str(), target_.c_str()) != 0) {
    throw Error(ErrorKind::kInput, path_ + ": cannot write: " + std::strerror(errno));
  }
}

}  // namespace cedar
