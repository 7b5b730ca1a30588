# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command lines of build systems, distributions and container tools, word for word, on a small
# root file system. Each image equals its source and is cleared by the verifier.
. "$(dirname "$0")/lib.sh"

# ROOTFS DIR: what such programs put into an image. SAME DIR IMAGE [WORD...]: equality, through the
# kernel. OK DIR COMMAND...: the command makes o, and o equals the directory.
prelude=$prelude'
sqfstar() { "${SQFSTAR:-$BIN/sqfstar}" "$@"; }
mksquashfs4() { mksquashfs "$@"; }
ROOTFS() {
  mkdir -p "$1"/{bin,dev,etc/init.d,home/user,lib,proc,root,tmp,usr/bin,var/cache/apt/archives,var/log}
  (
    cd "$1" || exit 1
    cp /bin/sh bin/busybox; ln bin/busybox bin/sh; ln -s busybox bin/ls; ln -s ../../bin/busybox usr/bin/env
    head -c 300000 /dev/urandom >lib/libc.so; ln -s libc.so lib/libc.so.6; truncate -s 1M var/log/lastlog
    echo root:x:0:0:root:/root:/bin/sh >etc/passwd; cp etc/passwd etc/passwd-; echo echo >etc/init.d/rcS
    chmod 755 etc/init.d/rcS; chmod 1777 tmp; chmod 700 root; chmod 4755 bin/busybox; : >swapfile
    echo p >var/cache/apt/archives/p.deb; echo x >root/.bashrc; mkfifo var/run-fifo
    mknod dev/null c 1 3; mknod dev/sda1 b 8 1; chown -R 1000:1000 home/user
    setfattr -n user.note -v hello etc/passwd 2>/dev/null
    setfattr -n security.capability -v 0sAQAAAgAgAAAAAAAAAAAAAAAAAAA= lib/libc.so 2>/dev/null
    find . -exec touch -h -d @1600000000 {} +
  )
  touch -d @1600000000 "$1"
}
SAME() {
  local s=0
  fsck.squashfs -q "$2" || return 9
  mkdir -p "$CLI_WORK/mnt"
  local image=$2
  if [ -f "$image" ]; then # what -nopad left out a loop device needs
    image=$CLI_WORK/padded; cp "$2" "$image"; truncate -s %4096 "$image"
  fi
  mount -o loop,ro "$image" "$CLI_WORK/mnt" || return 8
  python3 "$SQUASHKIT_SOURCE/tests/support/tree_compare.py" "${@:3}" "$1" "$CLI_WORK/mnt" >"$CLI_WORK/same" || s=7
  umount "$CLI_WORK/mnt"
  [ $s = 0 ] || { cat "$CLI_WORK/same"; echo "${LINE[*]}"; }
  return $s
}
OK() { OKBUT "" "$@"; }
OKBUT() { # FIELDS DIR COMMAND...: the image may differ in these fields
  local fields=$1 dir=$2; shift 2; LINE=("$@")
  rm -f o
  "$@" >/dev/null 2>err || { echo "exit $?: $*"; cat err; return 1; }
  SAME "$dir" o ${fields:+--ignore "$fields"}
}
ROOTFS r
'
need_root 'mounts, devices and owners'
see 'Buildroot: every block size and compressor' 0 \
  'for b in 4K 8K 16K 32K 64K 128K 256K 512K 1024K; do OK r mksquashfs r o -noappend -processors 2 -b $b -comp gzip || exit; done
   OK r mksquashfs r o -noappend -processors 2 -b 128K -Xcompression-level 9 -comp gzip &&
   OK r mksquashfs r o -noappend -processors 2 -b 128K -Xhc -nopad -comp lz4 &&
   OK r mksquashfs r o -noappend -processors 2 -b 128K -Xcompression-level 9 -comp lzo &&
   OK r mksquashfs r o -noappend -processors 2 -b 128K -comp lzo &&
   { for f in arm,armthumb powerpc sparc x86; do OK r mksquashfs r o -noappend -processors 2 -b 128K -Xbcj $f -comp xz || exit; done; } &&
   OK r mksquashfs r o -noappend -processors 2 -b 128K -Xcompression-level 22 -comp zstd &&
   OK r mksquashfs r o -noappend -processors 2 -b 128K -no-compression'
# shellcheck disable=SC2034  # skip_next belongs to lib.sh
skip_without_fakeroot() {
  command -v fakeroot >/dev/null 2>&1 || skip_next='there is no fakeroot'
  [ "${VARIANT:-release}" != asan ] || skip_next='fakeroot and the address sanitizer exclude each other'
}
need_root 'mounts'
skip_without_fakeroot
see 'Buildroot, OE: under fakeroot, with SOURCE_DATE_EPOCH' 0 \
  'export SOURCE_DATE_EPOCH=1700000000; chown -R 65534:65534 r; chmod 755 "$CLI_WORK" ../.. ..; chmod 777 .
   setpriv --reuid 65534 --regid 65534 --clear-groups -- fakeroot bash -c "chown -R 0:0 r; chown 5:6 r/etc/passwd; rm r/dev/null; mknod r/dev/null c 1 3
     \"$MKSQUASHFS\" r o -noappend -processors 2 -b 128K -comp zstd && cp -a r copy && stat -c \"%n %u:%g %F\" r/etc/passwd r/dev/null
     \"$MKSQUASHFS\" r o2 -noappend -comp xz" >out || exit
   fsck.squashfs -q o && fsck.squashfs -q o2 && unsquashfs -lln o | grep -E "^-.* 5/6 .*passwd$" && unsquashfs -lln o2 | grep -E "^crw.* 0/0 "'
need_root 'mounts'
see 'OE, wic' 0 \
  'for c in "" "-comp xz" "-comp lzo" "-comp lz4" "-comp zstd"; do OK r mksquashfs r o -noappend $c || exit; done
   OK r mksquashfs r o -noappend && OK r mksquashfs r o -no-sparse -b 4096'
need_root 'mounts'
see 'OpenWrt' 0 \
  'for x in -xattrs -no-xattrs; do
     mksquashfs4 r o -nopad -noappend -root-owned -comp xz -Xpreset 9 -Xe -Xlc 0 -Xlp 2 -Xpb 2 -Xbcj x86 -b 256k -p "/dev d 755 0 0" -p "/dev/console c 600 0 0 5 1" $x || exit
     cp -a r want; mknod -m 600 want/dev/console c 5 1; chown -R 0:0 want; chmod 4755 want/bin/busybox
     SAME want o --ignore xattr,mtime || exit; rm -r want
   done; echo "" | mksquashfs4 - dummy -cpiostyle -nopad -noappend -root-owned && fsck.squashfs -q dummy'
need_root 'mounts'
see 'live-build, livecd-rootfs, lorax, livecd-tools, Void' 0 \
  'mv r chroot; printf "bin/* 100\nlib/libc.so -5\n" >squashfs.sort; printf "tmp/*\n" >excludes
   OK chroot mksquashfs chroot o -no-progress -comp xz -sort squashfs.sort -wildcards -ef excludes &&
   OK chroot mksquashfs chroot o -info -comp xz && OK chroot mksquashfs chroot o -comp xz -Xbcj x86 &&
   OK chroot mksquashfs chroot o -comp xz && rm o && (cd chroot && mksquashfs . ../o -no-progress -xattrs -comp xz) && SAME chroot o &&
   truncate -s 5M ext3 && cp chroot/lib/libc.so e && dd if=e of=ext3 conv=notrunc status=none && mkdir one && mv ext3 one &&
   mksquashfs one/ext3 o2 -comp gzip -no-progress && SAME one o2 --ignore mode,mtime,links'
need_root 'mounts'
see 'archiso, kiwi, osbuild' 0 \
  'OK r mksquashfs r o -noappend -comp xz -Xbcj x86 -b 1M -Xdict-size 1M -no-progress -quiet &&
   mkdir one && cp r/lib/libc.so one/airootfs.img && SOURCE_DATE_EPOCH=1600000000 mksquashfs one/airootfs.img o2 -noappend -comp xz -Xbcj x86 -b 1M -Xdict-size 1M &&
   SAME one o2 --ignore mode,mtime,links && OK r mksquashfs r o -noappend -b 1M -comp xz -Xbcj powerpc &&
   OK r mksquashfs r o -noappend -noI -noD -noF -noX && OK r mksquashfs r o -comp zstd &&
   mksquashfs r o3 -noappend -b 1M -comp xz -Xbcj x86 -wildcards -e "var/cache" swapfile && rm -r r/var/cache r/swapfile &&
   SAME r o3 --ignore mtime'
need_root 'mounts'
see 'NixOS: many sources' 0 \
  'mkdir -p store/aaa-x store/bbb-y want; cp -a r store/ccc-z; echo 1 >store/aaa-x/f; ln store/aaa-x/f store/bbb-y/g; echo reg >nix-path-registration
   SOURCE_DATE_EPOCH=1700000000 mksquashfs nix-path-registration $PWD/store/aaa-x $PWD/store/bbb-y $PWD/store/ccc-z o -no-hardlinks -keep-as-directory -all-root -b 1048576 -comp xz -Xdict-size 100% -processors 2 &&
   mksquashfs nix-path-registration store/aaa-x store/bbb-y store/ccc-z o2 -no-hardlinks -keep-as-directory -all-root -b 1048576 -comp zstd -Xcompression-level 6 -processors 2 &&
   cp -a store/* nix-path-registration want && SAME want o --ignore uid,gid,links,mode,mtime && SAME want o2 --ignore uid,gid,links,mode,mtime'
need_root 'mounts'
see 'Talos, genimage, ChromeOS, Android' 0 \
  'OKBUT uid,gid r mksquashfs r o -all-root -noappend -comp zstd -Xcompression-level 18 -no-progress &&
   OK r mksquashfs r o -b 65536 -noappend -comp lz4 &&
   OK r mksquashfs r o -b 65536 -noappend -comp gzip -noInodeCompression -noDataCompression -noFragmentCompression -noXattrCompression &&
   OK r mksquashfs r o && OK r mksquashfs r o -no-progress -comp lz4 -Xhc -no-exports -noappend -no-recovery -b 131072'
need_root 'mounts'
see 'libguestfs' 0 \
  'printf "tmp/*\n" >f; mksquashfs r o -noappend -root-becomes sysroot -wildcards -no-recovery -comp xz -ef f && fsck.squashfs -q o &&
   unsquashfs -l -d "" o | grep -qE "^(/sysroot)?/etc/passwd$"'
need_root 'mounts'
see 'scripts that make live images' 0 \
  'mksquashfs r o -comp xz -b 1M -Xdict-size 100% -noappend -no-duplicates -no-recovery -always-use-fragments -wildcards -e "var/cache/apt/archives/*" -e "root/*" -e "root/.*" -e "tmp/*" -e swapfile || exit
   rm -rf r/var/cache/apt/archives/* r/root/.bashrc r/swapfile; SAME r o --ignore mtime'
need_root 'mounts'
see 'charliecloud, julia, sqsh-tools' 0 \
  'OKBUT uid,gid,xattr r mksquashfs r o -all-root -noappend -no-exports -no-xattrs &&
   OKBUT uid,gid r mksquashfs r o -force-uid 0 -force-gid 0 -comp xz -b 1048576 -Xdict-size 100% -noappend &&
   OKBUT mtime r mksquashfs r o -mkfs-time 0 -all-time 0 -reproducible -processors 1 &&
   OKBUT uid,gid r mksquashfs r o -noI -noId -noD -noF -noX -nopad -force-uid 7 -force-gid 8 -Xcompression-level 1 -always-use-fragments -quiet'
need_root 'mounts'
see 'systemd: in a user name space, and onto a device' 0 \
  'OK r mksquashfs r o -noappend -quiet -comp zstd -Xcompression-level 3 || exit
   if unshare -r true 2>/dev/null; then SOURCE_DATE_EPOCH=1600000000 unshare -r "$MKSQUASHFS" d1 o2 -noappend >/dev/null && fsck.squashfs -q o2 || exit; fi
   truncate -s 8M disk; loop=$(losetup -f --show disk 2>/dev/null) || exit 0
   mksquashfs r "$loop" -noappend -quiet -comp zstd >/dev/null && SAME r "$loop"; s=$?; losetup -d "$loop"; exit $s'
need_root 'mounts'
see 'snapd' 0 \
  'printf "tmp/*\n" >x; rm -f o; (cd r && mksquashfs . "$OLDPWD/o" -noappend -comp xz -no-fragments -no-progress -wildcards -ef ../x -xattrs) && SAME r o &&
   (cd r && mksquashfs . "$OLDPWD/o" -noappend -comp lzo -no-fragments -no-progress -all-root -no-xattrs) && SAME r o --ignore uid,gid,xattr &&
   printf "/ d 755 0 0\nf f 644 0 0 echo hello\nd d 700 1 2\n" | mksquashfs - p1 -pf - -noappend -quiet -comp xz -no-fragments -no-duplicates -exports -no-xattrs -mkfs-time 5 &&
   printf "/ d 755 0 0\nf f 644 0 0 echo hello\nd d 700 1 2\n" | mksquashfs - p2 -pf - -noappend -quiet -comp xz -no-fragments -no-duplicates -exports -no-xattrs -mkfs-time 5 &&
   fsck.squashfs -q p1 && P p1 | grep -qx "d f" && TIME p1 | grep -qx 5'
need_root 'mounts'
see 'Apptainer' 0 \
  'OK r mksquashfs r o -noappend -mem 256M -processors 2 -comp gzip -quiet -percentage &&
   OKBUT uid,gid r mksquashfs r o -noappend -all-root && OK r mksquashfs r o -noappend -no-progress'
need_root 'mounts'
see 'AppImage: an image behind its runtime' 0 \
  'printf "swapfile\n" >.appimageignore; head -c 200000 /dev/urandom >runtime
   for c in "zstd -root-owned -noappend -b 128K" "xz -root-owned -noappend -Xdict-size 100% -b 16384" "gzip -root-owned -noappend"; do
     rm -f o; mksquashfs r o -offset 200000 -comp $c -wildcards -ef .appimageignore -mkfs-time 0 >/dev/null || exit
     dd if=runtime of=o conv=notrunc status=none && tail -c +200001 o >q && fsck.squashfs -q --offset 200000 o || exit
     cp -a r want; rm want/swapfile; SAME want q --ignore uid,gid,mtime || exit; rm -r want
   done
   mksquashfs r o2 -offset 4096 -fstime 99 -comp gzip -root-owned -noappend -b 1M && tail -c +4097 o2 >q && TIME q | grep -qx 99 && SAME r q --ignore uid,gid'
need_root 'mounts'
see 'RAUC, go-diskfs' 0 \
  'OK r mksquashfs r o -noappend -no-progress -quiet -comp xz -info -b 64k &&
   OKBUT uid,gid,xattr r mksquashfs r o -noappend -no-progress -all-root -no-xattrs -quiet &&
   (cd r && mksquashfs . ../f.sqs) && SAME r f.sqs && (cd r && mksquashfs . ../f2.sqs -noI -noD -noF) && SAME r f2.sqs &&
   (cd r && mksquashfs . ../f3.sqs -comp zstd -Xcompression-level 3 -b 4k -all-root) && SAME r f3.sqs --ignore uid,gid'
need_root 'mounts'
see 'LTP: thousands of files with attributes, onto a device' 0 \
  'mkdir data; for i in $(seq 2048); do echo $i >data/f$i; done; setfattr -n security.x -v y data/f* 2>/dev/null
   truncate -s 8M disk; loop=$(losetup -f --show disk 2>/dev/null) || exit 0
   mksquashfs data "$loop" -noappend -noI -noD -noX -noF >/dev/null && SAME data "$loop"; s=$?; losetup -d "$loop"; exit $s'
need_root 'mounts'
see 'sqfstar' 0 \
  'tar -C r --xattrs --xattrs-include="*" --sort=name -cf t.tar . && rm -r r/dev/sda1 && tar -C r -cf t2.tar etc lib
   sqfstar -comp zstd -Xcompression-level 19 -b 1M -processors 2 -p "dev d 755 0 0" -p "dev/console c 600 0 0 5 1" o <t.tar >/dev/null && fsck.squashfs -q o &&
   sqfstar -force -comp gzip o <t2.tar >/dev/null && fsck.squashfs -q o && sqfstar -quiet -no-progress -Xcompression-level 1 -Xstrategy fixed -mem 512M o2 <t.tar &&
   mkdir want && tar -C want --xattrs --xattrs-include="*" -xpf t.tar && SAME want o2 &&
   cat t.tar | sqfstar -comp xz -Xbcj arm -Xdict-size 100% -b 1M o3 >/dev/null && SAME want o3'
