#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two directory trees entry by entry, as an image and its source must be equal.

usage: tree_compare.py [--ignore FIELD,...] [--limit N] EXPECTED FOUND

Fields: type mode uid gid mtime size content target rdev xattr links
  mode    not of symbolic links, whose mode nothing reads
  mtime   in whole seconds, all that the format holds
  xattr   all but system.*, which the format has no prefix for
  links   which names are one inode, and that the link count says so; of a directory, that it is
          2 and one for each sub-directory (1: the file system does not count)
Names are bytes. Prints a line for each difference (at most N, 40) and a summary.
Exit status: 0 equal, 1 different, 2 usage or an unreadable tree.
"""
import argparse
import errno
import hashlib
import os
import stat
import sys

FIELDS = ("type", "mode", "uid", "gid", "mtime", "size", "content", "target", "rdev", "xattr", "links")
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink",
         stat.S_IFBLK: "block device", stat.S_IFCHR: "char device", stat.S_IFIFO: "fifo",
         stat.S_IFSOCK: "socket"}
CHUNK = 1 << 16
ZEROS = bytes(CHUNK)


def content_digest(path, size):
    """A digest of all chunks that are not zero, with their places; holes are stepped over."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb", buffering=0) as file:
        position = 0
        while position < size:
            try:
                data = os.lseek(file.fileno(), position, os.SEEK_DATA)
            except OSError:
                break  # only a hole is left
            position = data - data % CHUNK
            file.seek(position)
            chunk = file.read(CHUNK)
            while len(chunk) < CHUNK and (more := file.read(CHUNK - len(chunk))):
                chunk += more
            if chunk != ZEROS[:len(chunk)]:
                digest.update(b"%d:" % position)
                digest.update(chunk)
            position += CHUNK
    return digest.hexdigest()


def xattrs_of(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        # The kernel's answer for an image without any.
        return {} if error.errno == errno.ENOTSUP else f"unlistable: {error.strerror}"
    found = {}
    for name in sorted(names):
        if name.startswith("system."):
            continue
        try:
            found[name] = os.getxattr(path, name, follow_symlinks=False)
        except OSError as error:
            found[name] = f"unreadable: {error.strerror}"
    return found


def describe(path, status, wanted):
    kind = stat.S_IFMT(status.st_mode)
    entry = {"type": KINDS.get(kind, oct(kind)), "uid": status.st_uid, "gid": status.st_gid,
             "mtime": status.st_mtime_ns // 10**9}
    if kind != stat.S_IFLNK:
        entry["mode"] = oct(stat.S_IMODE(status.st_mode))
    if kind == stat.S_IFREG:
        entry["size"] = status.st_size
        if "content" in wanted:
            try:
                entry["content"] = content_digest(path, status.st_size)
            except OSError as error:
                entry["content"] = f"unreadable: {error.strerror}"
    elif kind == stat.S_IFLNK:
        entry["target"] = os.readlink(path)
    elif kind in (stat.S_IFBLK, stat.S_IFCHR):
        entry["rdev"] = (os.major(status.st_rdev), os.minor(status.st_rdev))
    if "xattr" in wanted:
        entry["xattr"] = xattrs_of(path)
    return entry


def read_tree(root, wanted):
    """Returns {relative name: entry}, and complaints about link counts."""
    entries, complaints, names_of = {}, [], {}
    pending = [b""]
    while pending:
        name = pending.pop()
        path = os.path.join(root, name) if name else root
        status = os.lstat(path)
        entries[name] = describe(path, status, wanted)
        if stat.S_ISDIR(status.st_mode):
            children = list(os.scandir(path))
            pending += [os.path.join(name, child.name) for child in children]
            counted = 2 + sum(child.is_dir(follow_symlinks=False) for child in children)
            if status.st_nlink not in (1, counted):
                complaints.append(f"{name!r}: link count {status.st_nlink}, sub-directories make {counted}")
        else:
            names_of.setdefault((status.st_dev, status.st_ino), (status.st_nlink, []))[1].append(name)
    for count, names in names_of.values():
        for name in names:
            entries[name]["links"] = sorted(names)
        if count != len(names):
            complaints.append(f"{names[0]!r}: link count {count}, names {len(names)}")
    return entries, complaints


def differences(expected, found, wanted):
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield f"{name!r}: missing"
        elif name not in expected:
            yield f"{name!r}: not expected"
        else:
            for field in wanted:
                left, right = expected[name].get(field), found[name].get(field)
                if left != right:
                    yield f"{name!r}: {field}: expected {left!r:.200}, found {right!r:.200}"


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--ignore", default="")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("trees", nargs=2)
    options = parser.parse_args()
    ignored = set(filter(None, options.ignore.split(",")))
    if ignored - set(FIELDS):
        parser.error("unknown field: " + ", ".join(sorted(ignored - set(FIELDS))))
    wanted = [field for field in FIELDS if field not in ignored]
    try:
        # Links that lie outside the source tree are none of the image's business: the source's own
        # counts are not judged.
        expected, _ = read_tree(os.fsencode(options.trees[0]), wanted)
        found, complaints = read_tree(os.fsencode(options.trees[1]), wanted)
    except OSError as error:
        print(f"tree_compare: {error}", file=sys.stderr)
        return 2
    total = 0
    for total, line in enumerate(list(differences(expected, found, wanted)) +
                                 (complaints if "links" in wanted else []), 1):
        if total <= options.limit:
            print(line)
    print(f"{len(expected)} entries, {total} differences")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
