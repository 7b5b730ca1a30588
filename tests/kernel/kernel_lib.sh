# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the kernel suites share. Sourced, never run.
# Environment: BUILD, MKSQUASHFS, FSCK (set by tests/run.sh); TORTURE and TREECMP name other programs
# with the command lines of tests/support/torture_tree.sh and tests/support/tree_compare.py.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${BUILD:-$root/build}
MKSQUASHFS=${MKSQUASHFS:-$BUILD/bin/mksquashfs}
FSCK=${FSCK:-$BUILD/bin/fsck.squashfs}
TORTURE=${TORTURE:-$root/tests/support/torture_tree.sh}
TREECMP=${TREECMP:-$root/tests/support/tree_compare.py}
TIME_LIMIT=${TIME_LIMIT:-600}
# shellcheck disable=SC2034 # the suites read it
full=${SQUASHKIT_FULL:-0}
export LC_ALL=C TZ=UTC

passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL: $*"; }
skip() { skipped=$((skipped + 1)); echo "SKIP: $*"; }
finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/${0##*/}.XXXXXX") || exit 1
mounted=()
clean_up() {
  cd /
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; --i)); do
    umount "${mounted[i]}" 2>/dev/null || umount -l "${mounted[i]}" 2>/dev/null
  done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

have() { command -v "$1" >/dev/null 2>&1; }
quietly() { # COMMAND...: output is kept in $work/output
  timeout -k 5 "$TIME_LIMIT" "$@" >"$work/output" 2>&1 </dev/null
}
reason() { tr '\r' '\n' <"$work/output" | grep -v '^ *$' | tail -n 3 | cut -c1-200 | tr '\n' ' '; }

# True where this machine lets us loop-mount a squashfs image; says why not otherwise.
can_mount() {
  if [ "$(id -u)" -ne 0 ]; then echo 'not root'; return 1; fi
  grep -qw squashfs /proc/filesystems || modprobe squashfs 2>/dev/null ||
    { echo 'the kernel has no squashfs'; return 1; }
  [ -e /dev/loop-control ] && losetup -f >/dev/null 2>&1 || { echo 'no loop devices'; return 1; }
  mkdir -p "$work/probe"
  mount -t tmpfs tmpfs "$work/probe" 2>/dev/null || { echo 'mounting is not permitted'; return 1; }
  umount "$work/probe"
}
mount_image() { # IMAGE POINT
  mkdir -p "$2"
  quietly mount -t squashfs -o loop,ro "$1" "$2" && mounted+=("$2")
}
unmount_last() { umount "${mounted[-1]}" && unset 'mounted[-1]'; }

# expect_equal WHAT SOURCE FOUND [IGNORED FIELDS]
expect_equal() {
  if quietly "$TREECMP" ${4:+--ignore "$4"} "$2" "$3"; then pass; else
    fail "$1: $(head -n 3 "$work/output" | cut -c1-160 | tr '\n' ';') $(tail -n 1 "$work/output")"
  fi
}
# expect_clean WHAT IMAGE: our verifier finds nothing and prints nothing.
expect_clean() {
  if ! quietly "$FSCK" -q "$2"; then fail "$1: fsck.squashfs exits $?: $(reason)"
  elif [ -s "$work/output" ]; then fail "$1: fsck.squashfs -q prints: $(reason)"
  else pass; fi
}
