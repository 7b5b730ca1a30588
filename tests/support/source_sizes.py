#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures C++ sources: lines of each file and of each function.

usage: source_sizes.py [--max-file N] [--max-function N] [--exempt FILE]... FILE...

Prints the totals, the medians, the longest file and the longest function; one line "FAIL: ..." for
each that is above its cap. Exit 0: none is. The counts are from the text alone: a function is a
brace block that opens after a parameter list at namespace or class scope.
"""
import argparse
import re
import statistics
import sys

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<delim>[^()\s]*)\(.*?\)(?P=delim)"|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def blank(match):
    """Keeps the newlines of what is cut out, so that line numbers stay right."""
    text = match.group(0)
    if text.startswith(("//", "/*")):
        return "\n" * text.count("\n")
    return '""' + "\n" * text.count("\n")


def is_function_head(head):
    head = re.sub(r"\btemplate\s*<[^;{}]*?>\s*(?=[\w\[:])", "", head, count=1).strip()
    if "(" not in head or re.search(r"=\s*$", head):
        return False
    scope = SCOPE.search(head)
    return not (scope and head.index("(") > scope.start() and
                not re.search(r"\)\s*(const|noexcept|override|final|->.*|:.*)*\s*$", head, re.S))


def functions(text):
    """Yields (name, first line, last line)."""
    text = DIRECTIVE.sub(lambda m: "\n" * m.group(0).count("\n"), TOKEN.sub(blank, text))
    stack, head_start = [], 0
    line_of = [0]
    for character in text:
        line_of.append(line_of[-1] + (character == "\n"))
    for at, character in enumerate(text):
        if character == "{":
            head = text[head_start:at]
            outer = all(kind == "scope" for kind, _, _ in stack)
            if not outer:
                kind = "inner"
            elif is_function_head(head):
                kind = "function"
            elif SCOPE.search(head) and "=" not in head:
                kind = "scope"
            else:
                kind = "inner"
            first = head_start + len(head) - len(head.lstrip())
            stack.append((kind, first, head))
            head_start = at + 1
        elif character == "}":
            if stack:
                kind, first, head = stack.pop()
                if kind == "function":
                    name = re.search(r"([~\w:<>\[\] =!+*-]+?)\s*\(", head)
                    yield ((name.group(1).split() or ["?"])[-1] if name else "?",
                           line_of[first] + 1, line_of[at] + 1)
            head_start = at + 1
        elif character == ";":
            head_start = at + 1
        elif character == ":" and re.search(r"\b(public|private|protected)\s*$", text[head_start:at]):
            head_start = at + 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-file", type=int, default=500)
    parser.add_argument("--max-function", type=int, default=70)
    parser.add_argument("--exempt", action="append", default=[])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    files, found, bad = [], [], 0
    for path in options.files:
        with open(path, encoding="utf-8") as source:
            text = source.read()
        lines = text.count("\n")
        files.append((lines, path))
        if lines > options.max_file and path not in options.exempt:
            bad += 1
            print(f"FAIL: {path}: {lines} lines, the cap is {options.max_file}")
        for name, first, last in functions(text):
            length = last - first + 1
            found.append((length, f"{path}:{first} {name}"))
            if length > options.max_function and path not in options.exempt:
                bad += 1
                print(f"FAIL: {path}:{first}: {name} has {length} lines, "
                      f"the cap is {options.max_function}")
    if files:
        print(f"{len(files)} files, {sum(n for n, _ in files)} lines, median "
              f"{statistics.median(n for n, _ in files):g}, longest {max(files)[1]} ({max(files)[0]})")
    if found:
        print(f"{len(found)} functions, median {statistics.median(n for n, _ in found):g}, "
              f"longest {max(found)[1]} ({max(found)[0]})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
