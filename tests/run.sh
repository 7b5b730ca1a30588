#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the test suites and adds up what they counted. The last line printed is
#   N passed, N failed, N skipped
# usage: tests/run.sh [--full] [SUITE...]     (called by `make check`, which builds everything first)
# Without names, all suites of the variant run; "google" stands for all GoogleTest programs.
#
# A suite is an executable that ends with a line "N passed, N failed[, N skipped]", or a GoogleTest
# program. One that is not there, prints no count, counts nothing, or exits with a status that does
# not fit its count is a failure. Environment, set by the Makefile:
#   BUILD BIN VARIANT     where things are built; the programs under test; release, asan, ...
#   GTEST_PROGRAMS REGRESS_PROGRAMS     paths of the test programs
set -u
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-$PWD/build} VARIANT=${VARIANT:-release}
export BIN=${BIN:-$BUILD/bin}
export MKSQUASHFS=${MKSQUASHFS:-$BIN/mksquashfs} FSCK=${FSCK:-$BIN/fsck.squashfs}
export SQUASHKIT_SOURCE=$PWD SQUASHKIT_FULL=0 LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
unset SOURCE_DATE_EPOCH
if [ "${1:-}" = --full ]; then SQUASHKIT_FULL=1; shift; fi

logs=$BUILD/$VARIANT/logs
mkdir -p "$logs"

# --- the registry: one line per suite; "always" or the variant it belongs to ----------------------
registry() {
  local program
  for program in ${GTEST_PROGRAMS:-}; do echo "$(basename "$program") always $program"; done
  [ -z "${REGRESS_PROGRAMS:-}" ] || echo "fuzz_regress always tests/support/fuzz_regress.sh"
  cat <<'LIST'
layering release tests/layering.sh
lint release tests/lint.sh
globals release tests/globals.sh
harness release tests/support/harness_test.sh
cli always tests/cli/run.sh
mount always tests/kernel/mount.sh
peers release tests/kernel/peers.sh
archives release tests/kernel/archives.sh
guest release tests/kernel/guest.sh
LIST
}

# --- counting ----------------------------------------------------------------------------------

# Prints "passed failed skipped" as the log of a suite has them, or nothing.
count() {
  awk '
    /^\[  PASSED  \] [0-9]+ test/ { passed = $4; google = 1 }
    /^\[  FAILED  \] [0-9]+ test/ { failed = $4; google = 1 }
    /^\[  SKIPPED \] [0-9]+ test/ { skipped = $4; google = 1 }
    /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { p = $1; f = $3; s = $5; own = 1 }
    END {
      if (google) print passed + 0, failed + 0, skipped + 0
      else if (own) print p + 0, f + 0, s + 0
    }' "$1"
}

total_passed=0 total_failed=0 total_skipped=0
run_suite() { # NAME COMMAND
  local name=$1 command=$2 log=$logs/$1.log status=0 passed=0 failed=0 skipped=0 note='' started=$SECONDS
  if [ ! -x "$command" ]; then
    note="no such program: $command" failed=1
    : >"$log"
  else
    "$command" >"$log" 2>&1 </dev/null || status=$?
    read -r passed failed skipped < <(count "$log") || note='printed no count'
    : "${passed:=0}" "${failed:=0}" "${skipped:=0}"
    [ -n "$note" ] || [ $((passed + failed + skipped)) -gt 0 ] || note='counted nothing'
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then note="${note:+$note, }exit status $status"; fi
    [ -z "$note" ] || failed=$((failed + 1))
  fi
  printf '%-18s %5d passed, %d failed, %d skipped  (%d s)%s\n' "$name" "$passed" "$failed" "$skipped" \
    $((SECONDS - started)) "${note:+  $note}"
  [ "$skipped" -eq 0 ] || grep -iE '^\[  SKIPPED \] [A-Z]|^SKIP' "$log" | sort -u | head -n 20 | sed 's/^/    /'
  if [ "$failed" -ne 0 ]; then
    echo "    from $log:"
    { grep -E '^\[  FAILED  \] [A-Z]|^FAIL' "$log" | head -n 20; tail -n 15 "$log"; } | sed 's/^/    /'
  fi
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed))
  total_skipped=$((total_skipped + skipped))
}

names=()
for name in "$@"; do
  if [ "$name" = google ]; then
    for program in ${GTEST_PROGRAMS:-}; do names+=("$(basename "$program")"); done
  else
    names+=("$name")
  fi
done
set -- ${names[@]+"${names[@]}"}
wanted=" $* "
ran=' '
while read -r name variant command; do
  case $wanted in
    "  ") [ "$variant" = always ] || [ "$variant" = "$VARIANT" ] || continue ;;
    *" $name "*) ;;
    *) continue ;;
  esac
  ran="$ran$name "
  run_suite "$name" "$command"
done < <(registry)
for name in "$@"; do
  case $ran in
    *" $name "*) ;;
    *) echo "$name: no such suite"; total_failed=$((total_failed + 1)) ;;
  esac
done

echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
[ "$total_failed" -eq 0 ]
