#!/bin/sh
# setup.sh: all that it takes to get build/cedar on a bare Debian 12 machine. Packages that are
# missing are installed (as root, or by sudo), Cedar is configured and built. Quick when there is
# nothing to do; takes no arguments.
set -eu

cd "$(dirname "$0")/.."
say() { printf 'setup: %s\n' "$*" >&2; }

# Compilers and tools; what Cedar links; what only tests and benchmarks use.
packages="cmake g++ ninja-build patch xz-utils
  libcli11-dev libpcre2-dev libutf8proc-dev libxxhash-dev nlohmann-json3-dev
  libbenchmark-dev libgtest-dev python3-numpy python3-regex"

missing=
for package in $packages; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -n "$missing" ]; then
  say "installing$missing"
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { say "error: only root can install these packages"; exit 1; }
    root="sudo"
  fi
  $root apt-get update -qq >&2
  # shellcheck disable=SC2086  # a list of words
  $root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 $missing >&2
fi

# A build folder that is there keeps its generator and its options.
if [ -f build/CMakeCache.txt ]; then
  cmake -S . -B build >/dev/null
else
  cmake -S . -B build -G Ninja >/dev/null
fi
cmake --build build --target cedar --parallel "$(nproc)" >&2
