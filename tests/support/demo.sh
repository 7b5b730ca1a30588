#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `make demo` shows: a tree becomes an image, the verifier proves it, the kernel mounts it.
# Environment: BIN, the folder of the programs.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'umount "$work/mounted" 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
say() { printf '\n$ %s\n' "$*"; }

tree=$work/tree
mkdir "$tree"
cp -r base squashfs-format docs Makefile LICENSE "$tree"
ln "$tree/LICENSE" "$tree/hard-link"
ln -s LICENSE "$tree/symlink"
truncate -s 3M "$tree/hole"
find "$tree" -exec touch -h -d @1000000000 {} +

say 'mksquashfs tree image.sqfs -noappend'
"$BIN/mksquashfs" "$tree" "$work/image.sqfs" -noappend -no-progress
say 'fsck.squashfs -v image.sqfs'
"$BIN/fsck.squashfs" -v "$work/image.sqfs"

say 'a byte of it is changed; fsck.squashfs says where'
cp "$work/image.sqfs" "$work/damaged.sqfs"
printf '\252' | dd of="$work/damaged.sqfs" bs=1 seek=200 conv=notrunc status=none
if "$BIN/fsck.squashfs" "$work/damaged.sqfs"; then
  echo 'demo: the damage was not found' >&2
  exit 1
fi

mkdir "$work/mounted"
if [ "$(id -u)" -eq 0 ] && mount -t squashfs -o loop,ro "$work/image.sqfs" "$work/mounted" 2>/dev/null; then
  say 'mount -o loop image.sqfs mounted; ls -l mounted'
  ls -l "$work/mounted"
  tests/support/tree_compare.py "$tree" "$work/mounted"
else
  printf '\nIt is not mounted: that needs root and loop devices.\n'
fi
printf '\nThe programs are in %s\n' "$BIN"
