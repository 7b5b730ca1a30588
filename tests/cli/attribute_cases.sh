# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Owners, modes, times, extended attributes.
. "$(dirname "$0")/lib.sh"

need_root 'owners are changed'
run '-all-root' 0 'chown -R 5:6 d2; M d2 o -all-root; LL' <<'END'
drwxr-xr-x 0/0 24
-rw-r--r-- 0/0 3  /a
END
run '-root-owned is the same, and the last one counts' 0 'M d2 o -force-uid 7 -root-owned -force-gid daemon; LL' <<'END'
drwxr-xr-x 0/1 24
-rw-r--r-- 0/1 3  /a
END
run '-root-uid and -root-gid' 0 'M d2 o -root-uid 8 -root-gid 9; LL' <<'END'
drwxr-xr-x 8/9 24
-rw-r--r-- 0/0 3  /a
END
run '-uid-gid-offset' 0 'M d2 o -force-uid 5 -force-gid 6 -uid-gid-offset 100; LL' <<'END'
drwxr-xr-x 105/106 24
-rw-r--r-- 105/106 3  /a
END
run '-force-file-mode changes what each file has' 0 'M d2 o -force-file-mode go-w,u+x; LL' <<'END'
drwxr-xr-x 0/0 24
-rwxr--r-- 0/0 3  /a
END
run '-force-dir-mode goes before -root-mode' 0 'M d2 o -force-dir-mode 700 -root-mode 755; LL | head -n 1' <<'END'
drwx------ 0/0 24
END
run '-root-mode in letters' 0 'M d2 o -root-mode u=rwx,go=; LL | head -n 1' <<'END'
drwx------ 0/0 24
END
see 'a wrong mode' 1 'M d2 o -root-mode 8888' '-root-mode'
see 'an id out of range' 1 'M d2 o -force-uid 4294967296' '-force-uid takes an id from 0 to 4294967295'

run '-mkfs-time and -all-time' 0 'M d2 o -mkfs-time 5 -all-time 12345; TIME; MTIME' <<'END'
5
1970-01-01 03:25
1970-01-01 03:25 /a
END
run '-fstime and -inode-time, and a date' 0 'M d2 o -fstime 6 -inode-time "2001-02-03 04:05:06 UTC"; TIME; MTIME | head -n 1' <<'END'
6
2001-02-03 04:05
END
run 'inode: the time of the newest file' 0 'touch -d @5000 d2/a; M d2 o -mkfs-time inode; TIME' <<'END'
5000
END
run '-root-time' 0 'M d2 o -root-time 86400; MTIME' <<'END'
1970-01-02 00:00
1970-01-01 00:16 /a
END
run '-repro and -repro-time' 0 'M d2 o -repro; TIME; M d2 o -noappend -repro-time 42; TIME' <<'END'
1000
42
END
see '-repro against -repro-time' 1 'M d2 o -repro -repro-time 4' 'contradict'
run 'the same image whenever it is made' 0 '
  M d1 o -repro; sleep 1.1; M d1 o2 -repro -reproducible -not-reproducible -processors 1; cmp o o2' <<'END'
END
run 'SOURCE_DATE_EPOCH' 0 'SOURCE_DATE_EPOCH=500 M d2 o; TIME; MTIME' <<'END'
500
1970-01-01 00:08
1970-01-01 00:08 /a
END
run 'the command line wins over it' 0 'SOURCE_DATE_EPOCH=500 M d2 o -mkfs-time 7 -all-time 86400; TIME; MTIME' <<'END'
7
1970-01-02 00:00
1970-01-02 00:00 /a
END
run 'a wrong one leaves the old image' 0 'echo keep >o; SOURCE_DATE_EPOCH=abc M d2 o -noappend; cat o' 'SOURCE_DATE_EPOCH' <<'END'
keep
END
see 'a wrong time' 1 'M d2 o -mkfs-time garbage' '-mkfs-time'
see 'a negative time' 1 'M d2 o -mkfs-time -1' '-mkfs-time'

attributes='for n in "" /a /sub /zero /lnk; do :; done; mkdir x; unsquashfs -no-progress -f -d x o >/dev/null 2>&1
  cd x; getfattr -hd -m - . a lnk 2>/dev/null | grep -v "^$" | paste -sd" "'
need_root 'trusted attributes are set'
run '-xattrs-exclude' 0 "setfattr -n user.foo -v 1 d1/a; setfattr -n trusted.t -v 2 d1/a; M d1 o -xattrs-exclude '^user.'; $attributes" <<'END'
# file: a trusted.t="2"
END
need_root 'trusted attributes are set'
run '-xattrs-include' 0 "setfattr -n user.foo -v 1 d1/a; setfattr -n trusted.t -v 2 d1/a; M d1 o -xattrs-include '^user.'; $attributes" <<'END'
# file: a user.foo="1"
END
need_root 'trusted attributes are set'
run '-xattrs-add: user. goes to files and directories' 0 "M d1 o -xattrs-add user.k=v -xattrs-add trusted.l=0x4142; $attributes" <<'END'
# file: . trusted.l="AB" user.k="v" # file: a trusted.l="AB" user.k="v" # file: lnk trusted.l="AB"
END
run '-no-xattrs and -xattrs' 0 'M d1 o -no-xattrs; FLAGS; M d1 o -noappend -no-xattrs -xattrs; FLAGS' <<'END'
02c0
00c0
END
see '-no-xattrs against -xattrs-add' 1 'M d1 o -xattrs-add user.k=v -no-xattrs' '-no-xattrs contradicts'
see 'an unknown prefix' 1 'M d1 o -xattrs-add foo.k=v' 'has to begin with user'
see 'a wrong expression' 1 'M d1 o -xattrs-exclude "("' 'invalid regex'
