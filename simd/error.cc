#include "simd/error.h"

#include <cstdio>
#include <cstdlib>

namespace cedar {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  std::abort();
}

}  // namespace cedar
