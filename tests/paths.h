#ifndef CEDAR_TESTS_PATHS_H_
#define CEDAR_TESTS_PATHS_H_

// Where tests find their files, from whatever folder they are started.

#include <string>

namespace cedar {

// A file of the repository, by its path there.
std::string SourcePath(const std::string& file);
// A file of tests/data.
std::string TestDataPath(const std::string& file);
// A file or folder of golden/ in the build folder, which holds the oracle's checkpoints.
std::string GoldenPath(const std::string& file);
// The program itself, build/cedar.
std::string CedarProgram();

}  // namespace cedar

#endif  // CEDAR_TESTS_PATHS_H_
