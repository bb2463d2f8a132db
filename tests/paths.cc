#include "tests/paths.h"

namespace cedar {

std::string SourcePath(const std::string& file) { return CEDAR_SOURCE_FOLDER "/" + file; }

std::string TestDataPath(const std::string& file) { return SourcePath("tests/data/" + file); }

std::string GoldenPath(const std::string& file) { return CEDAR_BUILD_FOLDER "/golden/" + file; }

std::string CedarProgram() { return CEDAR_BUILD_FOLDER "/cedar"; }

}  // namespace cedar
