#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Archives as sources. That each format of each tar program comes out right is tests/kernel/archives.sh.
# shellcheck disable=SC2034  # skip_next belongs to lib.sh
source "$(dirname "$0")/lib.sh"

# S: sqfstar without its own output. ROOT: how the image o is seen through the kernel, against a directory.
helpers='
S() { sqfstar -quiet -no-progress "$@"; }
ALL() { mkdir -p m; mount -o loop,ro o m || return; diff -r --no-dereference "$1" m; local s=$?; umount m; return $s; }
'

run 'sqfstar, and -tar' 0 "$helpers"'tar cf t d1; S o <t; P; fsck.squashfs o; FLAGS; M - o2 -tar <t; P o2; fsck.squashfs o2; FLAGS o2' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
0060
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
00e0
END
run 'compressed archives' 0 "$helpers"'tar cf t d1; gzip <t >t.gz; xz <t >t.xz; for t in t.gz t.xz; do S -force o <$t; P; done; fsck.squashfs o' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
END
run 'the same image as of an uncompressed one' 0 "$helpers"'tar cf t d1; gzip <t >t.gz; S -mkfs-time 0 o <t; S -mkfs-time 0 -processors 1 o2 <t.gz; cmp o o2' <<'END'
END
run '-zip' 0 "$helpers"'python3 -c "import zipfile as z; a = z.ZipFile(\"a.zip\", \"w\"); a.writestr(\"d1/a\", \"y\"); a.writestr(\"q/w\", \"x\\n\"); a.close()"; M a.zip o -zip; P; fsck.squashfs o; unsquashfs -cat o q/w' <<'END'
d1 d1/a q q/w
x
END
run 'excludes' 0 "$helpers"'tar cf t d1 d2; S o d2 "d1/[az]*" <t; P; S -force -regex o "^d" "^a$" <t; M - o2 -tar -wildcards -e d1/sub <t; P o2' <<'END'
d1 d1/hard d1/lnk d1/sub d1/sub/b
d1 d1/a d1/hard d1/lnk d1/zero d2 d2/a
END
see 'without -wildcards they could be of the host' 1 'tar cf t d1; mksquashfs - o -tar -e sub <t' 'wildcards'
run '-default-mode, -default-uid, -default-gid' 0 "$helpers"'tar cf t --owner=0 --group=0 d1/sub/b; S -default-mode 711 -default-uid 3 -default-gid 4 o <t; LL | cut -d " " -f 1,2,5' <<'END'
drwx--x--x 3/4
drwx--x--x 3/4 /d1
drwx--x--x 3/4 /d1/sub
-rw-r--r-- 0/0 /d1/sub/b
END
run '-ignore-zeros' 0 "$helpers"'(tar cf - d1/a; tar cf - d2) >t; S o <t; P; S -force -ignore-zeros o <t; P' <<'END'
d1 d1/a
d1 d1/a d2 d2/a
END
run '-numeric-owner' 0 "$helpers"'tar cf t --owner=daemon:77 --group=daemon:78 f1; S o <t; S -numeric-owner o2 <t; LL o | tail -n 1 | cut -d " " -f 2; LL o2 | tail -n 1 | cut -d " " -f 2' <<'END'
1/1
77/78
END
run 'the root has an entry' 0 "$helpers"'chmod 710 d1; tar cf t -C d1 .; S o <t; LL | head -n 1 | cut -c 1-10; P' <<'END'
drwx--x---
a hard lnk sub sub/b zero
END
run 'the last of two entries of one path' 0 "$helpers"'tar cf t f1; echo new >f1; tar rf t f1; S o <t; unsquashfs -cat o f1' <<'END'
new
END
run 'nothing at all' 0 "$helpers"'S o </dev/null; fsck.squashfs o; LL | cut -c 1-10' <<'END'
drwxrwxrwx
END

layers='
mkdir -p l1/d/old l1/e l2/d l2/e l3/d; echo 1 >l1/a; echo 1 >l1/d/x; echo 1 >l1/d/old/f; echo 1 >l1/e/gone; echo 1 >l1/e/kept
echo 2 >l2/d/new; : >l2/d/.wh..wh..opq; : >l2/e/.wh.gone; echo 2 >l2/b; echo 3 >l3/a; : >l3/.wh.b; echo 3 >l3/d/top
for l in 1 2 3; do tar cf l$l.tar -C l$l .; done; gzip l2.tar
mkdir -p want/d want/e; echo 3 >want/a; echo 2 >want/d/new; echo 3 >want/d/top; echo 1 >want/e/kept
'
need_root 'an image is mounted'
run 'three layers with whiteouts: sqfstar' 0 "$helpers$layers"'S o --layer l1.tar --layer l2.tar.gz --layer l3.tar; fsck.squashfs o && ALL want' <<'END'
END
need_root 'an image is mounted'
run 'three layers with whiteouts: mksquashfs' 0 "$helpers$layers"'M - o -layer l1.tar -layer l2.tar.gz -layer l3.tar; fsck.squashfs o && ALL want' <<'END'
END

# --- what is wrong

see 'a truncated archive' 1 "$helpers"'head -c 100000 /dev/urandom >big; tar cf t big; echo keep >o; head -c 50000 t | S -force o; s=$?; grep -q keep o && exit $s' 'standard input: '
see 'no archive' 1 "$helpers"'echo junk | S o; s=$?; [ ! -e o ] && exit $s' 'standard input: '
see 'a damaged compressed archive' 1 "$helpers"'tar czf t d1; head -c 100 t | S o; s=$?; [ ! -e o ] && exit $s' 'standard input: '
see 'a path that leads out' 1 "$helpers"'tar cf t --transform "s,d2,x/../..,"  d2 2>/dev/null; S o <t; s=$?; [ ! -e o ] && exit $s' '\.\.'
see 'sources beside -tar' 1 'tar cf t d1; mksquashfs d1 o -tar <t' 'standard input|"-"'
see 'an existing image' 1 "$helpers"'tar cf t d1; S o <t; S o <t' '-force'
see 'an existing image and -tar' 1 "$helpers"'tar cf t d1; S o <t; M - o -tar <t' '-noappend'
see 'no actions' 1 'tar cf t d1; mksquashfs - o -tar -action "exclude@true" <t' 'action'
see 'no -sort' 1 'tar cf t d1; echo "a 1" >s; mksquashfs - o -tar -sort s <t' 'sort'
see 'a layer that is missing' 1 "$helpers"'S o --layer nosuch.tar' 'nosuch.tar'
see 'a signal while the archive stands still' 1 "$helpers"'sleep 5 | { "$SQFSTAR" -quiet -no-progress o <&0 & p=$!; sleep 0.5; kill -TERM $p; wait $p; s=$?; [ ! -e o ] && exit $s; }' 'interrupted'
