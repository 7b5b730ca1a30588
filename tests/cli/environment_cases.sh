# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where the program is run: fakeroot, other users, name spaces, devices, full disks, moving sources.
. "$(dirname "$0")/lib.sh"

# SAME DIR IMAGE [WORD...]: the mounted image equals the directory, and the verifier finds nothing.
# NOBODY COMMAND...: as a user without rights, in a place that is his.
prelude=$prelude'
SAME() {
  local s=0
  fsck.squashfs -q "$2" || return 9
  mkdir -p "$CLI_WORK/mnt" && mount -o loop,ro "$2" "$CLI_WORK/mnt" || return 8
  python3 "$SQUASHKIT_SOURCE/tests/support/tree_compare.py" "${@:3}" "$1" "$CLI_WORK/mnt" >"$CLI_WORK/same" || s=7
  umount "$CLI_WORK/mnt"
  [ $s = 0 ] || cat "$CLI_WORK/same"
  return $s
}
NOBODY() { chmod 755 "$CLI_WORK" ../.. ..; chmod 777 .; [ "$(stat -c %a d1)" = 0 ] || chmod 755 d1; setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }
'
need() { # PROGRAM...: skips the next case where one is missing
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || skip_next=${skip_next:-there is no $program}
  done
}
need_root_and() { need_root 'mounts and users'; need "$@"; }
skip_with_address_sanitizer() { # it wants to be loaded before what fakeroot preloads
  [ "${VARIANT:-release}" != asan ] || skip_next=${skip_next:-fakeroot and the address sanitizer exclude each other}
}
need_loop() {
  need_root_and losetup mkfs.ext4
  [ -n "$skip_next" ] || losetup -f >/dev/null 2>&1 || skip_next='there is no loop device'
}
need_user_namespace() { need unshare; unshare -r true 2>/dev/null || skip_next='user name spaces are not allowed'; }

need_root_and fakeroot setpriv
skip_with_address_sanitizer
run 'under fakeroot: owners and devices that are not there' 0 \
  'NOBODY fakeroot bash -c "
     mkdir r; echo x >r/f; chown 12:34 r/f; chown 0:0 r; mkdir r/dev; mknod r/dev/console c 5 1
     mknod r/dev/sda b 8 0; chmod 640 r/f; \"$MKSQUASHFS\" r o -quiet -no-progress"; s=$?
   fsck.squashfs -q o && unsquashfs -lln -d "" o | sed -E "s/ *[0-9]+(, *[0-9]+)? [0-9-]+ [0-9:]+ ?/ /; s/ $//"; stat -c %u r/f; exit $s' <<'END'
drwxr-xr-x 0/0
drwxr-xr-x 0/0 /dev
crw-r--r-- 0/0 /dev/console
brw-r--r-- 0/0 /dev/sda
-rw-r----- 12/34 /f
65534
END
need_root_and setpriv
run 'as a user without rights' 0 \
  'NOBODY bash -c "cp -r d1/sub n; \"$MKSQUASHFS\" n o -quiet -no-progress"; SAME n o; stat -c "%u %a" o' <<'END'
65534 644
END
need_root_and setpriv
run 'what cannot be read is left out, or empty, and named' 0 \
  'chmod 0 d1/sub d1/a; NOBODY "$MKSQUASHFS" d1 o -quiet -no-progress; echo $?
   NOBODY "$MKSQUASHFS" d1 o2 -quiet -no-progress -exit-on-error; echo $?; test -e o2; echo $?
   chmod 0 d1; NOBODY "$MKSQUASHFS" d1 o3 -quiet -no-progress; echo $?; test -e o3; echo $?
   NOBODY "$MKSQUASHFS" d1 d2 o4 -quiet -no-progress; echo $?; P o4; P; fsck.squashfs -q o && fsck.squashfs -q o4' \
  'd1' <<'END'
0
1
1
1
1
0
d2 d2/a
a hard lnk zero
END
need_user_namespace
run 'in a user name space' 0 \
  'chmod 755 d1; unshare -r "$MKSQUASHFS" d1 o -quiet -no-progress; echo $?; fsck.squashfs -q o; LL | head -n 2' <<'END'
0
drwxr-xr-x 0/0 70
-rw-r--r-- 0/0 2  /a
END
need_loop
run 'onto a block device, twice' 0 \
  'truncate -s 4M disk; loop=$(losetup -f --show disk) || exit 77
   M d1 "$loop" -noappend && SAME d1 "$loop"; echo $?; M d2 "$loop" -noappend && SAME d2 "$loop"; echo $?
   M nosuch "$loop" -noappend 2>/dev/null; echo $?; test -b "$loop" && SAME d2 "$loop"; echo $?
   losetup -d "$loop"; SIZE disk' <<'END'
0
0
1
0
4194304
END
need_loop
see 'a block device that is too small' 1 \
  'truncate -s 64K disk; head -c 300000 /dev/urandom >d1/big; loop=$(losetup -f --show disk) || exit 77
   M d1 "$loop" -noappend; s=$?; losetup -d "$loop"; fsck.squashfs -q disk && exit 9; exit $s' 'FATAL ERROR'
need_loop
run 'onto another file system, which then is full' 0 \
  'truncate -s 8M disk; mkfs.ext4 -q disk; mkdir m; mount -o loop disk m; head -c 20000000 /dev/urandom >d2/big
   M d1 m/o; echo $?; SAME d1 m/o; echo $?; M d2 m/o -noappend; echo $?; SAME d1 m/o; echo $?; ls m; umount m' \
  'No space left' <<'END'
0
0
1
0
lost+found
o
END
run 'standard output closed, and full' 0 \
  'mksquashfs d1 o -noappend >&-; echo $?; mksquashfs d1 o2 >/dev/full; echo $?; mksquashfs d1 o3 -info -progress >/dev/full; echo $?
   fsck.squashfs -q o && fsck.squashfs -q o2 && cmp o o2 -i 12 && P o3' <<'END'
0
0
0
a hard lnk sub sub/b zero
END
run 'all standard streams closed' 0 'mksquashfs d1 o <&- >&- 2>&-; echo $?; fsck.squashfs -q o; P' <<'END'
0
a hard lnk sub sub/b zero
END
run 'a stream to a closed standard output' 0 \
  'mksquashfs d1 - -stream >&-; echo $?; mksquashfs -version >&-; echo $?; mksquashfs d1 - -stream >/dev/null; echo $?' \
  'standard output' <<'END'
1
1
0
END
need_root_and
run 'from a directory that cannot be written' 0 \
  'mkdir ro; mount --bind d1 ro; mount -o remount,bind,ro ro; (cd ro && M . ../o); s=$?; SAME ro o; t=$?; umount ro; echo $s $t' <<'END'
0 0
END
need_root_and python3
run 'names of any bytes' 0 \
  'mkdir w; python3 -c "
import os
for b in range(1, 256):
  if b != 47: open(b\"w/n\" + bytes([b]), \"w\").close()
for n in (b\"-e\", b\" \", b\"a b \", b\"...\", b\"\\\\\", b\"x\" * 255, b\"\\xff\\xfe\", b\"*\", b\"[a]\"): os.mkdir(b\"w/\" + n)
"; M w o; SAME w o; echo $?; find w -print0 | M - o2 -cpiostyle0; SAME w/.. o2 >/dev/null; mkdir p; mv w p; SAME p o2 --ignore mtime,mode; echo $?' <<'END'
0
0
END
run 'sources with dots and slashes' 0 \
  'for s in d1 d1/ d1// ./d1 d1/. d1/sub/.. "$PWD/d1/" d1/../d1; do M "$s" o -noappend; P; done | sort -u
   (cd d1/sub && M .. ../../o -noappend; M ../../d1/ ../../o2); P; P o2; M d2/ d1/sub/ f1 o3; P o3' <<'END'
a hard lnk sub sub/b zero
a hard lnk sub sub/b zero
a hard lnk sub sub/b zero
d2 d2/a f1 sub sub/b
END
need python3
run 'a tree deeper than any path can be long' 0 \
  'python3 -c "
import os
os.mkdir(\"deep\"); os.chdir(\"deep\")
for i in range(30):
  os.mkdir(\"%0200d\" % i); os.chdir(\"%0200d\" % i)
open(\"f\", \"w\").write(\"down here\"); os.symlink(\"f\", \"l\")
"; M deep o; echo $?; fsck.squashfs -q o; echo $?; unsquashfs -l -d "" o | tail -n 2 | sed "s,.*/,,"' <<'END'
0
0
f
l
END
# Files that appear, vanish, grow, shrink and are replaced while the image is made: each image is
# valid, and what stands still is in it.
run 'from a directory that is being changed' 0 \
  'mkdir -p t/still t/moving; for i in $(seq 300); do echo $i >t/still/$i; head -c 3000 /dev/urandom >t/moving/$i; done
   while test -e t; do
     for i in $(seq 300); do
       case $((i % 5)) in
         0) rm -f t/moving/$i ;;
         1) echo more >>t/moving/$i ;;
         2) : >t/moving/$i ;;
         3) ln -sf elsewhere t/moving/$i ;;
         4) rm -f t/moving/$i; mkdir t/moving/$i; echo new >t/moving/n$i ;;
       esac
       rm -rf t/moving/$(((i + 150) % 300)); echo again >t/moving/$(((i + 150) % 300))
     done
   done 2>/dev/null &
   for n in 1 2 3 4 5 6; do
     M t o -noappend 2>/dev/null || echo failed; fsck.squashfs -q o || echo bad
     unsquashfs -l -d "" o | grep -c "^/still/"
   done | sort | uniq -c | sed "s/^ *//"; mv t gone; wait' <<'END'
6 300
END
