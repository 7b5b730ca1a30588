#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the command line scripts beside it against the programs. Each script is a list of `run` and
# `see` lines (tests/cli/lib.sh). The last line printed is "N passed, N failed, N skipped".
# usage: tests/cli/run.sh [SCRIPT...]     environment: BIN, or MKSQUASHFS, SQFSTAR and FSCK
set -u
here=$(cd "$(dirname "$0")" && pwd)
export BIN=${BIN:-$here/../../build/bin}
export MKSQUASHFS=${MKSQUASHFS:-$BIN/mksquashfs} SQFSTAR=${SQFSTAR:-$BIN/sqfstar} FSCK=${FSCK:-$BIN/fsck.squashfs}
export SQUASHKIT_SOURCE=${SQUASHKIT_SOURCE:-$(cd "$here/../.." && pwd)}
export LC_ALL=C TZ=UTC
unset SOURCE_DATE_EPOCH
umask 022

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export CLI_WORK=$work CLI_COUNTS=$work/counts
# Some cases run as another user, who may not see where the program lies.
if [ "$(id -u)" = 0 ] && ! setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$MKSQUASHFS" 2>/dev/null; then
  mkdir "$work/bin" && cp -L "$MKSQUASHFS" "$work/bin/squashkit" && chmod 755 "$work" "$work/bin"
  ln -s squashkit "$work/bin/mksquashfs"
  MKSQUASHFS=$work/bin/mksquashfs
fi
: >"$CLI_COUNTS"

if [ $# -eq 0 ]; then set -- "$here"/*_cases.sh; fi
for script in "$@"; do
  bash "$script" </dev/null || { echo "FAIL: $script ends with status $?"; echo failed >>"$CLI_COUNTS"; }
done

# Every option of the help texts is in some script.
missing=$({ "$MKSQUASHFS" -help-all -cols 200; "$SQFSTAR" -help-all -cols 200; "$FSCK" --help; } |
  sed -n 's/^  \(-[A-Za-z-]*\)\(, \(--*[A-Za-z-]*\)\)\{0,1\}.*/\1 \3/p' | tr ' ' '\n' | sort -u |
  while read -r option; do
    [ -z "$option" ] || grep -qE -e "(^|[^A-Za-z-])$option([^A-Za-z-]|\$)" "$here"/*_cases.sh || echo "$option"
  done)
if [ -z "$missing" ]; then
  echo passed >>"$CLI_COUNTS"
else
  echo "FAIL: options that no script uses:" $missing
  echo failed >>"$CLI_COUNTS"
fi

count() { grep -c "^$1\$" "$CLI_COUNTS"; }
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
[ "$(count failed)" = 0 ]
