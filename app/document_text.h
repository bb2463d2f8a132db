#ifndef CEDAR_APP_DOCUMENT_TEXT_H_
#define CEDAR_APP_DOCUMENT_TEXT_H_

// The text of one document, or why it has none.

#include <cstddef>
#include <string>

#include "simd/error.h"

namespace cedar {

// A document of more bytes than a line of a batch may have.
class DocumentTooLong : public Error {
 public:
  explicit DocumentTooLong(const std::string& message) : Error(ErrorKind::kInput, message) {}
};

// UTF-8 text of a regular file, without a byte order mark. Throws Error (kInput) that begins with
// `name` for one that cannot be read, is of another kind (app/file_kind.h) or holds nothing but
// white space; DocumentTooLong for more than `longest` bytes, before they are read.
std::string ReadDocument(const std::string& path, const std::string& name, size_t longest);

}  // namespace cedar

#endif  // CEDAR_APP_DOCUMENT_TEXT_H_
