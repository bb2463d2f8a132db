#ifndef CEDAR_APP_NEW_FILE_H_
#define CEDAR_APP_NEW_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "app/output.h"

namespace cedar {

// A file that takes the place of another one, whole or not at all: it is written beside it, as
// NAME.part, and renamed at the end. A symlink stays one: what it leads to is replaced. A device or
// a pipe has no other name to be made under and is written at once.
class NewFile {
 public:
  // It may be read and written by those who may do so with the file `like`, if that is there.
  // Throws Error (kInput) that names `path`, as do the others.
  NewFile(const std::string& path, const std::string& like);
  explicit NewFile(const std::string& path) : NewFile(path, path) {}
  // Takes what was not committed away.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(std::string_view bytes) { output_->Write(bytes); }
  // The file now has its name.
  void Commit();
  // The same, on the disk before it returns. What is open goes on to be written, at its end, and
  // nobody else can claim it between.
  Output CommitClaimed();

 private:
  void Rename();

  std::string path_;     // as it was given
  std::string target_;   // where that leads
  std::string written_;  // where it is made
  std::optional<Output> output_;
};

}  // namespace cedar

#endif  // CEDAR_APP_NEW_FILE_H_
