#include <cstdio>

#include "simd/isa.h"

// Until the command line lands.
int main() {
  if (const std::string refusal = cedar::CpuRefusal(); !refusal.empty()) {
    std::fprintf(stderr, "cedar: %s\n", refusal.c_str());
    return 3;
  }
  std::fprintf(stderr, "cedar: no command yet\n");
  return 2;
}
