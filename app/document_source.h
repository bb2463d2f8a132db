#ifndef CEDAR_APP_DOCUMENT_SOURCE_H_
#define CEDAR_APP_DOCUMENT_SOURCE_H_

// A chat request about each of many files of text.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/line_source.h"

namespace cedar {

// The files in their order. The text of each stands wherever the template says {document}, or
// before it and an empty line if it never does. The custom_id is the path; bytes of it that are no
// UTF-8 become \xNN, and a backslash of such a path a double one. A file that is no text, or longer
// than `longest` bytes, is one that could not be had: an error of its own line.
std::unique_ptr<LineSource> OpenDocuments(std::vector<std::string> paths,
                                          const std::string& prompt_template, size_t longest);

// A path as it is called in requests and answers, which must be UTF-8.
std::string DocumentName(std::string_view path);

}  // namespace cedar

#endif  // CEDAR_APP_DOCUMENT_SOURCE_H_
