#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the initramfs of the guest: one static program and the kernel modules it loads.

usage: guest_initramfs.py MODULES_DIR INIT OUTPUT MODULE...

MODULES_DIR is lib/modules/VERSION of an unpacked kernel package. Each MODULE is put in after the
modules it depends on, as /modules/NN-name.ko. A module that is not there is taken to be built in.
"""
import glob
import lzma
import os
import re
import stat
import sys


def find_modules(folder):
    found = {}
    for path in glob.glob(folder + "/kernel/**/*.ko*", recursive=True):
        name = os.path.basename(path).split(".ko")[0].replace("-", "_")
        found[name] = path
    return found


def read_module(path):
    with open(path, "rb") as file:
        data = file.read()
    return lzma.decompress(data) if path.endswith(".xz") else data


def in_load_order(names, found):
    """The modules as (name, bytes), each after those it depends on."""
    ordered, done = [], set()

    def add(name):
        if name in done or name not in found:
            return
        done.add(name)
        data = read_module(found[name])
        depends = re.search(rb"\0depends=([^\0]*)\0", data)
        for other in (depends.group(1).decode().split(",") if depends else []):
            add(other.replace("-", "_"))
        ordered.append((name, data))

    for name in names:
        add(name)
    return ordered


class Archive:
    """A cpio archive of the kind the kernel unpacks ("newc")."""

    def __init__(self):
        self.out = bytearray()
        self.count = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self.count += 1
        fields = (self.count, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        self.out += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        self.out += bytes(-len(self.out) % 4) + data
        self.out += bytes(-len(self.out) % 4)

    def finish(self):
        self.add("TRAILER!!!", 0)
        return self.out


def main(arguments):
    if len(arguments) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    folder, init, output, *names = arguments
    archive = Archive()
    for directory in ("dev", "image", "modules"):
        archive.add(directory, stat.S_IFDIR | 0o755)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    with open(init, "rb") as file:
        archive.add("init", stat.S_IFREG | 0o755, file.read())
    for number, (name, data) in enumerate(in_load_order(names, find_modules(folder))):
        archive.add(f"modules/{number:02d}-{name}.ko", stat.S_IFREG | 0o644, data)
    with open(output, "wb") as file:
        file.write(archive.finish())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
