#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that the library has no mutable state of its own: no symbol of our objects lies in a
# writable section. Constants that only need relocation (.data.rel.ro) are not writable.
# usage: tests/globals.sh     environment: BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}/release
export LC_ALL=C

mapfile -t objects < <(for source in base squashfs-format compressors xattr fragments reader writer verifier cli; do
  find "$source" -name '*.cc' | sed "s,^\(.*\)\.cc$,$build/\1.o,"; done | sort)
passed=0 failed=0
for object in "${objects[@]}"; do
  if [ ! -f "$object" ]; then
    echo "FAIL: $object has not been built"
    failed=$((failed + 1))
    continue
  fi
  # Columns of the System V format: name | value | class | type | size | line | section.
  # What a library's templates bring along is theirs; a guard variable belongs to the constant that
  # is initialised once, and a local static that can change shows up under its own name.
  writable=$(nm -C -f sysv "$object" | awk -F'|' '
    $7 ~ /^\.(data|bss|tdata|tbss)/ || $7 ~ /COM/ {
      name = $1; section = $7
      sub(/ +$/, "", name)
      if (section ~ /^\.data\.rel\.ro/ || $4 ~ /SECTION/) next
      if (name ~ /^(std|__gnu_cxx)::|^guard variable for |^DW\.ref\./) next
      print name " (" section ")"
    }')
  if [ -z "$writable" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $object has mutable state"
    printf '%s\n' "$writable" | sed 's/^/  /'
  fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
