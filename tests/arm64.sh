#!/bin/sh
# arm64.sh: builds simd/ and its tests for 64-bit Arm with a cross compiler and runs them under an
# emulator: NEON on its own, and NEON, SVE and SVE2 with vectors of 128, 256 and 512 bits. A check
# by hand, for machines that are not Arm; run.sh does not call it.
#
#   apt-get install g++-aarch64-linux-gnu qemu-user googletest
#   sh tests/arm64.sh [GoogleTest options, such as --gtest_filter=*Rows*]
#
# Builds into build-arm64/ what has changed since the last time. The emulator proves results, not
# speed.
set -eu

cd "$(dirname "$0")/.."
out=build-arm64
compiler=aarch64-linux-gnu-g++
highway=$(CEDAR_DEPS_PREFIX=aarch64-linux-gnu- sh simd/deps/build-deps.sh highway)
googletest=/usr/src/googletest/googletest
mkdir -p "$out"

# object SOURCE: where SOURCE is compiled to.
object() { echo "$out/$(echo "$1" | tr / _).o"; }

# current OBJECT: it is not older than any file that it was made of.
current() {
  [ -f "$1" ] && [ -f "$1.d" ] &&
    newer=$(find $(sed 's/^[^:]*://; s/\\$//' "$1.d") -newer "$1") && [ -z "$newer" ]
}

commands=$out/commands
: >"$commands"
objects=
for source in simd/*.cc simd/reference/*.cc tests/paths.cc tests/temp_folder.cc tests/simd/*.cc \
  $googletest/src/gtest-all.cc $googletest/src/gtest_main.cc; do
  to=$(object "$source")
  objects="$objects $to"
  if current "$to"; then continue; fi
  echo "$compiler -std=c++20 -O2 -DNDEBUG -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off -pthread \
    -DCEDAR_SOURCE_FOLDER='\"$PWD\"' -DCEDAR_BUILD_FOLDER='\"$PWD/build\"' -I. -I$highway/include \
    -isystem $googletest/include -isystem $googletest -MMD -MF $to.d -c $source -o $to" >>"$commands"
done
xargs -P "$(nproc)" -d '\n' -I{} sh -c '{}' <"$commands"
$compiler -static -pthread $objects "$highway/lib/libhwy.a" -o "$out/simd_test"

for cpu in neoverse-n1 max,sve128=on max,sve256=on max,sve512=on; do
  echo "== $cpu"
  qemu-aarch64 -cpu "$cpu" "$out/simd_test" --gtest_brief=1 "$@"
done
