# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What becomes of sources, and what stands at the root.
. "$(dirname "$0")/lib.sh"

run 'one directory becomes the root, with its own mode' 0 'M d1 o; LL' <<'END'
drwxr-x--- 0/0 70
-rw-r--r-- 0/0 2  /a
-rw-r--r-- 0/0 2  /hard
lrwxrwxrwx 0/0 1  /lnk -> a
drwxr-xr-x 0/0 24  /sub
-rw-r--r-- 0/0 2  /sub/b
-rw-r--r-- 0/0 0  /zero
END
run 'a file gets a made-up root' 0 'M f1 o; LL' <<'END'
drwxrwxrwx 0/0 25
-rw-r--r-- 0/0 2  /f1
END
run 'several sources stand side by side' 0 'M d1 d2 o; P' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero d2 d2/a
END
run 'names are found lexically' 0 'M d2/.. f1 o -e d1; P' <<'END'
c c/d2 c/d2/a c/f1 c/ld1 c/lf1 f1
END
run '-keep-as-directory' 0 'M d2 o -keep-as-directory; P' <<'END'
d2 d2/a
END
run 'a name that is taken gets a number' 0 'M f1 f1 f1 o; P' 'already used' <<'END'
f1 f1_1 f1_2
END
run 'a symbolic link is stored as one' 0 'M ld1 o; P' <<'END'
ld1
END
run 'the image leaves itself out' 0 'M d1 d1/img; P d1/img' <<'END'
a hard lnk sub sub/b zero
END
run 'an image may be called -' 0 'M d2 -; P ./-' <<'END'
a
END
see 'a missing source' 1 'M d1 nosuch o' 'Cannot stat source directory "nosuch" because No such file'
see 'a missing source leaves nothing' 0 'M d1 nosuch o 2>/dev/null; test ! -e o'
see 'a missing directory of the image' 1 'M d1 nodir/o' 'Could not create destination file'
need_root 'users are switched'
see 'an unreadable directory is left out, an unreadable file is empty' 0 \
  'chmod 0 d1/sub d1/a; chmod 755 ../.. .. . d1; chmod 777 .
   setpriv --reuid 65534 --regid 65534 --clear-groups "$MKSQUASHFS" d1 o -quiet -no-progress
   s=$?; P; exit $s' 'Could not open d1/sub, skipping'
need_root 'users are switched'
see '-exit-on-error turns that into a failure' 1 \
  'chmod 0 d1/a; chmod 755 ../.. .. d1; chmod 777 .
   setpriv --reuid 65534 --regid 65534 --clear-groups "$MKSQUASHFS" d1 o -quiet -exit-on-error' 'd1/a'

# Whole paths.
run '-tarstyle keeps the path, without ../' 0 'M ../c/d1/sub/b o -tarstyle; P' <<'END'
c c/d1 c/d1/sub c/d1/sub/b
END
run '-no-strip: directories on the way have their own attributes, the root those of the one they share' 0 \
  'chmod 711 .; M ld1/a o -no-strip; LL' <<'END'
drwx--x--x 0/0 26
drwxr-x--- 0/0 24  /ld1
-rw-r--r-- 0/0 2  /ld1/a
END
run '-tarstyle: no root is shared' 0 'M d2 "$PWD/f1" o -tarstyle; LL | head -n 1 | cut -c1-10; P | tr " " "\n" | grep -cE "^(d2/a|$(pwd | cut -c2-)/f1)$"' <<'END'
drwxrwxrwx
2
END
run '-tarstyle: nested sources in any order, and one twice' 0 \
  'M ./d1/sub/b d1 d1/sub d1/a d1 o -tarstyle; P; M d1/a d1/a o2 -tarstyle; P o2' <<'END'
d1 d1/a d1/hard d1/lnk d1/sub d1/sub/b d1/zero
d1 d1/a
END
run '-tarstyle with excludes and -max-depth' 0 \
  'M d1/sub d1/a o -tarstyle -wildcards -e d1/sub/b; P; M d1/sub/b d1/a d2 o2 -tarstyle -max-depth 1; P o2
   M d1/sub d1/a o3 -tarstyle -e ./d1/sub; P o3' <<'END'
d1 d1/a d1/sub
d1 d2
d1 d1/a
END
see '-tarstyle: dots behind a name' 1 'M d1/../f1 o -tarstyle' '"\.\." behind a name'
see '-tarstyle: nothing to store' 1 'M . o -tarstyle' 'no name to be stored under'
see '-tarstyle: a file on the way' 1 'M f1/x o -tarstyle' 'f1 is not a directory|because Not a directory'
see '-tarstyle: two files for one path' 1 'echo q >../f1; M f1 ../f1 o -tarstyle; s=$?; test ! -e o && exit $s' 'Two different sources'
run '-cpiostyle stores what is listed and nothing else' 0 \
  'printf ".\nd1/a\n\nd2\n./d1/sub/b" | M - o -cpiostyle; P' <<'END'
d1 d1/a d1/sub d1/sub/b d2
END
run '-cpiostyle0 takes any name' 0 \
  'touch "d2/new
line"; find d2 -print0 | M - o -cpiostyle0; unsquashfs -l -d "" o | tail -n 2' <<'END'
/d2/new
line
END
run '-cpiostyle of nothing' 0 'printf "" | M - o -cpiostyle; LL' <<'END'
drwxrwxrwx 0/0 3
END
run '-cpiostyle with an exclude' 0 'find . | M - o -cpiostyle -e d1/sub d2; P' <<'END'
d1 d1/a d1/hard d1/lnk d1/zero f1 ld1 lf1
END
see '-cpiostyle: a missing file' 1 'printf "d1/a\nnosuch\n" | M - o -cpiostyle; s=$?; test ! -e o && exit $s' 'nosuch.* because No such file'
see '-cpiostyle: sources beside it' 1 'printf "d1/a\n" | M d1 o -cpiostyle' '"-" has to stand for them'
see '-cpiostyle and -cpiostyle0' 1 'M - o -cpiostyle -cpiostyle0' 'read once only'
see '-cpiostyle: a byte 0' 1 'printf "d1\0d2\0" | M - o -cpiostyle' '-cpiostyle0'

# What symbolic links lead to.
run '-dereference follows a source' 0 'M ld1 o -dereference; LL' <<'END'
drwxr-x--- 0/0 70
-rw-r--r-- 0/0 2  /a
-rw-r--r-- 0/0 2  /hard
-rw-r--r-- 0/0 2  /lnk
drwxr-xr-x 0/0 24  /sub
-rw-r--r-- 0/0 2  /sub/b
-rw-r--r-- 0/0 0  /zero
END
run '-dereference leaves out what leads nowhere or back' 0 \
  'ln -s nowhere d1/dang; ln -s . d1/loop; ln -s self d1/self; M d1 o -dereference; P' \
  'Cannot dereference d1/dang .*leaving it out' <<'END'
a hard lnk sub sub/b zero
END
run '-deref keep keeps it, -deref delete does not' 0 \
  'ln -s nowhere d1/dang; ln -s . d1/sub/loop; M d1 o -deref keep; P; M d1 o2 -deref delete; P o2' \
  'd1/dang .*keeping the symbolic link' <<'END'
a dang hard lnk sub sub/b sub/loop zero
a hard lnk sub sub/b zero
END
run '-deref-path follows what it names' 0 'ln -s ../f1 d1/x; M d1 o -deref-path /x -deref-path "ln?"; LL | grep -E "x$|lnk"' <<'END'
-rw-r--r-- 0/0 2  /lnk
-rw-r--r-- 0/0 2  /x
END
run '-dereference: a name of the same file is a link of it' 0 \
  'M d1 o -dereference; unsquashfs -q -n -d u o; stat -c %h u/a u/lnk u/hard | paste -sd" "' <<'END'
3 3 3
END
see '-dereference: a source that leads nowhere' 1 'ln -s nowhere dang; M dang d1 o -dereference; s=$?; test ! -e o && exit $s' 'dang'
see '-deref takes two words' 1 'M d1 o -deref perhaps' 'keep or delete'
need_root 'mounts and attributes'
run '-dereference equals what cp -L copies' 0 \
  'mkdir -p s/d/e ext/x; echo f >s/d/f; ln -s ../d/f s/d/lf; ln -s d s/ld; ln -s ../ext s/le; echo E >ext/x/y
   ln -s "$PWD/ext/x/y" s/abs; setfattr -n user.k -v v ext/x/y; setfattr -n user.k -v w s/d/f
   M s o -dereference; cp -RL --preserve=mode,ownership,timestamps,xattr s cp; mkdir m; mount o m
   python3 "$SQUASHKIT_SOURCE/tests/support/tree_compare.py" --ignore links cp m; s=$?; umount m; exit $s' <<'END'
13 entries, 0 differences
END

# Depth and file systems.
run '-max-depth' 0 'for n in 0 1 2; do M d1 o$n -max-depth $n; P o$n; M d1 d2 q$n -max-depth $n; P q$n; done' <<'END'


a hard lnk sub zero
d1 d2
a hard lnk sub sub/b zero
d1 d1/a d1/hard d1/lnk d1/sub d1/zero d2 d2/a
END
need_root 'mounts'
run '-one-file-system and -one-file-system-x, with several sources and bind mounts' 0 \
  'mkdir d1/mnt d1/bind; mount -t tmpfs none d1/mnt; mkdir d1/mnt/in; : >d1/mnt/x; mount --bind d1/mnt/in d1/bind
   : >d1/file; mount --bind d1/mnt/x d1/file
   M d1 o -one-file-system; M d1 o2 -one-file-system-x; M d1/mnt d2 o3 -one-file-system
   umount d1/file d1/bind d1/mnt; P; P o2; P o3' 'd1/mnt is on another file system' <<'END'
a bind hard lnk mnt sub sub/b zero
a hard lnk sub sub/b zero
d2 d2/a mnt mnt/in mnt/x
END
