#ifndef CEDAR_APP_FILE_PATTERN_H_
#define CEDAR_APP_FILE_PATTERN_H_

// Patterns of file names, as shells have them: * ? [a-z], ** for folders at any depth, {a,b} for
// either. Hidden files are found only by a pattern that spells their dot.

#include <string>
#include <vector>

namespace cedar {

// The paths that match, in the order of their bytes, each once. A part of the path with brackets or
// braces that names a file as it stands means that file. ** follows no symlink. Standard error is
// told of a folder that cannot be read.
std::vector<std::string> FindFiles(const std::string& pattern);

}  // namespace cedar

#endif  // CEDAR_APP_FILE_PATTERN_H_
