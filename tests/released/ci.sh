#!/bin/sh
# ci.sh CEDAR FOLDER: what run.sh does that is quick: the stand-in without values (20 MB on disk), what
# `info` says of it, and what `info` and `score` say of all damage.
set -eu

cedar=$1 folder=$2
released() { /usr/bin/python3 -B "$(dirname "$0")/released.py" "$@"; }

rm -rf "$folder"
trap 'rm -rf "$folder"' EXIT
if ! model=$(released make "$folder" --empty); then
  echo "$model"
  exit 1
fi
released refusals "$cedar" "$model" "$folder"
