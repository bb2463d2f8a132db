#ifndef CEDAR_APP_DOCUMENT_NAMES_H_
#define CEDAR_APP_DOCUMENT_NAMES_H_

// Which files are the documents of a batch (--documents).

#include <string>
#include <vector>

namespace cedar {

// The paths that all values name, each file once, in the order of the values. A value is a pattern
// (app/file_pattern.h), or @FILE: a file with a path on each line, or with a NUL after each; @-:
// standard input. Paths of a list stand as they are and need not be there: that is found out when
// they are read. Throws Error (kInput) that names a value which matches no file, or a list that
// cannot be read or names none.
std::vector<std::string> FindDocuments(const std::vector<std::string>& values);

}  // namespace cedar

#endif  // CEDAR_APP_DOCUMENT_NAMES_H_
