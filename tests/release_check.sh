#!/bin/sh
# release_check.sh CEDAR: the release executable is fully static, and its malloc, free and operator
# new are mimalloc's.
set -eu

program=$1
fail() { echo "$program: $*"; exit 1; }

segments=$(readelf --program-headers --wide "$program")
case $segments in *" LOAD "*) ;; *) fail "not an executable" ;; esac
case $segments in *" INTERP "* | *" DYNAMIC "*) fail "not static: it asks for shared libraries" ;; esac

symbols=$(nm "$program")
address() { printf '%s\n' "$symbols" | awk -v name="$1" '$3 == name { print $1 }'; }
for pair in malloc=mi_malloc free=mi_free realloc=mi_realloc calloc=mi_calloc _Znwm=mi_new; do
  ours=$(address "${pair%=*}") its=$(address "${pair#*=}")
  [ -n "$its" ] || fail "no ${pair#*=} in it"
  [ "$ours" = "$its" ] || fail "${pair%=*} is not ${pair#*=}"
done
