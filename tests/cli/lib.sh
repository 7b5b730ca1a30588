# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts of this folder are written with. Sourced, never run.
#
#   run NAME STATUS COMMAND [REGEX] <<'END'     runs a shell command in a fresh fixture; its exit
#   exact standard output                      status and standard output have to be these, and
#   END                                        standard error has to match the expression (be empty
#                                              without one)
#   see NAME STATUS COMMAND [REGEX]            the same, but standard output and error together have
#                                              to match
#   need_root REASON                           skips the next case for other users
# Commands see the functions below, and the programs as mksquashfs, sqfstar and fsck.squashfs.

skip_next=''
need_root() { [ "$(id -u)" = 0 ] || skip_next=$1; }

# The fixture: the working directory is called c, and every file in it is from second 1000.
fixture() {
  rm -rf "$CLI_WORK/base"
  mkdir -p "$CLI_WORK/base/c/d1/sub" "$CLI_WORK/base/c/d2"
  (
    cd "$CLI_WORK/base/c" || exit 1
    echo a >d1/a; ln d1/a d1/hard; ln -s a d1/lnk; echo b >d1/sub/b; : >d1/zero
    echo a2 >d2/a; echo f >f1; ln -s d1 ld1; ln -s f1 lf1
    find . -exec touch -h -d @1000 {} +
    chmod 750 d1
    touch -d @1000 d1 d1/sub d2 .
  )
}

# M: mksquashfs without its own output. P: the paths of image o. LL: its long listing, the caller as
# 0/0. FLAGS: the superblock's flags. SIZE: a file's size. TIME: the image's time. MTIME: times and
# paths. TABS: makes tabs, and blanks at the ends of lines, visible.
prelude='
mksquashfs() { "$MKSQUASHFS" "$@"; }
sqfstar() { "$SQFSTAR" "$@"; }
fsck.squashfs() { "$FSCK" "$@"; }
M() {
  local words=() placed= word
  for word in "$@"; do
    if [ -z "$placed" ] && [[ $word == -?* ]]; then words+=(-quiet -no-progress); placed=1; fi
    words+=("$word")
  done
  [ -n "$placed" ] || words+=(-quiet -no-progress)
  mksquashfs "${words[@]}"
}
P() { unsquashfs -l -d "" "${1:-o}" | sed "s,^/,," | paste -sd" " | sed "s/^ //"; }
LL() { unsquashfs -lln -d "" "${1:-o}" | awk "{ \$4 = \$5 = \"\"; gsub(/ +/, \" \"); print }" | sed "s, /,  /,; s, $,,; s, $(id -u)/$(id -g) , 0/0 ,"; }
FLAGS() { od -An -tx2 -j24 -N2 "${1:-o}" | tr -d " "; }
SIZE() { stat -c %s "$@" | paste -sd" "; }
TIME() { unsquashfs -mkfs-time "${1:-o}"; }
MTIME() { unsquashfs -lln -d "" "${1:-o}" | awk "{ print \$4, \$5 (\$6 == \"\" ? \"\" : \" \" \$6) }"; }
TABS() { sed "s/ \$/~/" | tr "\t" ">"; }
'

run_case() { # COMMAND: leaves status, $CLI_WORK/out and $CLI_WORK/err
  fixture
  (cd "$CLI_WORK/base/c" && umask 022 && bash -c "$prelude$1") >"$CLI_WORK/out" 2>"$CLI_WORK/err" </dev/null
}

verdict() { # NAME COMPLAINT
  if [ -z "$2" ]; then
    echo passed >>"$CLI_COUNTS"
    return
  fi
  echo failed >>"$CLI_COUNTS"
  echo "FAIL: $(basename "$0" .sh): $1: $2"
  sed 's/^/    out: /' "$CLI_WORK/out" | head -n 12
  sed 's/^/    err: /' "$CLI_WORK/err" | head -n 6
}

skipped() { # NAME
  [ -n "$skip_next" ] || return 1
  echo "SKIP: $(basename "$0" .sh): $1: $skip_next"
  echo skipped >>"$CLI_COUNTS"
  skip_next=''
}

run() { # NAME STATUS COMMAND [REGEX]
  local status=0 complaint='' expected
  expected=$(cat; echo x)
  skipped "$1" && return
  run_case "$3" || status=$?
  [ "$status" = "$2" ] || complaint="exit status $status, not $2"
  if [ "$(cat "$CLI_WORK/out"; echo x)" != "$expected" ]; then
    complaint="${complaint:-standard output is not${expected%x}}"
  fi
  if [ -n "${4:-}" ]; then
    grep -qE -e "$4" "$CLI_WORK/err" || complaint="${complaint:-standard error does not match $4}"
  elif [ -s "$CLI_WORK/err" ]; then
    complaint="${complaint:-standard error is not empty}"
  fi
  verdict "$1" "$complaint"
}

see() { # NAME STATUS COMMAND [REGEX]
  local status=0 complaint=''
  skipped "$1" && return
  run_case "$3" || status=$?
  [ "$status" = "$2" ] || complaint="exit status $status, not $2"
  if [ -n "${4:-}" ]; then
    cat "$CLI_WORK/out" "$CLI_WORK/err" | grep -qE -e "$4" || complaint="${complaint:-nothing matches $4}"
  fi
  verdict "$1" "$complaint"
}
