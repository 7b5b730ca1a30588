#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets for T seconds each, or RUNS executions; called by `make fuzz`. What is found new
# stays in $BUILD/fuzz/corpus; an input that breaks the target is left in $BUILD/fuzz/findings.
# usage: fuzz.sh TARGET...     environment: BUILD T RUNS
set -u
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || { echo 'fuzz: no targets'; exit 1; }
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
passed=0 failed=0
for target in "$@"; do
  corpus=$BUILD/fuzz/corpus/$target findings=$BUILD/fuzz/findings/$target
  mkdir -p "$corpus" "$findings"
  seeds=()
  [ ! -d "tests/fuzz/corpus/$target" ] || seeds=("tests/fuzz/corpus/$target")
  limit=(-max_total_time="${T:-60}")
  [ "${RUNS:--1}" = -1 ] || limit=(-runs="$RUNS")
  # libarchive asks for as much as a header of cpio says that a name has, up to 4 GiB, of which it
  # touches only what the archive holds; the address sanitizer touches all: let it refuse.
  asan=$ASAN_OPTIONS
  [ "$target" != fuzz_archive ] || asan+=:max_allocation_size_mb=256
  if ASAN_OPTIONS=$asan "$BUILD/fuzz/bin/$target" "${limit[@]}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/" "$corpus" ${seeds[@]+"${seeds[@]}"} >"$findings/log" 2>&1 </dev/null; then
    passed=$((passed + 1))
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$findings/log") executions, nothing found"
  else
    failed=$((failed + 1))
    echo "FAIL: $target, see $findings/log"
    grep -E '^(SUMMARY|.*ERROR:|artifact_prefix)' "$findings/log" | head -n 5
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
