# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The order of the data.
. "$(dirname "$0")/lib.sh"

ORDER='
  rm -f d1/hard; for f in d1/a d1/sub/b d1/zero; do echo $f >$f; done
  ORDER() { M "$@" -info | sed -n "s/^file \([^,]*\),.*/\1/p" | paste -sd" "; }
'
run 'high ones first, and sources are shown' 0 "$ORDER"'printf "zero 10\na -5\n" >l; ORDER d1 o -sort l' <<'END'
d1/zero d1/sub/b d1/a
END
run 'without a sort file the order is that of the paths' 0 "$ORDER"'ORDER d1 o' <<'END'
/a /sub/b /zero
END
run 'the data is where the order says' 0 "$ORDER"'
  printf "zero 10\na -5\n" >l; M d1 o -sort l -noD -no-fragments; fsck.squashfs -q o
  dd if=o bs=1 skip=96 count=22 status=none' <<'END'
d1/zero
d1/sub/b
d1/a
END
run 'a directory hands its priority down' 0 "$ORDER"'
  mkdir d1/sub/deep; echo c >d1/sub/deep/c; echo d >d1/sub/deep/d; printf "sub 5\nsub/deep/d 7\n" >l; ORDER d1 o -sort l' <<'END'
d1/sub/deep/d d1/sub/b d1/sub/deep/c d1/a d1/zero
END
run 'a star at the end, comments, blanks and escapes' 0 "$ORDER"'
  echo x >"d1/x y"; printf "# order\n\n  sub/* 5 \nx\\\\ y\t6\n" >l; ORDER d1 o -sort l' <<'END'
d1/x y d1/sub/b d1/a d1/zero
END
run 'paths on the host' 0 "$ORDER"'printf "./d1/zero 3\n$PWD/d1/sub 2\n" >l; ORDER d1 o -sort l' <<'END'
d1/zero d1/sub/b d1/a
END
run 'several sources' 0 "$ORDER"'echo y >d2/y; printf "y 3\nsub/b 2\n./d2/a 1\n" >l; ORDER d1 d2 o -sort l' <<'END'
d2/y d1/sub/b d2/a d1/a d1/zero
END
run 'several files, of which the last one counts' 0 "$ORDER"'echo "a -1" >l; printf "zero 2\na 3\n" >m; ORDER d1 o -sort l -sort m' <<'END'
d1/a d1/zero d1/sub/b
END
run 'names from the working directory, as mkisofs has them' 0 "$ORDER"'printf "d1/zero 3\nd1/sub/b 2\n" >l; ORDER d1 o -sort l' 'mkisofs' <<'END'
d1/zero d1/sub/b d1/a
END
run 'the extremes' 0 "$ORDER"'printf "zero 32767\na -32768\n" >l; ORDER d1 o -sort l' <<'END'
d1/zero d1/sub/b d1/a
END
run 'a missing name is reported' 0 'echo "nosuch 1" >l; M d1 o -sort l; P' 'line 1: there is no file nosuch' <<'END'
a hard lnk sub sub/b zero
END
BAD='BAD() { printf "$1\n" >l; shift; M "$@" o -sort l; s=$?; ls o 2>/dev/null; exit $s; }
'
see 'a name that several sources have' 1 "$BAD"'BAD "a 1" d1 d2' 'line 1: ambiguous name a'
see 'a priority that is too great' 1 "$BAD"'BAD "zero 1\na 32768" d1' 'Sort file "l", line 2: the priority of a is outside'
see 'a priority that is missing' 1 "$BAD"'BAD "a" d1' 'line 1: no priority'
see 'something behind the priority' 1 "$BAD"'BAD "a 1 x" d1' 'line 1: something follows'
see 'a priority that is no number' 1 "$BAD"'BAD "a b 1" d1' 'is no number'
see 'a missing sort file' 1 'M d1 o -sort nofile; s=$?; ls o 2>/dev/null; exit $s' 'Failed to open nofile|Failed to open "nofile"'
