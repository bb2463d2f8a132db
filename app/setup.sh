#!/bin/sh
# setup.sh: all that it takes to get build/cedar on a bare Debian 12 machine. Packages that are
# missing are installed (as root, or by sudo), Cedar is configured and built. Quick when there is
# nothing to do; takes no arguments.
set -eu

cd "$(dirname "$0")/.."

# Compilers and tools; what Cedar links; what only tests and benchmarks use.
packages="cmake g++ ninja-build patch xz-utils
  json-schema-test-suite libbenchmark-dev libcli11-dev libgtest-dev libpcre2-dev liburing-dev
  libutf8proc-dev libxxhash-dev nettle-dev nlohmann-json3-dev python3-jsonschema python3-numpy
  python3-regex zlib1g-dev"

# shellcheck disable=SC2086  # a list of words
sh app/packages.sh $packages

# A build folder that is there keeps its generator and its options.
if [ -f build/CMakeCache.txt ]; then
  cmake -S . -B build >/dev/null
else
  cmake -S . -B build -G Ninja >/dev/null
fi
cmake --build build --target cedar --parallel "$(nproc)" >&2
