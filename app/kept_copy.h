#ifndef CEDAR_APP_KEPT_COPY_H_
#define CEDAR_APP_KEPT_COPY_H_

#include <cstddef>
#include <fstream>
#include <string>

namespace cedar {

class NewFile;  // app/new_file.h

// Copies bytes of a file, which `path` names in messages. Throws Error (kInput).
void CopyBytes(std::ifstream& file, const std::string& path, size_t offset, size_t bytes,
               NewFile& out);

// Keeps the first bytes of a file as NAME~, on the disk before it returns: that name. A NAME~ that
// is there is kept too, as NAME.~1~ or the next number that is free. Throws Error (kInput).
std::string KeepCopy(const std::string& path, size_t bytes);

}  // namespace cedar

#endif  // CEDAR_APP_KEPT_COPY_H_
