#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Archives as sources: GNU tar, bsdtar and Python's tarfile write the torture tree in each format they
# have, and each image, mounted, must be what tar makes of the same archive. One test per archive,
# and one for our verifier's silence on the image.
# usage: archives.sh [NAME...]     (see kernel_lib.sh for the environment)
set -u
# shellcheck source=tests/kernel/kernel_lib.sh
. "$(dirname "$0")/kernel_lib.sh"

SQFSTAR=${SQFSTAR:-$(dirname "$MKSQUASHFS")/sqfstar}
block=4096 wanted=" $* "
for program in "$SQFSTAR" "$FSCK" "$TREECMP"; do
  have "$program" || { fail "no such program: $program"; finish; }
done
mountable=$(can_mount) || { skip "no image is mounted: $mountable"; finish; }
tree=$work/tree
"$TORTURE" "$tree" "$block" || { fail 'the tree could not be made'; finish; }

gnu_extract() { # ARCHIVE DIR
  tar -C "$2" -xpf "$1" --numeric-owner --same-owner --xattrs --xattrs-include='*' --acls 2>/dev/null
  return 0 # what it cannot restore, an image need not have
}
bsd_extract() {
  bsdtar -C "$2" -xpf "$1" --numeric-owner --xattrs 2>/dev/null
  touch -r "$tree" "$2" # it sets no time where it extracts to
}

# judge NAME EXTRACT IGNORED COMMAND...: the command writes $work/archive
judge() {
  local name=$1 extract=$2 ignored=$3
  shift 3
  [ "$wanted" = '  ' ] || [[ $wanted == *" $name "* ]] || return
  have "$1" || { skip "$name: no such program"; return; }
  rm -rf "$work/archive" "$work/image" "$work/reference"
  mkdir "$work/reference"
  (cd "$tree" && "$@") >"$work/output" 2>&1 || :
  [ -s "$work/archive" ] || { skip "$name: it does not write one: $(reason)"; return; }
  "$extract" "$work/archive" "$work/reference"
  if ! timeout "$TIME_LIMIT" "$SQFSTAR" -quiet -no-progress -b "$block" -numeric-owner -force "$work/image" \
    <"$work/archive" >"$work/output" 2>&1; then
    fail "$name: sqfstar exits $?: $(reason)"
    return
  fi
  expect_clean "$name" "$work/image"
  mount_image "$work/image" "$work/mounted" || { fail "$name: cannot be mounted: $(reason)"; return; }
  expect_equal "$name" "$work/reference" "$work/mounted" "$ignored"
  unmount_last
}

everything=(--xattrs '--xattrs-include=*')
for format in v7 oldgnu gnu ustar posix; do
  xattrs=()
  [ $format != posix ] || xattrs=("${everything[@]}")
  judge "gnu-$format" gnu_extract '' tar --format=$format ${xattrs[@]+"${xattrs[@]}"} -cf "$work/archive" .
done
judge gnu-sparse gnu_extract '' tar --format=gnu -S -cf "$work/archive" .
for version in 0.0 0.1 1.0; do
  judge "gnu-sparse-$version" gnu_extract '' tar --format=posix --sparse-version=$version -S \
    "${everything[@]}" -cf "$work/archive" .
done
for compressor in gzip xz zstd bzip2; do
  judge "gnu-$compressor" gnu_extract '' tar --format=gnu --use-compress-program=$compressor -cf "$work/archive" .
done
judge gnu-lz4 bsd_extract '' bsdtar --format=gnutar --lz4 -cf "$work/archive" .
for format in ustar gnutar pax; do
  judge "bsd-$format" bsd_extract '' bsdtar --format=$format -cf "$work/archive" .
done
for format in odc newc; do
  # It extracts a socket as a file.
  judge "bsd-$format" bsd_extract '' bsdtar --format=$format --exclude=types/socket -cf "$work/archive" .
done
judge bsd-zip bsd_extract '' bsdtar --format=zip -cf "$work/archive" .
for format in USTAR GNU PAX; do
  judge "python-$format" gnu_extract '' python3 -c 'import os, sys, tarfile
with tarfile.open(sys.argv[1], "w", format=getattr(tarfile, sys.argv[2] + "_FORMAT"),
                  errors="surrogateescape") as archive:
    for path, directories, files in os.walk("."):
        directories.sort()
        for name in [""] + sorted(files) + [d for d in directories if os.path.islink(os.path.join(path, d))]:
            try:
                archive.add(os.path.join(path, name) if name else path, recursive=False)
            except ValueError as error:  # of what the format cannot hold
                print(error)' "$work/archive" $format
done
finish
