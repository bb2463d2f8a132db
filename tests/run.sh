#!/bin/sh
# run.sh: does all the set-up, builds everything and runs all tests. Arguments go to ctest, for
# example: sh tests/run.sh -R simd_test
set -eu

cd "$(dirname "$0")/.."
sh app/setup.sh
cmake --build build --parallel "$(nproc)"
exec ctest --test-dir build --parallel "$(nproc)" --output-on-failure "$@"
