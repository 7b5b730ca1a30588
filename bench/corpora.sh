#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the trees that the benchmarks measure, from Debian 12 packages. Needs root for device nodes
# and owners, mmdebstrap and the network. What is there already is kept.
# usage: corpora.sh DIR [NAME...]
#   debroot       the root of a cloud image (24,000 files, 660 MB)
#   embedded      a minimal root without documentation (5,300 files, 157 MB)
#   src           the kernel's source (79,000 files, 1.2 GB)
#   bin           large programs and libraries (110 files, 530 MB)
#   media         data that is compressed already (16,000 files, 330 MB)
#   dups          debroot three times, two of them slightly changed
#   many[:N]      N files of 16 to 4,096 bytes cut from src (300,000)
#   same[:N]      N files of exactly 1,024 bytes (100,000)
#   big           one file of 4 GiB
#   sparse        one file of 10 GiB with 64 KiB of data every 64 MiB
# Without names, the small ones: embedded same:10000 sparse
set -eu
export LC_ALL=C
[ $# -ge 1 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,17p' >&2; exit 2; }
mkdir -p "$1"
cd "$1"
shift
[ $# -gt 0 ] || set -- embedded same:10000 sparse

suite=bookworm
say() { echo "corpora: $*" >&2; }

make_debroot() {
  mmdebstrap --quiet --mode=root --variant=standard --include=linux-image-cloud-amd64,python3,perl,systemd,systemd-sysv,openssh-server,cloud-init,cloud-guest-utils,vim,git,curl,sudo,rsync,tmux,dbus,netplan.io,unattended-upgrades,grub-pc-bin,tcpdump,strace \
    "$suite" "$1"
}
make_embedded() {
  mmdebstrap --quiet --mode=root --variant=minbase "$suite" "$1"
  rm -rf "$1/usr/share/doc" "$1/usr/share/man" "$1/usr/share/locale"
}
unpack_packages() { # DIR PACKAGE...
  local target=$1
  shift
  mkdir -p "$target" packages.part
  (cd packages.part && apt-get -q download "$@" >/dev/null)
  for package in packages.part/*.deb; do dpkg-deb -x "$package" "$target"; done
  rm -rf packages.part
}
make_src() {
  unpack_packages src.package linux-source-6.1
  mkdir "$1"
  tar -C "$1" -xf src.package/usr/src/linux-source-6.1.tar.xz
  rm -rf src.package
}
make_bin() { unpack_packages "$1" chromium libllvm14 libclang1-14 libreoffice-core; }
make_media() { unpack_packages "$1" wesnoth-1.16-data wesnoth-1.16-music; }
make_dups() {
  want debroot
  mkdir "$1"
  for copy in as-it-is appended flipped; do cp -a --reflink=auto debroot "$1/$copy"; done
  python3 - "$1" <<'PY'
import os, stat, sys

def regular_files(root):
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                yield path, status

for number, (path, status) in enumerate(regular_files(sys.argv[1] + "/appended")):
    if number % 20 == 0:
        with open(path, "ab") as file:
            file.write(b"more")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
for number, (path, status) in enumerate(regular_files(sys.argv[1] + "/flipped")):
    if number % 20 == 0 and status.st_size:
        with open(path, "r+b") as file:
            file.seek(status.st_size // 2)
            byte = file.read(1)
            file.seek(status.st_size // 2)
            file.write(bytes([byte[0] ^ 1]))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
PY
}
make_many() { # DIR COUNT
  want src
  python3 - "$1" "${2:-300000}" <<'PY'
import os, random, sys
target, count = sys.argv[1], int(sys.argv[2])
draw = random.Random(7)
sources = sorted(os.path.join(folder, name) for folder, _, names in os.walk("src") for name in names)
sources = [path for path in sources if os.path.isfile(path) and os.path.getsize(path) > 4096]
for number in range(count):
    if number % 100 == 0:
        folder = f"{target}/{number // 10000:03d}/{number // 100 % 100:02d}"
        os.makedirs(folder)
    size = min(4096, max(16, int(draw.lognormvariate(6.3, 1.0))))
    with open(draw.choice(sources), "rb") as source:
        source.seek(draw.randrange(os.fstat(source.fileno()).st_size - size))
        data = source.read(size)
    with open(f"{folder}/{number:07d}", "wb") as file:
        file.write(data)
PY
}
make_same() { # DIR COUNT
  python3 - "$1" "${2:-100000}" <<'PY'
import os, sys
target, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    if number % 1000 == 0:
        folder = f"{target}/{number // 1000:04d}"
        os.makedirs(folder)
    with open(f"{folder}/{number:07d}", "w") as file:
        file.write((f"file number {number}\n" * 80)[:1024])
PY
}
make_big() {
  for tree in src bin embedded media; do want "$tree"; done
  mkdir "$1"
  { tar --sort=name -cf - src bin embedded media; head -c 256M /dev/urandom; head -c 2G /dev/urandom | base64; } |
    head -c 4G >"$1/big"
}
make_sparse() {
  mkdir "$1"
  python3 - "$1/sparse" <<'PY'
import random, sys
draw = random.Random(9)
with open(sys.argv[1], "wb") as file:
    for position in range(0, 10 << 30, 64 << 20):
        file.seek(position)
        file.write(draw.randbytes(65536))
    file.truncate(10 << 30)
PY
}

want() { # NAME[:COUNT]
  local name=${1%:*} count='' folder=$1
  [ "$1" = "$name" ] || { count=${1#*:}; folder=$name-$count; }
  [ ! -d "$folder" ] || return 0
  case $name in
    debroot | embedded | src | bin | media | dups | many | same | big | sparse) ;;
    *) say "no corpus is called $name"; exit 2 ;;
  esac
  say "making $folder"
  rm -rf --one-file-system "$folder.part"
  "make_$name" "$folder.part" $count
  mv "$folder.part" "$folder"
}
for name in "$@"; do want "$name"; done
du -sh --apparent-size -- */ | sed 's/^/  /' >&2
