#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The checks of the style guide that a text tool can make. Each check is one test.
# usage: tests/lint.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
export LC_ALL=C.UTF-8

passed=0 failed=0
verdict() { # RULE OFFENDERS
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $1"
    printf '%s\n' "$2" | head -n 40 | sed 's/^/  /'
  fi
}

# All files of the project: what git tracks or would track, or all but build/ without git.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -t files < <(git ls-files -co --exclude-standard | sort -u)
else
  mapfile -t files < <(find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's,^\./,,' | sort)
fi
existing=()
for file in "${files[@]}"; do [ -f "$file" ] && existing+=("$file"); done
select_files() { printf '%s\n' "${existing[@]}" | grep -E "$1" || :; }
sources=$(select_files '\.(cc|h)$')
code=$(select_files '(\.(cc|h|def|sh|py)|(^|/)Makefile|^\.ci/.*|^\.clang-(format|tidy))$')
text=$(select_files '(\.(cc|h|def|sh|py|md|in|recipe|tree)|(^|/)Makefile|^\.ci/.*)$')
documents=$(select_files '\.md$')

if command -v clang-format >/dev/null 2>&1; then
  verdict 'sources are laid out by clang-format (make format)' "$(printf '%s\n' $sources |
    xargs -r clang-format --dry-run -Werror --ferror-limit=1 2>&1 | grep -E 'error:' || :)"
else
  verdict 'sources are laid out by clang-format' 'clang-format is not installed'
fi

sizes=$(printf '%s\n' $sources | xargs -r tests/support/source_sizes.py --exempt cli/option_rows.cc)
printf '%s\n' "$sizes" | grep -v '^FAIL' | sed 's/^/  /'
verdict 'files have at most 500 lines, functions at most 70' "$(printf '%s\n' "$sizes" | grep '^FAIL' | sed 's/^FAIL: //')"

verdict 'the first line, or the one after #!, names the licence' "$(for file in $code; do
  head -n 2 "$file" | grep -qE '^(//|#|--) SPDX-License-Identifier: MIT$' || echo "$file"; done)"

verdict 'headers have #pragma once' "$(for file in $(select_files '\.h$'); do
  grep -q '^#pragma once$' "$file" || echo "$file"; done)"

verdict 'no line is longer than 100 characters' "$(printf '%s\n' $sources | xargs -r awk \
  'length($0) > 100 { print FILENAME ":" FNR ": " length($0) " characters" }')"

verdict 'no tabs, no trailing blanks, a newline at the end' "$(
  for file in $(printf '%s\n' $text | grep -v '\.md$'); do
    case $file in */Makefile | Makefile) tab='[[:blank:]]$' ;; *) tab='\t|[[:blank:]]$' ;; esac
    grep -nP "$tab" "$file" | sed "s,^\([0-9]*\):.*,$file:\1,"
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file" | tr -d '\n')" ] || echo "$file: no newline at its end"
  done)"

verdict 'source files have names of their own, in snake_case' "$(
  printf '%s\n' $sources | sed 's,.*/,,' | sort | uniq -d
  printf '%s\n' $sources | grep -vE '(^|/)[a-z0-9_]+\.(cc|h)$' || :)"

# Two definitions of one name break the program silently as soon as an inline function differs.
verdict 'types that headers define have names of their own' "$(select_files '\.h$' | xargs -r awk '
  /^(class|struct|enum class|enum) (\[\[[a-z]+\]\] )?[A-Z][A-Za-z0-9]*[^;]*$/ {
    name = $0
    sub(/^(enum class|class|struct|enum) (\[\[[a-z]+\]\] )?/, "", name)
    sub(/[^A-Za-z0-9].*/, "", name)
    if (name in first) print name ": " first[name] " and " FILENAME
    first[name] = FILENAME
  }')"

# Words that only make sense on the machine or in the head of one author.
verdict 'no path of somebody'"'"'s machine, no note to self' "$(printf '%s\n' $text | xargs -r grep -nE \
  '(^|[^A-Za-z0-9_.-])/(home|Users|work)/[A-Za-z]|(^|[^A-Za-z])(FIXME|XXX|HACK)([^A-Za-z]|$)|TODO([^(]|$)' |
  grep -v '^tests/lint\.sh:' || :)"

# A document that names a file of the project names one that is there. Globs must match something.
verdict 'paths in the documents exist' "$(for document in $documents; do
  grep -noE '`(base|squashfs-format|compressors|xattr|fragments|reader|writer|verifier|cli|man|tests|bench|docs|\.ci)/[^` ]*`|\]\([A-Za-z.][^):# ]*' "$document" |
    while IFS=: read -r line path; do
      path=${path#\`} path=${path%\`}
      case $path in
        *'<'* | *'{'* | *NAME*) continue ;;
        ']('*) path=${path#']('}; [ "$(dirname "$document")" = . ] || path=$(dirname "$document")/$path ;;
      esac
      path=${path%%:*}
      compgen -G "$path" >/dev/null || echo "$document:$line: $path"
    done
done)"

if command -v shellcheck >/dev/null 2>&1; then
  verdict 'shellcheck finds nothing in the scripts' "$(select_files '\.sh$|^\.ci/run$' |
    xargs -r shellcheck -S warning -f gcc 2>&1 || :)"
else
  verdict 'shellcheck finds nothing in the scripts' 'shellcheck is not installed'
fi

# $1 program, $2 what it judges, $3 what it says when there is nothing to say against them.
judge() {
  if command -v "$1" >/dev/null 2>&1; then verdict "$2" "$3"; else echo "SKIP: $2: $1 is not installed"; fi
}
judge mandoc 'mandoc renders the manual pages without a word' "$(mandoc -T lint man/*.[158] 2>&1 || :)"
judge man 'man renders the manual pages without a word' "$(for page in man/*.[158]; do
  LC_ALL=C.UTF-8 man --warnings --no-hyphenation -l "$page" 2>&1 >/dev/null || echo "$page: exit status $?"
done)"
judge zsh 'zsh reads its completion' "$(zsh -n docs/completions/_squashkit 2>&1 || :)"
judge fish 'fish reads its completion' "$(fish --no-execute docs/completions/squashkit.fish 2>&1 || :)"
verdict 'bash reads its completion' "$(bash -n docs/completions/squashkit.bash 2>&1 || :)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
