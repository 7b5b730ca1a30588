#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests the checks themselves: each must notice what it is there for.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # WHAT EXPECTED FOUND
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL: $1: expected '$2', found '$3'"
  fi
}

# --- tests/run.sh adds up, and does not believe a suite that dies -----------------------------------
suite() { # NAME SCRIPT
  printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
}
total() { # PROGRAM...: last line of a run of these suites alone
  local names=()
  for program in "$@"; do names+=("$(basename "$program")"); done
  BUILD=$work/build GTEST_PROGRAMS="$*" REGRESS_PROGRAMS='' tests/run.sh "${names[@]}" | tail -n 1
}
suite good 'echo "3 passed, 0 failed, 2 skipped"'
suite google 'printf "[  PASSED  ] 7 tests.\n[  SKIPPED ] 1 test, listed below:\n"'
suite red 'echo "1 passed, 2 failed"; exit 1'
suite killed 'echo "5 passed, 0 failed"; kill -SEGV $$'
suite mute 'exit 0'
suite liar 'echo "4 passed, 0 failed"; exit 3'
check 'sums' '10 passed, 0 failed, 3 skipped' "$(total "$work/good" "$work/google")"
check 'failures' '4 passed, 2 failed, 2 skipped' "$(total "$work/good" "$work/red")"
check 'a suite that crashes' '5 passed, 1 failed, 0 skipped' "$(total "$work/killed")"
check 'a suite without a count' '0 passed, 1 failed, 0 skipped' "$(total "$work/mute")"
check 'a status against the count' '4 passed, 1 failed, 0 skipped' "$(total "$work/liar")"
check 'a missing program' '0 passed, 1 failed, 0 skipped' "$(total "$work/absent")"
check 'an unknown suite' '0 passed, 1 failed, 0 skipped' "$(BUILD=$work/build tests/run.sh nonsense | tail -n 1)"

# --- tests/layering.sh -------------------------------------------------------------------------
offence() { # FILE TEXT: prints yes when a tree with this one file breaks a rule
  rm -rf "$work/tree"
  mkdir -p "$work/tree/"{base,squashfs-format,compressors,xattr,fragments,reader,writer,verifier,cli}
  printf '%b\n' "$2" >"$work/tree/$1"
  if "$root/tests/layering.sh" "$work/tree" >/dev/null; then echo no; else echo yes; fi
}
check 'upward include' yes "$(offence base/a.cc '#include "cli/tool.h"')"
check 'sideways include' yes "$(offence compressors/a.cc '#include "xattr/pool.h"')"
check 'verifier on reader' yes "$(offence verifier/a.cc '#include "reader/image.h"')"
check 'writer on reader' yes "$(offence writer/plan.cc '#include "reader/image.h"')"
check 'append on reader' no "$(offence writer/append.cc '#include "reader/image.h"')"
check 'downward include' no "$(offence writer/a.cc '#include "base/result.h"')"
check 'a lock' yes "$(offence writer/a.cc 'std::mutex m;')"
check 'a lock in the pool' no "$(offence base/ordered_pool.cc 'std::mutex m;')"
check 'a lock in a comment' no "$(offence writer/a.cc '// no mutex here')"
check 'a system call' yes "$(offence writer/a.cc '#include <unistd.h>')"
check 'a system call in Env' no "$(offence base/env_posix_file.cc '#include <unistd.h>')"
check 'printing' yes "$(offence reader/a.cc 'std::printf("x");')"
check 'formatting' no "$(offence reader/a.cc 'std::snprintf(b, 2, "x");')"
check 'throwing' yes "$(offence base/a.cc 'throw 1;')"

# --- tests/support/source_sizes.py -----------------------------------------------------------------
longest() { printf '%b' "$1" >"$work/a.cc"; tests/support/source_sizes.py "$work/a.cc" | tail -n 1 | sed 's/.*(\([0-9]*\))$/\1/'; }
body=$(printf 'x();\\n%.0s' $(seq 80))
check 'the length of a function' 82 "$(longest "namespace a {\nint f(int b) {\n$body}\n}\n")"
check 'the length of a member' 82 "$(longest "class A : public B {\n public:\n  int f() const {\n$body}\n};\n")"
check 'a table is no function' 1 "$(longest "constexpr int k[] = {\n$body};\nint f() { return 1; }\n")"
check 'a lambda is part of its function' 4 "$(longest 'int f() {\n  auto g = [] {\n  };\n}\n')"

# --- tests/support/tree_compare.py ----------------------------------------------------------------
mkdir -p "$work/left/d" "$work/right/d"
for side in left right; do
  printf a >"$work/$side/f"
  ln "$work/$side/f" "$work/$side/g"
  ln -s f "$work/$side/s"
  truncate -s 200000 "$work/$side/hole"
  find "$work/$side" -exec touch -h -d @1000000000 {} +
done
same() { if tests/support/tree_compare.py "$work/left" "$work/right" >/dev/null; then echo same; else echo different; fi; }
after() { # COMMAND: what the comparison says after it, which is undone
  cp -a "$work/right" "$work/kept"
  (cd "$work/right" && eval "$1; touch -d @1000000000 . d; $2")
  same
  rm -rf "$work/right"
  mv "$work/kept" "$work/right"
}
check 'equal trees' same "$(same)"
check 'content' different "$(after 'printf b >f' 'touch -d @1000000000 f')"
check 'a byte in a hole' different "$(after 'printf b | dd of=hole bs=1 seek=150000 conv=notrunc status=none' 'touch -d @1000000000 hole')"
check 'mode' different "$(after 'chmod 600 f' :)"
check 'time' different "$(after 'touch -d @1000000001 f' :)"
check 'a missing name' different "$(after 'rm s' :)"
check 'one more name' different "$(after 'touch -d @1000000000 d/new' 'touch -d @1000000000 d')"
check 'target' different "$(after 'ln -sfn g s' 'touch -h -d @1000000000 s')"
check 'a broken hard link' different "$(after 'cp -p f h; mv h g' :)"
check 'written zeros equal a hole' same "$(after 'head -c 200000 /dev/zero >hole' 'touch -d @1000000000 hole')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
