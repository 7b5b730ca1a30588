#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: deps.sh PACKAGE...
# Installs those of the Debian packages that are not installed yet; touches nothing when all are.
set -eu

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  echo "deps: not a Debian system; make sure that you have the equivalents of: $*" >&2
  exit 0
fi

missing=
for package in "$@"; do
  status=$(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null || :)
  case " $status" in
    *" installed "*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root='env'
elif command -v sudo >/dev/null 2>&1; then
  as_root='sudo env'
else
  echo "deps: not root, and no sudo: have an administrator run" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "deps: installing$missing"
$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null
# shellcheck disable=SC2086 # the list is to be split
$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
  -o Dpkg::Use-Pty=0 $missing </dev/null >/dev/null
