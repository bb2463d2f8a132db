#ifndef CEDAR_APP_OWN_FILES_H_
#define CEDAR_APP_OWN_FILES_H_

// What a batch writes must not be among the documents that it reads.

#include <string>
#include <vector>

#include "app/options.h"

namespace cedar {

// The documents without the answers, errors, summary, metrics and cache that this command writes or
// has written, and without what such a file was before (NAME~) or is while it is made (NAME.part).
// Compared are the files, however a path or a link leads to them; standard error is told of those
// left out. An output that holds something else, and so would overwrite a document, is an Error
// (kUsage) that names both; so is one that would overwrite a list of documents. Opens nothing for
// writing.
std::vector<std::string> WithoutOwnFiles(const BatchOptions& options,
                                         std::vector<std::string> documents);

}  // namespace cedar

#endif  // CEDAR_APP_OWN_FILES_H_
