# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Archives as sources: -tar, -zip, -layer and what goes with them.
. "$(dirname "$0")/lib.sh"

# S: sqfstar without its own output. MERGED: the image is clean and, mounted, equals a tree.
prelude+='
S() { "$SQFSTAR" -quiet -no-progress "$@"; }
MERGED() {
  mkdir m && mount -o loop,ro "$1" m || return
  python3 "$SQUASHKIT_SOURCE/tests/support/tree_compare.py" --ignore mtime "$2" m; local status=$?
  umount m && "$FSCK" "$1" && return $status
}
'

run 'sqfstar stores what tar writes' 0 'tar cf - d1 | S o; P' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
END
run '-tar does, too, and packs tails' 0 'tar cf - d1 | M - o -tar; P; FLAGS' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
00e0
END
run '-no-tailends goes before the default of -tar' 0 'tar cf - d1 | M - o -tar -no-tailends; FLAGS' <<'END'
00c0
END
run 'compressed archives are read' 0 \
  'for c in gzip xz zstd bzip2 lz4; do tar cf - d1/sub | $c -c | S -force o && P; done' <<'END'
d1 d1/sub d1/sub/b
d1 d1/sub d1/sub/b
d1 d1/sub d1/sub/b
d1 d1/sub d1/sub/b
d1 d1/sub d1/sub/b
END
run 'cpio is read' 0 'bsdtar --format newc -cf - d1/sub | S o; P' <<'END'
d1 d1/sub d1/sub/b
END
run 'an empty input is an empty root' 0 'S o; LL' <<'END'
drwxrwxrwx 0/0 3
END
run '-zip: names come byte for byte, also through standard input' 0 '
python3 -c "import zipfile
z = zipfile.ZipFile(\"z\", \"w\")
z.writestr(b\"e\xcc\x81/w\".decode(), \"x\")
z.close()"
M z o -zip; P | od -An -tx1; M - p -zip <z; cmp o p || P p' <<'END'
 65 cc 81 20 65 cc 81 2f 77 0a
END
run '-zip: archives are put one on the other, the last entry of a path wins' 0 '
for i in 1 2; do
  python3 -c "import sys, zipfile
z = zipfile.ZipFile(\"z\" + sys.argv[1], \"w\")
z.writestr(\"f\", sys.argv[1]); z.writestr(\"g\" + sys.argv[1], \"\"); z.close()" $i
done
M z1 z2 o -zip; P; unsquashfs -cat o f; echo' <<'END'
f g1 g2
2
END
run '-default-mode -default-uid -default-gid: directories without an entry' 0 \
  'tar cf - d1/sub/b | S -default-mode 711 -default-uid 3 -default-gid 4 o; LL' <<'END'
drwx--x--x 3/4 25
drwx--x--x 3/4 26  /d1
drwx--x--x 3/4 24  /d1/sub
-rw-r--r-- 0/0 2  /d1/sub/b
END
run '-ignore-zeros reads on behind the end of an archive' 0 \
  '(tar cf - d1/zero; tar cf - d2) >t; S o <t; P; S -force -ignore-zeros o <t; P' <<'END'
d1 d1/zero
d1 d1/zero d2 d2/a
END
run '-numeric-owner takes numbers' 0 \
  'tar cf - --owner=root:77 --group=root:88 f1 >t; S -numeric-owner o <t; LL; S -force o <t; LL' <<'END'
drwxrwxrwx 0/0 25
-rw-r--r-- 77/88 2  /f1
drwxrwxrwx 0/0 25
-rw-r--r-- 0/0 2  /f1
END
run 'words behind the image of sqfstar are excludes' 0 'tar cf - d1 d2 | S o d2 "d1/[az]*"; P' <<'END'
d1 d1/hard d1/lnk d1/sub d1/sub/b
END
run '-tar with -wildcards and excludes' 0 'tar cf - d1 | M - o -tar -wildcards -e d1/sub; P' <<'END'
d1 d1/a d1/hard d1/lnk d1/zero
END
see '-tar: excludes need -wildcards' 1 'tar cf - d1 | M - o -tar -e sub' '-wildcards or -regex must'
see '-tar: no sources beside it' 1 'M d1 o -tar' 'the source on the command line has to be "-"'
see '-tar and -zip' 1 'M - o -tar -zip' 'contradict each other'
see '-tar and -max-depth' 1 'M - o -tar -max-depth 1 </dev/null' 'contradict each other'
see 'nothing is added to an image' 1 'tar cf - d1 | S o; tar cf - d2 | S o' '-force'
see '-tar: nothing is added to an image' 1 'M d1 o; tar cf - d2 | M - o -tar' '-noappend'
run '-zip adds to an image' 0 '
python3 -c "import zipfile; zipfile.ZipFile(\"z\", \"w\").writestr(\"n/f\", \"x\")"
M d2 o; M z o -zip; P' <<'END'
a n n/f
END

# Bad input: an error, no image, and an older one as it was.
see 'garbage' 1 'echo junk | S o; s=$?; [ ! -e o ] && exit $s' 'standard input: Unrecognized archive format'
see 'a truncated archive leaves an older image alone' 1 '
M d1 o; cp o before; head -c 900000 /dev/urandom >big; tar cf - big | head -c 500000 | S -force o; s=$?
cmp o before && exit $s' 'standard input: Truncated'
see 'a truncated compressed archive' 1 \
  'head -c 90000 /dev/urandom >big; tar czf - big | head -c 50000 | S o; s=$?; [ ! -e o ] && exit $s' 'truncated'
see 'a path that leads out' 1 'tar cPf - --transform "s,^,x/../../," f1 | S o' 'x/../../f1: the path .* contains "..'
run 'an absolute path stays within the image' 0 'tar cPf - --transform "s,^,/../etc/," f1 | S o; P' <<'END'
etc etc/f1
END
see 'a sparse file of 10 TB' 1 'truncate -s 10T big; tar cSf - big | S o; s=$?; [ ! -e o ] && exit $s' \
  'big: it has 10995116277760 bytes, nearly all of them holes'
run 'a sparse file of 100 GB' 0 'truncate -s 100G big; echo end >>big; tar cSf - big | S o && unsquashfs -lln o | awk "/big/ { print \$3 }"' <<'END'
107374182404
END

# Layers.
layers='
mkdir -p l1/etc/sub l1/bin l1/gone l2/etc l2/bin l3/bin l3/etc
echo 1 >l1/etc/conf; echo 1 >l1/etc/sub/deep; echo tool >l1/bin/tool; ln l1/bin/tool l1/bin/alias; echo x >l1/gone/x
ln -s bin l1/sbin; chmod 700 l1/etc
echo 2 >l2/etc/conf; : >l2/etc/.wh.sub; : >l2/.wh.gone; : >l2/bin/.wh.tool; echo 2 >l2/etc/new; chmod 750 l2/etc
: >l3/bin/.wh..wh..opq; echo 3 >l3/bin/only; echo 3 >l3/etc/sub; chmod 711 l3/etc
chmod 755 l1 l2 l3
tar -C l1 -czf a.tar.gz .; tar -C l2 --format=gnu -cf - . | zstd -qc >b.tar.zst; bsdtar -C l3 --format pax -cf c.tar .
mkdir -p e/bin e/etc; echo 2 >e/etc/conf; echo 2 >e/etc/new; echo 3 >e/etc/sub; echo 3 >e/bin/only; ln -s bin e/sbin; chmod 711 e/etc
chmod 755 e e/bin
'
need_root 'mounting needs root'
run 'three layers with whiteouts are the merged tree' 0 "$layers
S o --layer a.tar.gz --layer b.tar.zst --layer c.tar && P && MERGED o e >/dev/null && echo equal" <<'END'
bin bin/only etc etc/conf etc/new etc/sub sbin
equal
END
run '-layer before the image, and with mksquashfs' 0 "$layers
S -layer a.tar.gz -layer b.tar.zst o; P
M - p -layer a.tar.gz -layer b.tar.zst; P p; S q -layer a.tar.gz --layer b.tar.zst bin; P q" <<'END'
bin bin/alias etc etc/conf etc/new sbin
bin bin/alias etc etc/conf etc/new sbin
etc etc/conf etc/new sbin
END
see '-layer: a layer that is missing' 1 'S o -layer nowhere.tar; s=$?; [ ! -e o ] && exit $s' 'nowhere.tar'
see 'a signal while the archive stands still' 1 'sleep 5 | { "$SQFSTAR" -quiet -no-progress o <&0 & p=$!; sleep 0.5; kill -TERM $p; wait $p; s=$?; [ ! -e o ] && exit $s; }' 'interrupted'
