#!/bin/sh
# build-deps.sh: builds libraries that are newer than Debian's packages, once per machine.
#
#   build-deps.sh NAME...      with NAME one of highway, mimalloc, onednn
#
# Prints for each NAME the folder that holds its lib/ and include/, on standard output; everything
# else goes to standard error. The folders lie in ~/.cache/cedar and are named after a key of all
# that shapes them: version, patches, compiler, build rules. What is there already is not built
# again, and two builds at once wait for each other.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cedar
compiler=${CEDAR_DEPS_PREFIX:-}g++
say() { printf 'build-deps: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The Debian source packages that we take: SUITE NAME=VERSION[:PATCH].
pin() {
  case $1 in
    highway) echo "trixie highway=1.2.0-2" ;;
    mimalloc) echo "bookworm mimalloc=2.0.9+ds-2" ;;
    onednn) echo "trixie onednn=3.7.2+ds-2:upstream-3.7.3.patch" ;;
    *) die "unknown library '$1'" ;;
  esac
}

# prefix NAME: the folder that NAME is installed to.
prefix() {
  key=$({
    pin "$1"
    "$compiler" --version | head -n 1
    "$compiler" -dumpmachine
    grep -hsv '^ *\(#\|//\)' "$here/CMakeLists.txt" "$here/$1".cmake "$here/$1"_*.cc
  } | sha256sum | cut -c 1-12)
  echo "$cache/$1-$key"
}

# build NAME PREFIX: fetches, compiles and installs; PREFIX appears only when all of it is there.
build() {
  name=$1 goal=$2 work=$2.work
  spec=$(pin "$name")
  suite=${spec%% *} package=${spec#* }
  version=${package%%:*} && version=${version#*=}
  case $name in
    onednn) say "building oneDNN: the first build on a machine takes about two minutes" ;;
    *) say "building $name" ;;
  esac
  sh "$here/fetch-deps.sh" "$cache/sources" "$suite" "$package"
  mkdir -p "$work"
  generator=$(command -v ninja >/dev/null 2>&1 && echo Ninja || echo "Unix Makefiles")
  {
    CC=${compiler%g++}gcc CXX=$compiler cmake -S "$here" -B "$work" -G "$generator" \
      -DDEPENDENCY="$name" -DSOURCE="$cache/sources/$name-$version" &&
      cmake --build "$work" --parallel "$(nproc)" &&
      cmake --install "$work" --prefix "$work/install"
  } >"$goal.log" 2>&1 || { tail -n 30 "$goal.log" >&2; die "$name does not build: see $goal.log"; }
  mv "$work/install" "$goal"
  rm -rf "$work" "$goal.log"
}

[ $# -gt 0 ] || die "no library named"
mkdir -p "$cache"
for name; do
  goal=$(prefix "$name")
  if [ ! -d "$goal" ]; then
    exec 9>"$cache/lock"
    flock -n 9 || { say "waiting for another build of the libraries"; flock 9; }
    [ -d "$goal" ] || build "$name" "$goal"
    exec 9>&-
  fi
  echo "$goal"
done
