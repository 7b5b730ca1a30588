#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034  # skip_next belongs to lib.sh
# Adding to an existing image. Images of other programs come from those that are installed.
source "$(dirname "$0")/lib.sh"

# ALL: mounts image o and compares it with a directory. PEER, GENSQUASHFS: other writers.
helpers='
ALL() { mkdir -p m; mount -o loop,ro${2:+,offset=$2} o m || return; diff -r --no-dereference "$1" m; local s=$?; umount m; return $s; }
PEER() { /usr/bin/mksquashfs "$@" -quiet -no-progress; }
UNTIL_CHANGED() { # waits until the superblock of image o is another one than that of o1
  for i in {1..2000}; do cmp -s -n 96 o o1 || return 0; sleep 0.005; done
}
BUSY() { # begins to add a file that takes long to image o; its process is $p
  head -c 30000000 /dev/urandom >big
  env --default-signal=INT "$MKSQUASHFS" big o -quiet -no-progress -processors 1 2>err & p=$!
}
'

run 'names that are taken get numbers' 0 'M d1 o; M d2 o 2>err; P o; cat err; fsck.squashfs o' <<'END'
a a_1 hard lnk sub sub/b zero
Source directory entry a already used! - trying a_1
END
run 'several of them, in the order of the sources' 0 'M d1 o; M d1/sub/b d2/a d1/a o 2>err; P o; cat err; fsck.squashfs o; unsquashfs -cat o a_1' <<'END'
a a_1 a_2 b hard lnk sub sub/b zero
Source directory entry a already used! - trying a_1
Source directory entry a already used! - trying a_2
a2
END
run '-keep-as-directory' 0 'M d1 o; M d2 o -keep-as-directory; P o; fsck.squashfs o' <<'END'
a d2 d2/a hard lnk sub sub/b zero
END
run '-root-becomes' 0 'M d1 o; M d2 o -root-becomes old; P o; fsck.squashfs o' <<'END'
a old old/a old/hard old/lnk old/sub old/sub/b old/zero
END
run '-root-becomes with a file' 0 'M d1 o; M f1 o -root-becomes old; LL o | cut -d " " -f 1,2,5- | sed "s/ *\$//"; fsck.squashfs o' <<'END'
drwxrwxrwx 0/0
-rw-r--r-- 0/0 /f1
drwxr-x--- 0/0 /old
-rw-r--r-- 0/0 /old/a
-rw-r--r-- 0/0 /old/hard
lrwxrwxrwx 0/0 /old/lnk -> a
drwxr-xr-x 0/0 /old/sub
-rw-r--r-- 0/0 /old/sub/b
-rw-r--r-- 0/0 /old/zero
END
run '-root-becomes and a source of that name' 0 'M d1 o; M d2/a o -root-becomes a 2>/dev/null; P o' <<'END'
a a/a a/hard a/lnk a/sub a/sub/b a/zero a_1
END
see '-root-becomes takes one name' 1 'M d1 o -root-becomes a/b' '-root-becomes takes one name'
run 'the root keeps mode and time when a file is added' 0 'M d1 o; M f1 o; LL o | head -n 1 | cut -d " " -f 1,2; MTIME o | head -n 1' <<'END'
drwxr-x--- 0/0
1970-01-01 00:16
END
run 'a directory gives it its own' 0 'M d1 o; M d2 o 2>/dev/null; LL o | head -n 1 | cut -d " " -f 1,2' <<'END'
drwxr-xr-x 0/0
END
run '-root-mode, -root-uid and -root-time change a kept root' 0 'M d1 o; M f1 o -root-mode 711 -root-uid 5 -root-gid 6 -root-time 60; unsquashfs -lln -d "" o | awk "{print \$1, \$2, \$5; exit}"' <<'END'
drwx--x--x 5/6 00:01
END
run '-all-root and -all-time leave old files alone' 0 'touch -d @120 d1/zero; M d1 o -force-uid 9; M f1 o -all-root -all-time 60; unsquashfs -lln -d "" o | awk "{print \$2, \$5, \$6}" | grep -E "zero|f1"' <<'END'
0/0 00:01 /f1
9/0 00:02 /zero
END
run 'settings of the image count, not those of the command line' 0 'M d1 o -comp xz -b 64K -no-exports; M f1 o -comp gzip -b 4k -exports; unsquashfs -s o | grep -E "^(Comp|Block|Filesystem is)"' <<'END'
Compression xz
Block size 65536
Filesystem is not exportable via NFS
END
see 'but values are checked' 1 'M d1 o; cp o o1; M f1 o -comp xz -Xdict-size 1M; s=$?; cmp o o1 && exit $s' 'Xdict-size'
run 'options of the compressor are kept' 0 'M d1 o -Xcompression-level 3; M d2 o 2>/dev/null; unsquashfs -s o | grep -E "level|strat" | TABS; fsck.squashfs o' <<'END'
>compression-level 3
END
run 'hard links of the image stay links' 0 'M d1 o; M f1 o; unsquashfs -q -n o >/dev/null; test squashfs-root/a -ef squashfs-root/hard && echo same' <<'END'
same
END
run 'content that is there is not stored again' 0 'head -c 300000 /dev/urandom >d1/big; cp d1/big d2/copy; M d1 o; a=$(SIZE o); M d2 o 2>/dev/null; echo $(($(SIZE o) - a))' <<'END'
0
END
run '-info tells of new files' 0 'M d1 o; mksquashfs f1 o -quiet -no-progress -info | grep -v "^directory / " | TABS' <<'END'
file /f1, uncompressed size 2 bytes~
END
run 'the report' 0 'M d1 o; mksquashfs f1 o -no-progress -processors 1 | sed -n "1,20p" | TABS' <<'END'
Found a valid exportable SQUASHFS superblock on o.
>Compression used gzip
>Inodes are compressed
>Data is compressed
>Fragments are compressed
>Xattrs are compressed
>Fragments are present in the filesystem
>Always-use-fragments option is not specified
>Duplicates are removed
>Xattrs are stored
>Filesystem size 0.31 Kbytes (0.00 Mbytes)
>Block size 131072
>Number of fragments 1
>Number of inodes 6
>Number of ids 1

Parallel mksquashfs: Using 1 processor
Scanning existing filesystem...
Read existing filesystem, 5 inodes scanned
Appending to existing 4.0 filesystem on o, block size 131072
END
run 'the summary is about the whole image' 0 'M d1 o; mksquashfs f1 o -no-progress | grep -E "^Number of (files|inodes|hard|dup|dir)"' <<'END'
Number of duplicate files found 0
Number of inodes 7
Number of files 4
Number of directories 2
Number of hard-links 1
END
run 'no recovery file is made, nor HOME needed' 0 'M d1 o; unset HOME; M f1 o; M d2 o -recovery-path /nowhere 2>/dev/null; M d2 o -no-recovery 2>/dev/null; P o; ls' <<'END'
a a_1 a_2 f1 hard lnk sub sub/b zero
d1
d2
f1
ld1
lf1
o
END

# --- what is no image

for what in 'echo garbage' ':' 'head -c 8192 /dev/zero' 'head -c 9000 /dev/urandom' 'printf sqsh' 'seq 1000'; do
  see "a file of \"$what\" is never overwritten" 1 "$what >o; cp o o1; M d1 o; s=\$?; cmp o o1 && exit \$s" \
    "^Can't find a SQUASHFS superblock on o .*-noappend"
done
see 'version 3' 1 'M d1 o; printf "\3" | dd of=o bs=1 seek=28 conv=notrunc 2>/dev/null; cp o o1; M d1 o; s=$?; cmp o o1 && exit $s' 'noappend'
see 'big endian' 1 'M d1 o; printf sqsh | dd of=o conv=notrunc 2>/dev/null; cp o o1; M d1 o; s=$?; cmp o o1 && exit $s' 'noappend'
see 'cut off' 1 'head -c 90000 /dev/urandom >d1/r; M d1 o; truncate -s 80000 o; cp o o1; M d1 o; s=$?; cmp o o1 && exit $s' 'is cut off.*noappend'
see 'a missing source' 1 'M d1 o; cp o o1; M nosuch o; s=$?; cmp o o1 && exit $s' '^Cannot stat source directory'
see 'an image that may not be written' 1 'M d1 o; chmod 444 o; [ "$(id -u)" != 0 ] || { echo cannot open; exit 1; }; M f1 o' 'cannot open'

# --- images of other programs, and what they make of ours

for compressor in gzip lzo lz4 xz zstd; do
  need_root 'a file system is mounted'
  [ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
  run "an image of squashfs-tools: $compressor" 0 "$helpers"'
    head -c 300000 /dev/urandom >d1/big; truncate -s 1M d1/sparse; mkfifo d1/fifo; seq 20000 >d1/seq; cp d1/big d2/copy
    seq 30000 >d2/seq2; cp -a d1 both; cp -a d2/. both/; cp d1/a both/a; cp d2/a both/a_1
    PEER d1 o -comp '$compressor' >/dev/null; M d2 o 2>/dev/null; rm both/fifo d1/fifo; mkfifo both/fifo
    mkdir m; mount -o loop,ro o m && { test -p m/fifo && rm both/fifo; diff -r --no-dereference both m | grep -v "Only in m: fifo"; umount m; }
    fsck.squashfs o; unsquashfs -l -d "" o | wc -l' <<'END'
14
END
done
[ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
run 'an image with all that squashfs-tools can choose' 0 "$helpers"'
  PEER d1 o -always-use-fragments -noI -noX -no-duplicates -b 16K >/dev/null; M d2 o 2>/dev/null
  fsck.squashfs o; P o; FLAGS o
  PEER d1 o -noappend -no-fragments -no-xattrs -noD >/dev/null; M d2 o 2>/dev/null; fsck.squashfs o; FLAGS o' <<'END'
a a_1 hard lnk sub sub/b zero
01a1
02d2
END
[ -x /usr/bin/gensquashfs ] || skip_next='squashfs-tools-ng is not installed'
run 'an image of squashfs-tools-ng' 0 'head -c 300000 /dev/urandom >d1/big; cp d1/big d2; gensquashfs -q -D d1 o; M d2 o 2>/dev/null; fsck.squashfs o; P o; unsquashfs -cat o big_1 | cmp - d1/big' <<'END'
a a_1 big big_1 hard lnk sub sub/b zero
END
[ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
run 'squashfs-tools adds to ours, and we to that' 0 "$helpers"'
  M d1 o; PEER f1 o -no-recovery >/dev/null; M d2 o 2>/dev/null; P o; fsck.squashfs o' <<'END'
a a_1 f1 hard lnk sub sub/b zero
END

# --- size and place

need_root 'a file system is mounted'
run 'fifty steps' 0 "$helpers"'
  mkdir -p steps all; for i in {1..50}; do seq $((i * 997)) $((i * 1500)) >steps/f$i; done
  M steps/f1 o; for i in {2..50}; do M steps/f$i o; done; touch -d @1000 steps
  fsck.squashfs o; ALL steps; M steps one; echo $(($(SIZE o) < $(SIZE one) * 12 / 10))' <<'END'
1
END
need_root 'a file system is mounted'
run '-offset, and what stands before it' 0 "$helpers"'
  printf "#!/bin/sh\n" >o; M d1 o -offset 4096 -noappend; M d2/a o -offset 4096 -keep-as-directory 2>/dev/null; head -n 1 o | tr -d "\0"
  fsck.squashfs -o 4096 o; cp d2/a d1/a_1; ALL d1 4096' <<'END'
#!/bin/sh
END
run '-nopad' 0 'M d1 o; M f1 o -nopad; test $(SIZE o) -lt 1024; fsck.squashfs -q o' <<'END'
END
need_root 'a loop device is made'
run 'a block device' 0 'truncate -s 4M disk; l=$(losetup -f --show disk) || exit; M d1 $l -noappend; M d2 $l 2>/dev/null; M f1 $l
  unsquashfs -l -d "" $l | paste -sd" "; fsck.squashfs $l 2>&1 | grep -c fatal; test -b $l; losetup -d $l' <<'END'
 /a /a_1 /f1 /hard /lnk /sub /sub/b /zero
0
END
need_root 'a loop device is made'
see 'a block device that holds something else' 1 'head -c 1M /dev/urandom >disk; cp disk disk1; l=$(losetup -f --show disk) || exit; M d1 $l; s=$?; losetup -d $l; cmp disk disk1 && exit $s' 'noappend'
need_root 'a loop device is made'
see 'a block device that is full' 1 'truncate -s 200K disk; l=$(losetup -f --show disk) || exit; M d1 $l -noappend; head -c 300000 /dev/urandom >big; M big $l; s=$?; fsck.squashfs -q $l || s=7; unsquashfs -l $l | grep -q zero || s=8; losetup -d $l; exit $s' 'No space left'

# --- interruptions

need_root 'a file system is mounted'
run 'kill -9' 0 "$helpers"'
  M d1 o; cp o o1; BUSY; UNTIL_CHANGED; kill -9 $p; wait $p 2>/dev/null; cmp -s o o1 || echo changed
  fsck.squashfs -q o; ALL d1; M f1 o; cp f1 d1; M d1 one; echo $(($(SIZE o) - $(SIZE one)))
  fsck.squashfs o; ALL d1' <<'END'
changed
0
END
for signal in INT TERM; do
  run "SIG$signal puts everything back" 0 "$helpers"'
    M d1 o; cp o o1; BUSY; UNTIL_CHANGED; kill -'$signal' $p; wait $p; echo $?; cmp o o1; cat err' <<'END'
1
interrupted by a signal
FATAL ERROR: nothing was added to o
END
done
need_root 'a file system is mounted'
run 'a full file system' 0 'mkdir t; mount -t tmpfs -o size=300k none t || exit
  M d1 t/o; cp t/o o1; head -c 3000000 /dev/urandom >big; M big t/o 2>err; echo $?; cmp t/o o1; ls t; umount t; grep -c "No space" err' <<'END'
1
o
1
END
see 'a limit on the size of files' 1 'M d1 o; cp o o1; head -c 3000000 /dev/urandom >big; (ulimit -f 100; trap "" XFSZ; exec "$MKSQUASHFS" big o -quiet); s=$?; cmp o o1 && exit $s' 'File too large'
run 'no limit is too small for what fits' 0 'M d1 o; (ulimit -f 100; trap "" XFSZ; exec "$MKSQUASHFS" f1 o -quiet); P o; fsck.squashfs -q o' <<'END'
a f1 hard lnk sub sub/b zero
END

# --- recovery files of squashfs-tools

break_it='
  head -c 40000000 /dev/urandom >big; M d1 o; cp o o1; mkdir rec
  PEER() { /usr/bin/mksquashfs big o -processors 1 -no-progress -recovery-path rec >/dev/null & p=$!; }
  PEER; for i in {1..4000}; do [ "$(head -c 4 o | tr -d "\0")" ] || [ $(SIZE o) -lt 200000 ] || break; sleep 0.002; done; kill -9 $p; wait $p 2>/dev/null
'
[ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
run '-recover' 0 "$break_it"'
  fsck.squashfs -q o >/dev/null; echo $?; mv rec/* r; mksquashfs - o -recover r; n=$(unsquashfs -s o | awk "/^Filesystem size/ {print \$3}"); cmp -n $n o o1; unsquashfs -cat o sub/b' <<'END'
4
Successfully wrote recovery file "r".  Exiting
b
END
[ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
see '-recover with a file that is cut off' 1 "$break_it"'
  head -c 200 rec/* >r; cp o o2; mksquashfs - o -recover r; s=$?; cmp o o2 && exit $s' 'appears to be truncated'
[ -x /usr/bin/mksquashfs ] || skip_next='squashfs-tools is not installed'
see '-recover with the file of another image' 1 "$break_it"'
  seq 9999 >d2/x; M d2 x -b 4K; cp x x1; mksquashfs - x -recover rec/*; s=$?; cmp x x1 && exit $s' 'was not made of x'
see '-recover with another file' 1 'M d1 o; mksquashfs - o -recover f1; s=$?; fsck.squashfs o && exit $s' 'is none of squashfs-tools'
see '-recover without an image' 1 'mksquashfs - o -recover f1; s=$?; [ ! -e o ] && exit $s' 'FATAL ERROR'
