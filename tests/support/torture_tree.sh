#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a small tree with one of everything that an image can hold, at the sizes where a writer's
# cases change. The content is the same each time. Needs root: device nodes, owners, trusted xattrs.
# usage: torture_tree.sh DIR [BLOCK_SIZE [giant]]     giant: with a sparse file of 5 GiB
set -eu
export LC_ALL=C
[ $# -ge 1 ] || { echo "usage: torture_tree.sh DIR [BLOCK_SIZE [giant]]" >&2; exit 2; }
block=${2:-131072} giant=${3:-}
mkdir -p "$1"
cd "$1"

# --- content: slices of one pool of noise, so that no two files are equal by accident ----------------
pool=$(mktemp)
trap 'rm -f "$pool"' EXIT
python3 -c 'import random, sys
sys.stdout.buffer.write(random.Random(4).randbytes(int(sys.argv[1])))' $((26 * block + 200000)) >"$pool"
position=1
noise() { # SIZE
  tail -c "+$position" "$pool" | head -c "$1" || :
  position=$((position + $1))
}
prose() { # SIZE
  (yes "a line that packs well, of file $1" || :) | head -c "$1"
}

# --- files at every size at which something changes -----------------------------------------------
mkdir sizes
for size in 0 1 2 511 512 513 4095 4096 4097 8191 8192 8193 \
  $((block - 1)) "$block" $((block + 1)) $((2 * block - 1)) $((2 * block)) $((2 * block + 1)) \
  $((5 * block + 77)); do
  noise "$size" >"sizes/noise.$size"
  prose "$size" >"sizes/prose.$size"
  head -c "$size" /dev/zero >"sizes/zeros.$size"
done

# --- duplicates: whole files, shared blocks, shared tails, runs inside another file ----------------
mkdir dups
big=sizes/noise.$((5 * block + 77))
cp "$big" dups/whole
cp sizes/noise.513 dups/tail-only
cp sizes/prose.$((2 * block)) dups/whole-blocks-only
{ cat sizes/noise.$((2 * block)); noise 10; } >dups/same-blocks-new-tail
{ noise "$block"; tail -c 77 "$big"; } >dups/new-block-same-tail
head -c $((2 * block)) "$big" >dups/leading-run
tail -c "+$((block + 1))" "$big" | head -c $((2 * block)) >dups/inner-run
tail -c "+$((3 * block + 1))" "$big" >dups/trailing-run
{ cat "$big"; printf x; } >dups/one-byte-more
head -c 77 sizes/prose.4096 >dups/prefix-of-a-tail

# --- holes --------------------------------------------------------------------------------------
mkdir holes
truncate -s $((3 * block)) holes/nothing-else
truncate -s $((3 * block + 9)) holes/nothing-else-and-a-tail
truncate -s $((4 * block + 11)) holes/data-in-the-middle
printf 'five!' >>holes/data-in-the-middle
truncate -s $((9 * block + 5)) holes/data-in-the-middle
{ noise "$block"; head -c $((2 * block)) /dev/zero; printf 'the end'; } >holes/written-zeros
{ head -c "$block" /dev/zero; noise "$block"; } >holes/leading
[ -z "$giant" ] || truncate -s 5G holes/five-gibibytes

# --- file types ---------------------------------------------------------------------------------
mkdir types types/empty-directory
mkfifo types/fifo
mknod types/block b 8 1
mknod types/char c 1 3
mknod types/largest-minor c 259 1048575
mknod types/largest-major b 4095 7
ln -s ../sizes/prose.1 types/symlink
ln -s no/such/place types/dangling-symlink
ln -s / types/root-symlink
ln -s "$(printf 't%.0s' $(seq 4000))" types/long-symlink

# --- names and directories ----------------------------------------------------------------------
mkdir names
for name in "$(printf 'n%.0s' $(seq 255))" $'two\nlines' $'not-\xfe\xff-utf8' 'blank " quote \ slash' \
  --dash 'é' .dot ... Z a a.b a-b a0 A '*' '#' $'\x01' $'\x7f' $'\x80'; do
  printf 'called %s' "$name" >"names/$name"
done
deepest=deep
for level in $(seq 60); do deepest=$deepest/level-$level; done
mkdir -p "$deepest"
printf 'far down' >"$deepest/file"
mkdir wide full-run full-run-and-one
(cd full-run && seq -f 'entry-%03.0f' 256 | xargs touch)
(cd full-run-and-one && seq -f 'entry-%03.0f' 257 | xargs touch)
suffix=$(printf -- '-long%.0s' $(seq 16))
(cd wide && seq -f "entry-%05.0f$suffix" 3000 | xargs touch)
(cd wide && seq -f 'sub-%03.0f' 300 | xargs mkdir)

# --- hard links, also of what is not a file ---------------------------------------------------------
mkdir links links/elsewhere
printf 'one inode' >links/one
ln links/one links/two
ln links/one links/elsewhere/three
mkfifo links/fifo-one
ln links/fifo-one links/fifo-two
ln -s target links/symlink-one
ln links/symlink-one links/symlink-two
mknod links/char-one c 1 7
ln links/char-one links/char-two
ln sizes/noise.513 links/a-tail
ln "$big" links/many-blocks

# --- owners, modes, times -----------------------------------------------------------------------
mkdir owners modes times
for id in 0 1 1000 65533 65534 65535 65536 100000 2147483648 4294967294; do
  printf '%s' "$id" >"owners/$id"
  chown "$id:$((id / 2))" "owners/$id"
done
for mode in 0000 0001 0400 0644 0755 1777 2755 4755 6711 7777; do
  printf '%s' "$mode" >"modes/$mode"
  chmod "$mode" "modes/$mode"
  mkdir "modes/dir-$mode"
  chmod "$mode" "modes/dir-$mode"
done
for time in 0 1 2147483647 2147483648 4294967295 1000000000.987654321; do
  printf '%s' "$time" >"times/$time"
  touch -d "@$time" "times/$time"
done
ln -s x times/symlink
touch -h -d @86400 times/symlink
mkdir times/directory
touch -d @86400 times/directory

# --- a socket, and xattrs of every kind -------------------------------------------------------------
python3 - <<'PY'
import os, socket, stat, struct
socket.socket(socket.AF_UNIX).bind("types/socket")
os.mkdir("xattrs")

def make(name, **attributes):
    path = "xattrs/" + name
    if not os.path.lexists(path):
        with open(path, "w") as f:
            f.write(name)
    for key, value in attributes.items():
        os.setxattr(path, key.replace("__", "."), value, follow_symlinks=False)

for prefix in ("user", "trusted", "security"):
    make(prefix, **{prefix + "__test": f"a value of {prefix}".encode()})
make("all", user__a=b"1", trusted__a=b"2", security__a=b"3")
make("empty-value", user__empty=b"")
make("binary", user__bytes=bytes(range(256)))
make("large", user__large=b"L" * 3000)
make("long-name", **{"user__" + "k" * 250: b"v"})
make("many", **{f"user__key{i}": b"a value that is longer than a reference to it" for i in range(40)})
make("same-1", user__a=b"1", user__b=b"2")
make("same-2", user__b=b"2", user__a=b"1")
make("shared-value", user__other=b"a value that is longer than a reference to it")
# cap_net_raw=ep, revision 2
make("capability", security__capability=struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))
os.mkdir("xattrs/directory")
make("directory", user__d=b"of a directory", trusted__d=b"also")
os.symlink("nowhere", "xattrs/symlink")
make("symlink", trusted__l=b"of a symlink")
os.mkfifo("xattrs/fifo")
make("fifo", trusted__f=b"of a fifo")
os.mknod("xattrs/char", 0o644 | stat.S_IFCHR, os.makedev(1, 5))
make("char", trusted__c=b"of a device")
PY
