#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Replays the inputs kept in tests/fuzz/corpus through the fuzz targets, without a fuzzing engine:
# each once found a defect or a new path. One test per target; a target without inputs is a failure.
# Environment: REGRESS_PROGRAMS, the targets linked with tests/fuzz/regress.cc.
set -u
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
for program in $REGRESS_PROGRAMS; do
  target=${program##*/}
  mapfile -t inputs < <(find "tests/fuzz/corpus/$target" -type f 2>/dev/null | sort)
  if [ ${#inputs[@]} -eq 0 ]; then
    failed=$((failed + 1))
    echo "FAIL: $target: tests/fuzz/corpus/$target is empty"
  elif timeout -k 5 300 "$program" "${inputs[@]}"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $target exits $?"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
