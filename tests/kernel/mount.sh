#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Images of ours before the running kernel and the readers of others: each image must be the same
# bytes for any number of threads, clean to our verifier, and equal to its source when mounted and
# when read by unsquashfs, rdsquashfs and squashfuse. Each of these is one test.
# usage: mount.sh [--tree DIR] [COMPRESSOR:BLOCK_SIZE...]     (see kernel_lib.sh for the environment)
# Default: the torture tree, a sample of combinations, or all when SQUASHKIT_FULL=1.
set -u
# shellcheck source=tests/kernel/kernel_lib.sh
. "$(dirname "$0")/kernel_lib.sh"

given_tree=
if [ "${1:-}" = --tree ]; then given_tree=$2; shift 2; fi
if [ $# -gt 0 ]; then combinations="$*"
elif [ "$full" = 1 ]; then
  combinations=$(for block in 4096 131072 1048576; do
    for compressor in gzip xz lzo lz4 zstd; do echo "$compressor:$block"; done; done) combinations+=' lzma:131072'
elif [ "${VARIANT:-release}" = release ]; then
  combinations='gzip:131072 xz:131072 lzo:131072 lz4:131072 zstd:131072 lzma:131072 gzip:4096 zstd:4096 gzip:1048576 zstd:1048576'
else
  combinations='gzip:131072 lz4:4096 zstd:1048576'  # sanitizers are slow, the readers not ours
fi
for program in "$MKSQUASHFS" "$FSCK" "$TREECMP"; do
  have "$program" || { fail "no such program: $program"; finish; }
done
mountable=$(can_mount) || skip "no image is mounted: $mountable"
[ "$(id -u)" -eq 0 ] || { skip 'the torture tree needs root'; finish; }

# What the readers of others cannot show. squashfuse: hard links, trusted and security xattrs.
# rdsquashfs: hard links (it makes copies); told to set owners it does so last, and the kernel then
# drops file capabilities, so it is not told.
fuse_ignores=xattr,links
rd_ignores=links,uid,gid

# Extraction goes to a tmpfs where one holds xattrs: rdsquashfs syncs each file it writes.
scratch=$work/scratch
mkdir "$scratch"
fits_in_memory() {
  [ -z "$given_tree" ] ||
    [ "$(du -sk "$given_tree" | cut -f 1)" -lt "$(awk '/^MemAvailable/ { print int($2 / 2) }' /proc/meminfo)" ]
}
if [ -z "$mountable" ] && fits_in_memory && mount -t tmpfs -o size=80% tmpfs "$scratch" 2>/dev/null; then
  if python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.probe", b"")' "$scratch" 2>/dev/null; then
    mounted+=("$scratch")
  else
    umount "$scratch"
  fi
fi

source_for() { # BLOCK_SIZE -> the tree, made on first use
  if [ -n "$given_tree" ]; then printf '%s' "$given_tree"; return; fi
  local tree=$work/tree.$1
  if [ ! -d "$tree" ]; then
    local giant=()
    [ "$full" != 1 ] || [ "$1" != 131072 ] || giant=(giant)
    "$TORTURE" "$tree" "$1" ${giant[@]+"${giant[@]}"} >&2 || return
  fi
  printf '%s' "$tree"
}

build_images() { # LABEL TREE IMAGE COMPRESSOR BLOCK_SIZE: one image; other thread counts must repeat it
  local threads digest=''
  for threads in 2 1 7; do
    rm -f "$3"
    if ! quietly "$MKSQUASHFS" "$2" "$3" -noappend -no-progress -mkfs-time 1000000000 -comp "$4" -b "$5" \
      -processors "$threads"; then
      fail "$1: mksquashfs -processors $threads exits $?: $(reason)"
      return 1
    fi
    [ -s "$3" ] || { fail "$1: mksquashfs exits 0 but wrote no image"; return 1; }
    local now
    now=$(sha256sum <"$3")
    if [ -n "$digest" ] && [ "$now" != "$digest" ]; then
      fail "$1: -processors $threads gives other bytes than 2"
      return 0
    fi
    digest=$now
  done
  pass
}

judge() { # COMPRESSOR BLOCK_SIZE
  local label="$1 -b $2" tree image=$work/image.sqfs
  tree=$(source_for "$2") || { fail "$label: the tree could not be made"; return; }
  build_images "$label" "$tree" "$image" "$1" "$2" || return
  expect_clean "$label" "$image"

  if [ -z "$mountable" ] && [ "$1" != lzma ]; then  # no kernel ever read lzma
    if mount_image "$image" "$work/mounted"; then
      expect_equal "$label: mounted" "$tree" "$work/mounted"
      unmount_last
    else
      fail "$label: the kernel refuses it: $(reason)"
    fi
  fi

  if ! have unsquashfs; then skip "$label: no unsquashfs"
  elif quietly unsquashfs -no-progress -d "$scratch/extracted" "$image"; then
    expect_equal "$label: unsquashfs" "$tree" "$scratch/extracted"
  else
    fail "$label: unsquashfs exits $?: $(reason)"
  fi
  rm -rf "$scratch/extracted"

  if ! have rdsquashfs; then skip "$label: no rdsquashfs"
  elif mkdir "$scratch/unpacked" && quietly rdsquashfs -q -u / -p "$scratch/unpacked" -C -T -X "$image"; then
    touch --reference="$tree" "$scratch/unpacked"
    chmod --reference="$tree" "$scratch/unpacked"
    expect_equal "$label: rdsquashfs" "$tree" "$scratch/unpacked" "$rd_ignores"
  else
    fail "$label: rdsquashfs exits $?: $(reason)"
  fi
  rm -rf "$scratch/unpacked"

  [ "$1" != lzma ] || return
  if [ -n "$mountable" ] || ! have squashfuse || [ ! -e /dev/fuse ]; then skip "$label: no squashfuse"
  elif mkdir -p "$work/fuse" && quietly squashfuse "$image" "$work/fuse"; then
    mounted+=("$work/fuse")
    expect_equal "$label: squashfuse" "$tree" "$work/fuse" "$fuse_ignores"
    unmount_last
  else
    fail "$label: squashfuse exits $?: $(reason)"
  fi
  rm -f "$image"
}

for combination in $combinations; do
  started=$SECONDS
  judge "${combination%:*}" "${combination#*:}"
  echo "$combination: $((SECONDS - started)) s"
done
finish
