# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command line itself: words, values, help, compressors.
. "$(dirname "$0")/lib.sh"

see 'no words' 1 'mksquashfs' '^SYNTAX: mksquashfs'
see 'one word' 1 'mksquashfs d1' 'no image is named'
see 'options first' 1 'mksquashfs -noappend d1 o' 'before the options'
see 'a word behind the options' 1 'M d1 o -noappend f1' 'f1 is no option'
see 'two dashes' 1 'M d1 o -- -noappend' '-- is no option'
see 'a slip' 1 'M d1 o -noapend' 'Did you mean -noappend\?'
see 'the message is on standard error' 0 'mksquashfs d1 o -bogus 2>&1 >/dev/null | grep -q "^mksquashfs: -bogus is no option$"'
see 'usage errors touch nothing' 0 'echo keep >o; mksquashfs d1 o -noappend -bogus >/dev/null 2>&1; grep -q keep o'

see '-help' 0 'mksquashfs -help' '^SYNTAX: mksquashfs'
see '-h' 0 'mksquashfs d1 -h' '-help-all'
see '-help-all' 0 'mksquashfs -help-all' '-xattrs-include'
see '-ha -cols' 0 'mksquashfs -ha -no-pager -cols 60 | awk "length > 60 && !/SYNTAX/" | grep -c . | grep -qx 0'
see '-help-section' 0 'mksquashfs -help-section time' '-repro-time'
see '-hs list' 0 'mksquashfs -hs list' 'permissions'
see '-help-option' 0 'mksquashfs -help-option "^-no"' '-no-exports'
see '-ho' 0 'mksquashfs -ho Xhc' 'lz4:'
see '-help-comp' 0 'mksquashfs -help-comp xz' '-Xbcj'
see '-help-comp with a wrong name' 1 'mksquashfs -help-comp bogus' 'there is no compressor "bogus"'
see '-Xhelp' 0 'mksquashfs -comp zstd -Xhelp' '-Xcompression-level'
see '-version' 0 'mksquashfs -version | head -n 1' '^mksquashfs version 4\.[0-9]+\.[0-9]+-[^ ]+ \([0-9/]+\)$'
see '--version anywhere' 0 'mksquashfs d1 o --version; test ! -e o' '^mksquashfs version'
see '-mem-default' 0 'mksquashfs -mem-default' '^[0-9]+$'
see 'squashkit lists its tools' 0 '"$(dirname "$MKSQUASHFS")/squashkit"' 'fsck.squashfs'
see 'squashkit runs a tool' 0 '"$(dirname "$MKSQUASHFS")/squashkit" mksquashfs -version' '^mksquashfs version'

see '-comp without value' 1 'M d1 o -comp' '-comp needs a value'
see 'an unknown compressor' 1 'M d1 o -comp foo' 'gzip \(default\)'
see 'two compressors' 1 'M d1 o -comp xz -comp gzip' 'twice'
run 'options of a compressor may stand before it' 0 'M d1 o -Xcompression-level 3 -comp zstd; unsquashfs -s o | grep -A1 ^Comp | TABS' <<'END'
Compression zstd
>compression-level 3
END
see 'an option of another compressor' 1 'M d1 o -Xbcj x86' 'Is -comp missing'
see 'a level out of range' 1 'M d1 o -comp zstd -Xcompression-level 30' '1 to 22|-131072 to 22'
see 'a dictionary that is too large' 1 'M d1 o -comp xz -Xdict-size 1M' 'block size'
run 'gzip: its options' 0 'M d1 o -Xcompression-level 5 -Xwindow-size 10 -Xstrategy default,fixed; unsquashfs -s o | sed -n "/^Comp/,/Block/p" | TABS' <<'END'
Compression gzip
>compression-level 5
>window-size 10
>Strategies selected: default, fixed
Block size 131072
END
run 'xz: its options' 0 'M d1 o -comp xz -Xbcj x86 -Xdict-size 50% -Xpreset 9 -Xe -Xlc 0 -Xlp 2 -Xpb 2; unsquashfs -s o | sed -n "/^Comp/,/Block/p" | TABS' <<'END'
Compression xz
>Dictionary size 65536
>Filters selected: x86
Block size 131072
END
run 'lzo: its options' 0 'M d1 o -comp lzo -Xalgorithm lzo1x_999 -Xcompression-level 3; unsquashfs -s o | sed -n "/^Comp/,/Block/p" | TABS' <<'END'
Compression lzo
>algorithm lzo1x_999
>compression level 3
Block size 131072
END
run 'lz4: its options' 0 'M d1 o -comp lz4 -Xhc; FLAGS; M d1 o -noappend -comp lz4 -Xacceleration 9; FLAGS' <<'END'
04c0
04c0
END
see 'lzma: a warning' 0 'M d1 o -comp lzma' 'no Linux kernel mounts this image'

run '-b with suffixes' 0 'for b in 4k 4Kb 1Mbytes; do M d1 o -noappend -b $b; unsquashfs -s o | grep ^Block; done' <<'END'
Block size 4096
Block size 4096
Block size 1048576
END
see '-b must be a power of two' 1 'M d1 o -b 5000' '-b takes a power of two from 4K to 1M'
see '-processors' 1 'M d1 o -processors 0' '-processors takes a number from 1'
see '-mem below a megabyte' 1 'M d1 o -mem 1K' '-mem takes 1M or more'
run 'memory and readers do not change the image' 0 '
  head -c 3000000 /dev/urandom >d1/big; M d1 o -repro
  for w in "-mem 2M" "-mem-percent 1" -single-reader "-small-readers 2 -block-readers 3" \
    "-overcommit 5%" "-read-queue 64 -write-queue 64 -fragment-queue 64" "-processors 7"; do
    M d1 o2 -noappend -repro $w; cmp o o2
  done' <<'END'
END
see '-mem-percent has a limit' 1 'M d1 o -mem-percent 90%' 'from 1 to 75'

run 'the flags of the superblock' 0 '
  for f in "" -no-exports -exports -no-fragments -tailends -always-use-fragments -no-tailends \
    -no-duplicates -noI -noInodeCompression -noId -noIdTableCompression -noD -noDataCompression \
    -noF -noFragmentCompression -noX -noXattrCompression -no-compression; do
    M d1 o -noappend $f; echo "$f $(FLAGS)"
  done' <<'END'
 00c0
-no-exports 0040
-exports 00c0
-no-fragments 00d0
-tailends 00e0
-always-use-fragments 00e0
-no-tailends 00c0
-no-duplicates 0080
-noI 00c1
-noInodeCompression 00c1
-noId 08c0
-noIdTableCompression 08c0
-noD 00c2
-noDataCompression 00c2
-noF 00c8
-noFragmentCompression 00c8
-noX 01c0
-noXattrCompression 01c0
-no-compression 01cb
END
run '-no-hardlinks' 0 'M d1 o -no-progress; M d1 o2 -no-hardlinks; for i in o o2; do unsquashfs -s $i | grep "Number of inodes"; done' <<'END'
Number of inodes 6
Number of inodes 7
END
run '-no-sparse' 0 'truncate -s 1M d1/z; M d1 o -noD; M d1 o2 -noD -no-sparse; SIZE o o2' <<'END'
4096 1052672
END

see 'sqfstar -help' 0 'sqfstar -help' '^SYNTAX: sqfstar'
see 'sqfstar without an image' 1 'sqfstar -comp zstd' 'no image is named'
see 'sqfstar: an option of mksquashfs' 1 'sqfstar -noappend o' '^sqfstar: -noappend is no option'
see 'sqfstar: -comp stands before the options of the compressor' 1 'sqfstar -Xcompression-level 3 -comp zstd o' '-comp has to stand before'
see 'sqfstar: an existing image is refused' 1 'echo keep >o; sqfstar o' 'with -force it is replaced'
see 'sqfstar -version' 0 'sqfstar -version | head -n 1' '^sqfstar version 4\.'
