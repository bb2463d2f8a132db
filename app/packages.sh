#!/bin/sh
# packages.sh PACKAGE...: installs those of Debian's packages that are missing, as root or by sudo.
set -eu

missing=
for package; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

echo "installing$missing" >&2
root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "error: only root can install these packages" >&2; exit 1; }
  root="sudo"
fi
$root apt-get update -qq >&2
# shellcheck disable=SC2086  # a list of words
$root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 $missing >&2
