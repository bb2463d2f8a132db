#!/bin/sh
# source_check.sh [ROOT]: the rules of the code that no compiler knows. Prints what breaks them, as
# FILE:LINE:TEXT, and fails then.
set -eu

# forbid RULE REGEX FOLDER...: no source in these folders has a line that matches, except where
# `allowed` (a regex on FILE:LINE:TEXT) says so.
forbid() {
  rule=$1 regex=$2
  shift 2
  hits=$(grep -rnE --include='*.cc' --include='*.h' --include='*.S' "$regex" "$@" |
    grep -vE "${allowed:-^$}" || :)
  [ -z "$hits" ] || printf '%s:\n%s\n' "$rule" "$hits"
}

check() (
  cd "$1"
  # The layers only look down, and nothing looks at tests and benchmarks.
  forbid "simd looks up" '#include "(weights|engine|app|tests|perf)/' simd
  forbid "weights looks up" '#include "(engine|app|tests|perf)/' weights
  forbid "engine looks up" '#include "(app|tests|perf)/' engine
  forbid "app looks at tests" '#include "(tests|perf)/' app
  # The machine is known in simd alone, and each of its parts in one place.
  allowed='#ifndef CEDAR_[A-Z0-9_]*_H_$' \
    forbid "#if outside of simd" '^ *# *(if|ifdef|ifndef|elif)' weights engine app tests perf
  allowed='^simd/workers\.cc:' \
    forbid "threads outside of simd/workers.cc" '#pragma omp|<omp\.h>|<thread>|<pthread\.h>|std::async' \
    simd weights engine
  allowed='^simd/[a-z_]*onednn[a-z_]*\.(cc|h):|^simd/deps/' \
    forbid "oneDNN outside of its file" 'dnnl\.h|dnnl_ukernel|dnnl::' simd weights engine app
  allowed='^weights/(mapped_file|prefetcher)\.cc:|^simd/memory\.cc:' \
    forbid "a mapping outside of its file" '\bmmap\(|<sys/mman\.h>' simd weights engine app
  # Sizes are for people: BytesText and its like say "297 GB".
  allowed='^simd/quantities\.cc:' \
    forbid "a size in raw bytes" '(to_string\(.*\) *\+ *|^ *)" bytes\b|%(zu|lu|llu) bytes\b' \
    simd weights engine app
  # No switches but the command line; below app nothing prints.
  forbid "the environment" '\bgetenv\b' simd weights engine app
  allowed='^simd/error\.cc:' \
    forbid "printing below app" '\bf?printf\(|\bf?puts\(|std::c(out|err)\b' simd weights engine
  allowed='^tests/source_check\.sh:' \
    forbid "a comment that names an issue" '(//|#).*\b[Ii]ssue #?[0-9]' simd weights engine app tests perf
  find simd weights engine app tests perf CMakeLists.txt -type f \( -name '*.cc' -o -name '*.h' \
    -o -name '*.S' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name 'CMake*' \) \
    -exec awk 'FNR == 501 { print FILENAME ": longer than 500 lines" }' {} +
)

# The check itself: a tree that breaks every rule once.
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
mkdir "$bad/simd" "$bad/weights" "$bad/engine" "$bad/app" "$bad/tests" "$bad/perf"
: >"$bad/CMakeLists.txt"
printf '%s\n' '#include "weights/a.h"' 'to_string(n) + " bytes' '" bytes in all"' \
  >"$bad/simd/a.cc"
printf '%s\n' '#include "engine/a.h"' '#ifdef X' '#pragma omp for' 'mmap(' >"$bad/weights/a.h"
printf '%s\n' '#include "app/a.h"' 'dnnl::memory' 'printf("")' >"$bad/engine/a.cc"
printf '%s\n' '#include "tests/a.h"' 'getenv("X")' '// issue 7' >"$bad/app/a.cc"
yes | head -n 501 >"$bad/perf/a.cc"
found=$(check "$bad" | grep -c 'a\.[ch]')
[ "$found" = 14 ] || { echo "source_check finds only $found of 14 broken rules"; exit 1; }

broken=$(check "${1:-$(dirname "$0")/..}")
[ -z "$broken" ] || { printf '%s\n' "$broken"; exit 1; }
