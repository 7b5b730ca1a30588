# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is left out.
. "$(dirname "$0")/lib.sh"

run '-e names a directory' 0 'M d1 o -e sub; P' <<'END'
a hard lnk zero
END
run 'an exact exclude takes all hard links' 0 'M d1 o -e sub/b a; P' <<'END'
lnk sub zero
END
run 'a path from the working directory' 0 'M d1 o -e ./d1/sub; P' <<'END'
a hard lnk zero
END
run 'a missing path is reported and ignored' 0 'M d1 o -e ./nosuch; P' 'Cannot stat exclude dir/file ./nosuch' <<'END'
a hard lnk sub sub/b zero
END
run '-wildcards, and a second -e is harmless' 0 'M d1 o -wildcards -e sub -e "ha*" -e zero; P' <<'END'
a lnk
END
run 'a pattern at any depth' 0 'M d1 o -wildcards -e "... [ab]"; P' <<'END'
hard lnk sub zero
END
run 'an extended pattern' 0 'M d1 o -wildcards -e "!(l*)"; P' <<'END'
lnk
END
run 'a leading dot is protected' 0 'echo h >d1/.hid; M d1 o -wildcards -e "*"; P' <<'END'
.hid
END
see 'patterns begin at the root' 1 'M d1 o -wildcards -e /sub; s=$?; ls o; exit $s' '/sub'
run '-regex matches anywhere in a component' 0 'M d1 o -regex -e a; P' <<'END'
lnk sub sub/b zero
END
see 'a wrong expression' 1 'M d1 o -regex -e "("'
run '-ef and -e add up' 0 'printf "# c\nzero\n" >x; M d1 o -ef x -e sub; P' <<'END'
a hard lnk
END
run '-ef reads a pipe' 0 'M d1 o -ef <(printf "zero\nsub\n"); P' <<'END'
a hard lnk
END
see 'a missing -ef file' 1 'M d1 o -ef nofile' 'Failed to open nofile|Failed to open "nofile"'
run '-max-depth' 0 'M d1 o -max-depth 1; P' <<'END'
a hard lnk sub zero
END
run 'options behind -e are named' 0 'M d1 o -e sub -comp zstd; unsquashfs -s o | grep ^Comp' 'behind -e are excludes, not options: -comp' <<'END'
Compression gzip
END
see '-e needs an exclude' 1 'M d1 o -e' '-e needs a value'
need_root 'a file system is mounted'
run '-one-file-system and -one-file-system-x' 0 '
  mkdir d1/mnt; mount -t tmpfs none d1/mnt || exit; : >d1/mnt/x
  M d1 o -one-file-system -wildcards -e "[ahlsz]*" 2>/dev/null
  M d1 o2 -one-file-system-x -wildcards -e "[ahlsz]*" 2>/dev/null
  umount d1/mnt; P o; P o2' <<'END'
mnt

END
