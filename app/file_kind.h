#ifndef CEDAR_APP_FILE_KIND_H_
#define CEDAR_APP_FILE_KIND_H_

// What a file is that is no UTF-8 text, as its first bytes tell.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cedar {

// Of the first bytes of a file ForeignKind looks at no more.
inline constexpr size_t kKindBytes = 4096;

// "gzip data", "a PDF file", "UTF-16 text", ... with its article; nothing for what may be text.
std::optional<std::string> ForeignKind(std::string_view bytes);

// The mark that some editors put before UTF-8 text is no part of it.
std::string_view WithoutByteOrderMark(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_APP_FILE_KIND_H_
