#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The other direction: images that Debian's mksquashfs and gensquashfs write must be free of errors
# to our verifier. One test per program, compressor and block size.
# usage: peers.sh [--tree DIR] [COMPRESSOR:BLOCK_SIZE...]     (see kernel_lib.sh for the environment)
set -u
# shellcheck source=tests/kernel/kernel_lib.sh
. "$(dirname "$0")/kernel_lib.sh"

given_tree=
if [ "${1:-}" = --tree ]; then given_tree=$2; shift 2; fi
if [ $# -gt 0 ]; then combinations="$*"
elif [ "$full" = 1 ]; then
  combinations=$(for block in 4096 131072 1048576; do
    for compressor in gzip xz lzo lz4 zstd lzma; do echo "$compressor:$block"; done; done)
else
  combinations='gzip:131072 xz:131072 lzo:131072 lz4:4096 zstd:1048576 lzma:131072'
fi
have "$FSCK" || { fail "no such program: $FSCK"; finish; }
[ -n "$given_tree" ] || [ "$(id -u)" -eq 0 ] || { skip 'the torture tree needs root'; finish; }

judge() { # LABEL COMMAND...: the command writes $work/image
  local label=$1 status
  shift
  have "$1" || { skip "$label: no such program"; return; }
  rm -f "$work/image"
  if ! quietly "$@"; then
    skip "$label: it does not write one: $(reason)"
    return
  fi
  # Notes about what a canonical writer would do otherwise are no errors, so output is allowed.
  quietly "$FSCK" "$work/image"
  status=$?
  if [ $status -eq 0 ]; then pass; else fail "$label: fsck.squashfs exits $status: $(reason)"; fi
}

for combination in $combinations; do
  compressor=${combination%:*} block=${combination#*:}
  tree=${given_tree:-$work/tree.$block}
  [ -d "$tree" ] || "$TORTURE" "$tree" "$block" || { fail "$combination: the tree could not be made"; continue; }
  judge "mksquashfs $combination" /usr/bin/mksquashfs "$tree" "$work/image" -noappend -no-progress \
    -comp "$compressor" -b "$block"
  judge "gensquashfs $combination" gensquashfs -q -f -k -x -D "$tree" -c "$compressor" -b "$block" "$work/image"
done

# Settings that change the shape of the tables.
[ -d "$tree" ] || finish
for options in '-noI -noD -noF -noX -noId' '-no-fragments -no-duplicates' '-always-use-fragments' '-no-exports' \
  '-no-xattrs' '-all-root' '-no-tailends' '-nopad'; do
  # shellcheck disable=SC2086 # a list of options
  judge "mksquashfs $options" /usr/bin/mksquashfs "$tree" "$work/image" -noappend -no-progress $options
done
judge 'gensquashfs -e' gensquashfs -q -f -k -x -e -D "$tree" "$work/image"
finish
