#include <cstdio>

#include "simd/error.h"

// Until the command line lands: proof that everything links.
int main() {
  try {
    throw cedar::Error(cedar::ErrorKind::kUsage, "cedar: no command yet");
  } catch (const cedar::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
