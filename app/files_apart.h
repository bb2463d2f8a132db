#ifndef CEDAR_APP_FILES_APART_H_
#define CEDAR_APP_FILES_APART_H_

#include "app/options.h"

namespace cedar {

// Of all files that a batch reads, writes or makes on the way (NAME.part, NAME~), none may be
// another one, nor one of the model or of the cache, by any path or link. Throws Error (kUsage)
// that names the option and the file. Documents are not among them. Nothing is opened.
void CheckFilesApart(const BatchOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_FILES_APART_H_
