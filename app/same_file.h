#ifndef CEDAR_APP_SAME_FILE_H_
#define CEDAR_APP_SAME_FILE_H_

// Which paths lead to one file, over whatever links: for files that must not be written because
// they are read, or written already.

#include <sys/types.h>

#include <compare>
#include <optional>
#include <string>

namespace cedar {

// Equal for all names of one file.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  auto operator<=>(const FileId&) const = default;
};

// Of the regular file that a path leads to. Nothing if there is none: devices and pipes may be
// shared.
std::optional<FileId> RegularFileId(const std::string& path);

// Where a path leads behind all links that it ends with; nothing needs to be there.
std::string TargetOf(const std::string& path);

// The same in one spelling, from the root on, without links: equal names are one place.
std::string PlaceOf(const std::string& path);

// Whether both lead to one regular file, or would if it were made.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace cedar

#endif  // CEDAR_APP_SAME_FILE_H_
