# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is printed, and what becomes of the destination.
. "$(dirname "$0")/lib.sh"

run 'banner and summary, no bar in a log' 0 'mksquashfs d1 o -processors 1 | sed "s/[0-9.]* [KM]bytes/N/g; s/[0-9.]*% of/P of/; s/size [0-9]* bytes/size N/; s/([0-9]* bytes)/(N)/; /^\t/s/[^\t]* ([0-9]*)$/NAME (ID)/" | TABS' <<'END'
Parallel mksquashfs: Using 1 processor
Creating 4.0 filesystem on o, block size 131072.

Exportable Squashfs 4.0 filesystem, gzip compressed, data block size 131072
>compressed data, compressed metadata, compressed fragments,
>compressed xattrs, compressed ids
>duplicates are removed
Filesystem size N (N)
>P of uncompressed filesystem size (N)
Inode table size N (N)
>P of uncompressed inode table size (N)
Directory table size N (N)
>P of uncompressed directory table size (N)
Number of duplicate files found 1
Number of inodes 6
Number of files 3
Number of fragments 1
Number of symbolic links 1
Number of device nodes 0
Number of fifo nodes 0
Number of socket nodes 0
Number of directories 2
Number of hard-links 1
Number of ids (unique uids + gids) 1
Number of uids 1
>NAME (ID)
Number of gids 1
>NAME (ID)
END
run '-quiet' 0 'mksquashfs d1 o -quiet' <<'END'
END
run '-quiet -percentage: bare numbers' 0 'mksquashfs d2 o -quiet -percentage' <<'END'
0
100

END
run '-progress in a log' 0 'mksquashfs d2 o -quiet -progress' <<'END'
0% done
100% done
END
see 'a bar on a terminal' 0 'script -qec "\"$MKSQUASHFS\" d1 o -quiet" /dev/null </dev/null' '\[=+.\] 2/2 100%'
see '-no-progress on a terminal' 0 'script -qec "\"$MKSQUASHFS\" d1 o -quiet -no-progress" /dev/null </dev/null | wc -c | grep -qx 0'
see '-no-progress against -percentage' 1 'mksquashfs d1 o -no-progress -percentage' 'contradict'
run '-info' 0 'mkfifo d1/p; cp d1/a d1/b; mksquashfs d1 o -quiet -info | sed "s/0x[0-9a-f]*/REF/" | TABS' <<'END'
file /a, uncompressed size 2 bytes~
file /b, uncompressed size 2 bytes DUPLICATE
file /sub/b, uncompressed size 2 bytes~
file /zero, uncompressed size 0 bytes~
file /hard, uncompressed size 2 bytes LINK
symbolic link /lnk inode REF
fifo /p inode REF
directory /sub inode REF
directory / inode REF
END
run '-info-file, which must not exist' 1 'M d2 o -info-file x; TABS <x; M d2 o2 -info-file x' 'x' <<'END'
file /a, uncompressed size 3 bytes~
directory / inode 0x20
END
see 'a full standard output does not hurt' 0 'mksquashfs d1 o >/dev/full; fsck.squashfs o'
see 'a reader that goes away does not hurt' 0 'mksquashfs d1 o -info | true; fsck.squashfs o'
see 'but help that gets lost is a failure' 1 'mksquashfs -help-all >/dev/full'

see 'an existing file that is no image is refused' 1 'echo keep >o; mksquashfs d1 o' 'with -noappend it is replaced'
see 'and left as it was' 0 'echo keep >o; M d1 o 2>/dev/null; grep -q keep o'
see '-noappend replaces it' 0 'echo keep >o; M d1 o -noappend -no-recovery -recovery-path /nowhere; fsck.squashfs o'
see 'but not before sources are found' 0 'echo keep >o; M nosuch o -noappend 2>/dev/null; grep -q keep o'
see 'a directory' 1 'mkdir o; M d1 o -noappend' '^Destination not block device or regular file'
see 'a character device' 1 'M d1 /dev/null -noappend' '^Destination not block device or regular file'
run 'a symbolic link is followed' 0 'ln -s real o; M d1 o; ls -l o real | cut -c1' <<'END'
l
-
END
run '-nopad' 0 'M d1 o; M d1 o2 -nopad; test $(SIZE o2) -lt 1024 && SIZE o' <<'END'
4096
END
run '-offset' 0 'M d2 o -o 1024; SIZE o; unsquashfs -o 1024 -l -d "" o; fsck.squashfs -o 1K o' <<'END'
4096

/a
END
run 'bytes in front of the image are kept' 0 'printf "#!/bin/sh\n" >o; M d2 o -offset 512 -noappend; tr -d "\\0" <o | head -n 1; fsck.squashfs --offset=512 o' <<'END'
#!/bin/sh
END
need_root 'a file system is mounted'
see 'a full file system' 1 'mkdir t; mount -t tmpfs -o size=100k none t || exit
  head -c 3000000 /dev/urandom >d1/big; M d1 t/o; s=$?; ls -A t; umount t; exit $s' 'No space left on device'
need_root 'a file system is mounted'
run 'leaves nothing there' 0 'mkdir t; mount -t tmpfs -o size=100k none t || exit
  head -c 3000000 /dev/urandom >d1/big; M d1 t/o 2>/dev/null; ls -A t; umount t' <<'END'
END
for signal in INT TERM HUP; do
  run "SIG$signal leaves nothing" 0 "
    head -c 30000000 /dev/urandom >d1/big; $(: a child of a script ignores SIGINT, so it is restored)
    env --default-signal=INT \"\$MKSQUASHFS\" d1 o -quiet -comp xz -processors 1 2>err & p=\$!
    sleep 0.7; kill -$signal \$p; wait \$p; echo \$?; ls o* 2>/dev/null; head -n 1 err" <<'END'
1
interrupted by a signal
END
done
see 'a closed standard output gets nothing into the image' 0 'cp -r /etc/. d2/ 2>/dev/null; mksquashfs d2 o -quiet -info >&-; fsck.squashfs o'
see 'a closed standard error gets nothing into the image' 0 'mksquashfs d1 o -quiet -comp lzma 2>&- && fsck.squashfs --compare d1 o >/dev/null 2>&1'
see 'a hangup that the caller ignores does not end a build' 0 'head -c 20000000 /dev/urandom >d1/big; (trap "" HUP; exec "$MKSQUASHFS" d1 o -quiet -comp xz) & sleep 0.5; kill -HUP $!; wait $!'
see 'a limit on the size of files leaves nothing' 1 'head -c 3000000 /dev/urandom >d1/big; (ulimit -f 100; mksquashfs d1 o -quiet); s=$?; [ ! -e o ] && [ -z "$(ls -A | grep tmp)" ] || s=9; exit $s' 'File too large'
see 'a reader that stands still does not hold a signal up' 1 'mkfifo p; (sleep 20 <p) & (cd d1; n=$(printf "%200s" | tr " " n); for i in {1..1000}; do : >$n$i; done); "$MKSQUASHFS" d1 o -quiet -info >p & m=$!; sleep 1; kill -TERM $m; wait $m; s=$?; kill %1; [ ! -e o ] || s=9; exit $s' 'interrupted'
