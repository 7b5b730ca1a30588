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
