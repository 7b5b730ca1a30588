#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks what the folders may know of each other (docs/DESIGN.md, "Folders"), over the text of the
# sources. Each rule is one test.
# usage: tests/layering.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
export LC_ALL=C

passed=0 failed=0
# verdict RULE OFFENDERS: a rule holds when nothing offends against it.
verdict() {
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $1"
    printf '%s\n' "$2" | sed 's/^/  /'
  fi
}

# The folders below each one, which is all it may include; "all" for no limit.
may_include() {
  case $1 in
    base) echo base ;;
    squashfs-format) echo base squashfs-format ;;
    compressors | xattr | fragments) echo base squashfs-format "$1" ;;
    reader | verifier) echo base squashfs-format compressors xattr "$1" ;;
    writer) echo base squashfs-format compressors xattr fragments writer ;;
    man) echo base squashfs-format compressors cli man ;;
    cli) echo base squashfs-format compressors xattr fragments reader writer verifier cli ;;
  esac
}
folders='base squashfs-format compressors xattr fragments reader writer verifier cli man'
product() { # FOLDER...: the sources in them
  find "$@" -name '*.cc' -o -name '*.h' -o -name '*.def' | sort
}

for folder in $folders; do
  [ -d "$folder" ] || continue
  bad=$(product "$folder" | xargs -r awk -v allowed=" $(may_include "$folder") " '
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      split($0, part, "\"")
      target = part[2]
      slash = index(target, "/")
      if (!slash) { print FILENAME ": includes \"" target "\" without its folder"; next }
      if (FILENAME ~ /^writer\/append/ && target ~ /^reader\//) next
      if (!index(allowed, " " substr(target, 1, slash - 1) " ")) print FILENAME ": includes \"" target "\""
    }')
  verdict "$folder/ includes only $(may_include "$folder" | tr ' ' ',')" "$bad"
done

# grep_code REGEX FOLDER...: FILE:LINE:TEXT of matches outside comments and string literals.
grep_code() {
  local regex=$1
  shift
  product "$@" | xargs -r awk -v regex="$regex" '
    FNR == 1 { block = 0 }
    {
      line = $0
      gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
      if (block) { if (!sub(/^.*\*\//, "", line)) next; block = 0 }
      sub(/\/\/.*/, "", line)
      if (line ~ /\/\*/ && line !~ /\*\//) { block = 1; sub(/\/\*.*/, "", line) }
      if (line ~ regex) print FILENAME ":" FNR ":" $0
    }'
}
except() { grep -vE "^($1):" || :; }
below_cli='base squashfs-format compressors xattr fragments reader writer verifier'
all="$below_cli cli"

# shellcheck disable=SC2086 # the folder lists are to be split
{
  verdict 'only base/ordered_pool.cc locks' "$(grep_code \
    '(^|[^A-Za-z0-9_])(mutex|shared_mutex|recursive_mutex|condition_variable|condition_variable_any|lock_guard|unique_lock|scoped_lock|call_once)([^A-Za-z0-9_]|$)' \
    $all | except 'base/ordered_pool\.cc')"
  verdict 'only base/ordered_pool starts threads' "$(grep_code \
    '(std::(jthread|thread|async)|<(thread|future)>|pthread_create)' $all | except 'base/ordered_pool\.(cc|h)' |
    grep -v 'hardware_concurrency' | except '[a-z_/-]*\.(cc|h):[0-9]+:#include <thread>' || :)"
  verdict 'only base/env_posix*.cc calls the operating system' "$(grep_code \
    '^[ \t]*#[ \t]*include[ \t]*<(unistd|fcntl|dirent|sys/stat|sys/mman|sys/types|sys/uio|sys/sysmacros)\.h>' \
    $below_cli | except 'base/env_posix[a-z_]*\.cc')"
  verdict 'cli/ includes no file-system header' "$(grep_code \
    '^[ \t]*#[ \t]*include[ \t]*<(fcntl|dirent|sys/mman|sys/uio)\.h>' cli)"
  verdict 'nothing below cli/ prints' "$(grep_code \
    '(^|[^A-Za-z0-9_])(printf|fprintf|puts|fputs|putchar|perror|cout|cerr|clog)([^A-Za-z0-9_]|$)' $below_cli)"
  verdict 'nothing throws' "$(grep_code '(^|[^A-Za-z0-9_])throw([^A-Za-z0-9_]|$)' $all)"
  verdict 'only the worker trampoline and main catch everything' "$(grep_code 'catch *\( *\.\.\. *\)' $all |
    except 'base/ordered_pool\.cc|cli/main\.cc')"
  verdict 'nothing below cli/ ends the process' "$(grep_code \
    '(^|[^A-Za-z0-9_])(exit|_exit|quick_exit|abort|terminate) *\(' $below_cli)"
  verdict 'no structure is overlaid on bytes' "$(grep_code '#[ \t]*pragma[ \t]+pack|__attribute__.*packed' $all)"
}

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
