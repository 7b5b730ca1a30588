#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures our mksquashfs against another on the same trees, in alternation.

usage: compare.py [--ours CMD] [--peer CMD]... [--tree DIR]... [--corpora DIR] [--settings NAME,...]
                  [--runs N] [--floor "SETTING FIGURE<=RATIO"]... [--work DIR] [--output FILE]

CMD may be several words. With more than one --peer the better of them counts, figure by figure.
--corpora takes each folder in DIR as a tree, when no --tree is given. Settings: gzip zstd15 zstd5-1m
lz4 lz4hc xz lzo, or literally "NAME=OPTIONS" (default: all of the first). Figures: cpu (user and
system seconds), rss (peak resident MiB), bytes (of the image), wall (seconds).
--floor: SETTING may be * for all; the exit status is 1 when a ratio is above its floor.

Prints a Markdown table of medians and ratios (ours / peer). Trees are read once before they are
measured, so the cache is warm; peak memory below some 12 MiB cannot be told from this program's.
"""
import argparse
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SETTINGS = {
    "gzip": "-comp gzip",
    "zstd15": "-comp zstd -Xcompression-level 15",
    "zstd5-1m": "-comp zstd -Xcompression-level 5 -b 1M",
    "lz4": "-comp lz4",
    "lz4hc": "-comp lz4 -Xhc",
    "xz": "-comp xz",
    "lzo": "-comp lzo",
}
COMMON = "-noappend -no-progress"
FIGURES = ("cpu", "rss", "bytes", "wall")


def measure(command, options, tree, image):
    """One run: {figure: value}. Ends the program when the command fails."""
    if os.path.exists(image):
        os.unlink(image)
    argv = [*shlex.split(command), tree, image, *options]
    with tempfile.TemporaryFile() as output:
        started = time.monotonic()
        child = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)])
        _, status, usage = os.wait4(child, 0)
        wall = time.monotonic() - started
        if status:
            output.seek(0)
            sys.exit(f"compare: {shlex.join(argv)} failed (status {os.waitstatus_to_exitcode(status)}):\n"
                     + output.read()[-1000:].decode(errors="replace"))
    size = os.path.getsize(image)
    os.unlink(image)
    return {"cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss / 1024, "bytes": size,
            "wall": wall}


def read_all(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            # Sparse giants are not worth reading: what they hold is soon read.
            if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) < 1 << 32:
                with open(path, "rb", buffering=0) as file:
                    while file.read(1 << 20):
                        pass


def parse_floor(text):
    match = re.fullmatch(r"\s*(\S+)\s+(cpu|rss|bytes|wall)\s*<=\s*([0-9.]+)\s*", text)
    if not match:
        raise argparse.ArgumentTypeError(f"not SETTING FIGURE<=RATIO: {text}")
    return match.group(1), match.group(2), float(match.group(3))


def parse_settings(text):
    chosen = {}
    for word in text.split(","):
        name, given, options = word.partition("=")
        if not given and name not in SETTINGS:
            raise argparse.ArgumentTypeError(f"no setting is called {name}")
        chosen[name] = options if given else SETTINGS[name]
    return chosen


def version(command):
    found = subprocess.run([*shlex.split(command), "-version"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return found.stdout.decode(errors="replace").split("\n")[0].strip()


def show(figure, value):
    return f"{value:,.0f}" if figure == "bytes" else f"{value:.2f}" if figure in ("cpu", "wall") else f"{value:.1f}"


def compare(options, tree, name, line, out):
    """Measures one setting on one tree; prints its row and returns {figure: ratio}."""
    arguments = shlex.split(COMMON) + shlex.split(line)
    commands = [options.ours, *options.peer]
    runs = [[] for _ in commands]
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for _ in range(options.runs):
            for results, command in zip(runs, commands):
                results.append(measure(command, arguments, tree, os.path.join(work, "image.sqfs")))
    medians = [{f: statistics.median(run[f] for run in results) for f in FIGURES} for results in runs]
    ours = medians[0]
    peer = {f: min(median[f] for median in medians[1:]) for f in FIGURES}
    ratios = {f: ours[f] / max(peer[f], 1e-9) for f in FIGURES}
    cells = " | ".join(f"{show(f, ours[f])} | {show(f, peer[f])} | **{ratios[f]:.3f}**" for f in FIGURES)
    out(f"| {os.path.basename(os.path.normpath(tree))} | {name} | {cells} |")
    return ratios


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--ours", default="build/bin/mksquashfs")
    parser.add_argument("--peer", action="append")
    parser.add_argument("--tree", action="append")
    parser.add_argument("--corpora")
    parser.add_argument("--settings", type=parse_settings, default=SETTINGS)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--floor", action="append", type=parse_floor, default=[])
    parser.add_argument("--work")
    parser.add_argument("--output")
    options = parser.parse_args()
    options.peer = options.peer or ["/usr/bin/mksquashfs"]
    trees = options.tree
    if not trees and options.corpora and os.path.isdir(options.corpora):
        trees = sorted(entry.path for entry in os.scandir(options.corpora)
                       if entry.is_dir() and not entry.name.endswith(".part"))
    if not trees:
        sys.exit("compare: no tree to measure: give --tree DIR, or `make corpora` first")
    for tree in trees:
        if not os.path.isdir(tree):
            sys.exit(f"compare: not a directory: {tree}")

    sink = open(options.output, "w", encoding="utf-8") if options.output else None

    def out(line):
        print(line, flush=True)
        if sink:
            print(line, file=sink, flush=True)

    out(f"ours: {version(options.ours)}; peer: " + "; ".join(version(peer) for peer in options.peer))
    out(f"{platform.system()} {platform.release()}, {os.cpu_count()} processors; median of {options.runs}; {COMMON}\n")
    out("| tree | setting | " + " | ".join(f"{f} | peer | ratio" for f in FIGURES) + " |")
    out("|---|---|" + "---|" * 3 * len(FIGURES))
    broken = []
    for tree in trees:
        read_all(tree)
        for name, line in options.settings.items():
            ratios = compare(options, tree, name, line, out)
            broken += [f"{tree}, {name}: {figure} is {ratios[figure]:.3f} of the peer's, the floor is {limit:g}"
                       for setting, figure, limit in options.floor
                       if setting in ("*", name) and ratios[figure] > limit]
    for line in broken:
        out(f"\nFAIL: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
