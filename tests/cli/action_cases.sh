# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Actions: what they select, and what becomes of it.
. "$(dirname "$0")/lib.sh"

# --- exclude, prune, empty, move
run 'exclude@name' 0 'M d1 o -action "exclude@name(a)"; P' <<'END'
hard lnk sub sub/b zero
END
run 'exclude with operators' 0 'M d1 o -action "exclude@!type(d)&&depth(1)"; P' <<'END'
sub sub/b
END
run 'an excluded directory goes with what is in it' 0 'M d1 o -a "exclude@pathname(sub)"; P' <<'END'
a hard lnk zero
END
run 'exclude follows symlinks on the host' 0 'ln -s nowhere d1/lost; M d1 o -action "exclude@type(l)&&stat(type(f))"; P' <<'END'
a hard lost sub sub/b zero
END
run 'prune' 0 'M d1 o -action "prune@name(b)"; P' <<'END'
a hard lnk sub zero
END
run 'prune can use all tests' 0 'ln -s nowhere d1/lost; M d1 o -action "prune@type(l)&&!exists"; P' <<'END'
a hard lnk sub sub/b zero
END
run 'a pruned file leaves its content to its other names' 0 'M d1 o -action "prune@name(a)"; P; unsquashfs -cat o hard' <<'END'
hard lnk sub sub/b zero
a
END
run 'empty' 0 'M d1 o -action "exclude@name(b)" -action "empty@true"; P' <<'END'
a hard lnk zero
END
run 'empty(source), empty(excluded), empty(all)' 0 '
  mkdir -p d2/e/f
  for what in source excluded all; do
    rm -f o; M d2 o -action "exclude@name(f)" -action "empty($what)@true"; P
    rm -f o; M d2 o -action "empty($what)@true"; P
  done' <<'END'
a e
a e
a
a e e/f
a
a
END
run 'move to a new name, and into a directory' 0 'M d1 o -action "move(new)@name(a)" -action "move(/sub)@name(zero)" -action "move(..)@name(b)"; P' <<'END'
b hard lnk new sub sub/zero
END
run 'a move that is not possible is reported' 0 'M d1 o -action "move(zero)@name(a)" -action "move(no/dir)@name(hard)" -action "move(sub)@name(sub)"; P' 'Cannot move /sub to sub: it cannot go below itself' <<'END'
a hard lnk sub sub/b zero
END

# --- attributes
need_root 'owners are looked at'
run 'uid, gid, guid, mode, chmod' 0 '
  M d1 o -action "uid(5)@name(a)" -action "gid(daemon)@name(b)" -action "guid(7,8)@type(l)" \
    -action "mode(600)@name(b)" -action "chmod(u+x,go=)@name(zero)"; LL' <<'END'
drwxr-x--- 0/0 70
-rw-r--r-- 5/0 2  /a
-rw-r--r-- 5/0 2  /hard
lrwxrwxrwx 7/8 1  /lnk -> a
drwxr-xr-x 0/0 24  /sub
-rw------- 0/1 2  /sub/b
-rwx------ 0/0 0  /zero
END
run 'options for all files go before actions' 0 'M d2 o -action "uid(5)@true" -all-root; LL' <<'END'
drwxr-xr-x 0/0 24
-rw-r--r-- 0/0 3  /a
END
need_root 'attributes are set'
run 'xattrs-exclude, xattrs-include, xattrs-add' 0 '
  setfattr -n user.one -v 1 d1/a && setfattr -n user.two -v 2 d1/a && setfattr -n user.one -v 1 d1/sub/b || exit
  for action in "xattrs-exclude(two)@name(a)" "xattrs-include(two)@name(a)" "xattrs-add(user.new=x)@name(zero)"; do
    rm -rf o m; M d1 o -action "$action"; unsquashfs -q -n -d m o >/dev/null
    (cd m && getfattr -d a sub/b zero | grep -v "^$" | paste -sd" ")
  done' <<'END'
# file: a user.one="1" # file: sub/b user.one="1"
# file: a user.two="2" # file: sub/b user.one="1"
# file: a user.one="1" user.two="2" # file: sub/b user.one="1" # file: zero user.new="x"
END

# --- how data is stored
DATA='
  mkdir t; seq 9000 >t/big; seq 300 >t/s1; seq 2 300 >t/s2; seq 3 300 >t/s3
  FRAGMENTS() { unsquashfs -s "${1:-o}" | sed -n "s/^Number of fragments //p"; }
  WHOLE() { rm -rf m; unsquashfs -q -n -d m "${1:-o}" >/dev/null && diff -r t m && fsck.squashfs -q "${1:-o}"; }
'
run 'fragments, no-fragments' 0 "$DATA"'
  M t o -b 4096 -action "no-fragments@true"; FRAGMENTS; WHOLE
  M t o2 -b 4096 -no-fragments -action "fragments@name(s?)"; FRAGMENTS o2; WHOLE o2' <<'END'
0
1
END
run 'tailend, no-tailend and their long names' 0 "$DATA"'
  for name in tailend always-use-fragments; do
    rm -f o; M t o -b 4096 -action "exclude@name(s?)" -action "$name@name(big)"; FRAGMENTS; done
  for name in no-tailend dont-always-use-fragments; do
    rm -f o; M t o -b 4096 -tailends -action "exclude@name(s?)" -action "$name@name(big)"; FRAGMENTS; done' <<'END'
1
1
0
0
END
run 'fragment(name) packs files by themselves' 0 "$DATA"'
  M t o -action "fragment(x)@name(s1)||name(s3)" -action "fragment(y)@name(s2)"; FRAGMENTS; WHOLE' <<'END'
3
END
run 'uncompressed, compressed' 0 "$DATA"'
  M t plain; M t raw -noD -noF
  M t o -action "uncompressed@true"; M t o2 -noD -noF -action "compressed@true"
  [ $(SIZE o) = $(SIZE raw) ] && [ $(SIZE o2) = $(SIZE plain) ] && echo same
  WHOLE && WHOLE o2 && M t o3 -action "uncompressed@name(big)" && WHOLE o3' <<'END'
same
END
run 'align puts data at a multiple, and not into a fragment' 0 "$DATA"'
  M t o -comp gzip -action "uncompressed@name(s2)" -action "align(64k)@name(s2)"; WHOLE
  cmp -n $(SIZE t/s2) o t/s2 65536 0 && echo there' <<'END'
there
END
run 'the bytes do not depend on the processors' 0 "$DATA"'
  for n in 1 3; do
    M t o$n -b 4096 -mkfs-time 0 -processors $n -action "align(8k)@name(s1)" -action "uncompressed@name(s2)" \
      -action "fragment(x)@name(s3)" -action "tailend@name(big)"; done
  cmp o1 o3; WHOLE o1' <<'END'
END

# --- tests
run 'names and paths' 0 '
  for test in "name(@(a|b))" "name(\"@(a|b)\")" "pathname(/sub/*)" "pathname(s*/b)" "subpathname(sub)"; do
    rm -f o; M d1 o -true-action "noop@$test" 2>/dev/null | sed "s/=.*//" | paste -sd" "; done' <<'END'

/a /sub/b
/sub/b
/sub/b
/sub /sub/b
END
T='T() { for test in "$@"; do rm -f o; echo "$(M d1 o -ta "noop@$test" | sed "s/=.*//" | paste -sd" ")"; done; }
'
run 'numbers' 0 "$T"'
  head -c 3000 /dev/zero | tr "\0" x >d1/sub/b
  T "filesize(3000)" "filesize(<1k)" "size(>2k)&&type(f)" "tailsize(3000)" "nlink(2)&&type(f)" "depth(>=2)" "depth(0)" \
    "dircount(1)" "uid(999999)" "gid(>999999)" "inode($(stat -c %i d1/zero))" "dirsize(>1t)"' 'expected a number' <<'END'
/sub/b
/a /hard /zero
/sub/b
/sub/b
/a /hard
/sub/b
/
/sub


/zero

END
run 'ranges' 0 "$T"'
  T "filesize_range(1,2)" "depth_range(2,9)" "dircount_range(0,1)" "nlink_range(2,2)&&type(f)" "tailsize_range(2,2)&&name(b)" \
    "size_range(2,2)&&type(f)" "inode_range(1,0)" "uid_range(5000000,6000000)" "gid_range(5000000,6000000)" "dirsize_range(1,0)"' <<'END'
/a /hard /sub/b
/sub/b
/sub
/a /hard
/sub/b
/a /hard /sub/b




END
run 'blocks' 0 "$T"'
  truncate -s 1M d1/hole
  T "fileblocks(0)&&filesize(>0)" "fileblocks_range(0,0)&&filesize(1m)" "blocks(0)&&filesize(1m)" "blocks_range(0,0)&&filesize(1m)" \
    "dirblocks(>1g)" "dirblocks_range(1,0)"' <<'END'
/hole
/hole
/hole
/hole


END
run 'owners, types, permissions' 0 "$T"'
  mkfifo d1/pipe; chmod 4711 d1/zero
  T "user(daemon)" "group(daemon)" "type(l)" "type(p)" "type(d)" "perm(4711)" "perm(-4000)&&type(f)" "perm(-u+s,o+x)&&type(f)" "perm(/011)&&type(f)"' <<'END'


/lnk
/pipe
/sub /
/zero
/zero
/zero
/zero
END
run 'symlinks' 0 "$T"'
  ln -s /etc d1/abs; ln -s lnk d1/twice; ln -s ../none d1/sub/lost
  T "absolute" "type(l)&&exists" "type(l)&&stat(type(d))" "readlink(name(a))" "readlink(\"name(a)&&filesize(2)\")" \
    "eval(b,true)" "eval(../a,type(f)&&true)&&type(l)" "eval(/sub,name(sub))&&depth(0)"' <<'END'
/abs
/lnk /twice
/abs
/lnk /twice
/lnk /twice
/sub
/abs /lnk /twice
/
END
run 'true, false, and no precedence' 0 "$T"'T "true&&depth(0)" "false" "true||true&&false" "true||(true&&false)&&depth(0)" "!!type(l)"' <<'END'
/


/
/lnk
END
run 'exec has the names in variables' 0 '
  M d1 o -true-action "noop@exec(\"echo \$NAME \$PATHNAME \$SOURCE_PATHNAME >>list; test \\\"\$NAME\\\" = b\")"; grep "^b " list' <<'END'
/sub/b=noop@exec(echo $NAME $PATHNAME $SOURCE_PATHNAME >>list; test "$NAME" = b)=True
b /sub/b d1/sub/b
END
if command -v file >/dev/null; then
  run 'file asks file(1)' 0 "$T"'T "file(\"^ASCII text\")"' <<'END'
/a /hard /sub/b
END
fi

# --- logs and files
run '-log-action, -true-action, -false-action' 0 '
  M d2 o -log-action "noop@name(a)||type(d)"; rm o
  M d2 o -true-action "uid(0)@type(d)"; rm o
  M d2 o -false-action "prune@name(b)"; rm o
  M d2 o -va "noop@name(a)" -ta "noop@false" -fa "noop@false"' <<'END'
/a=noop@(name(a)=True)
/=noop@(name(a)=False||type(d)=True)
/=uid(0)@type(d)=True
/a=prune@name(b)=False
/a=noop@name(a)=True
/a=noop@false=False
/=noop@name(a)=False
/=noop@false=False
END
run 'files of actions' 0 '
  printf "# which\n\n exclude@name(a) ||\\\\\n  name(hard)\nprune@name(zero)\n" >list
  M d1 o -action-file list; P; M d1 o2 -af list; P o2
  echo "noop@name(lnk)" >list
  M d1 o3 -true-action-file list; M d1 o4 -taf list; M d2 o5 -log-action-file list; M d2 o6 -vaf list
  M d2 o7 -false-action-file list; M d2 o8 -faf list' <<'END'
lnk sub sub/b
lnk sub sub/b
/lnk=noop@name(lnk)=True
/lnk=noop@name(lnk)=True
/a=noop@name(lnk)=False
/=noop@name(lnk)=False
/a=noop@name(lnk)=False
/=noop@name(lnk)=False
/a=noop@name(lnk)=False
/=noop@name(lnk)=False
/a=noop@name(lnk)=False
/=noop@name(lnk)=False
END

# --- mistakes
BAD='BAD() { mksquashfs d1 o -action "$1"; s=$?; ls o 2>/dev/null; exit $s; }
'
see 'an unknown action' 1 "$BAD"'BAD "bogus@true"' '-action: "bogus@true", column 1: there is no action "bogus"'
see 'an unknown test' 1 "$BAD"'BAD "noop@nam(a)"' 'column 6: there is no test "nam"\. Did you mean name\?'
see 'a test that a scan cannot do' 1 "$BAD"'BAD "exclude@exists"' 'column 9: the test exists cannot be used .* prune'
see 'the end comes too early' 1 "$BAD"'BAD "noop@name(a"' 'column 12: expected "," or "\)", found the end'
see 'a wrong number' 1 "$BAD"'BAD "noop@size(x)"' 'column 11: expected a number'
see 'a wrong mode' 1 "$BAD"'BAD "mode(999)@true"' 'column 6'
see 'a missing file' 1 'M d1 o -action-file nofile; s=$?; ls o 2>/dev/null; exit $s' 'Failed to open nofile|Failed to open "nofile"'
see 'a mistake in a file' 1 'printf "noop@true\n\nnoop@tru(\n" >list; M d1 o -action-file list' '"list", line 3, column 6: there is no test "tru"'
see '-action needs a value' 1 'M d1 o -action' '-action needs a value'
run 'dereference, keep and delete' 0 '
  ln -s nowhere d1/lost; ln -s zero d1/other
  M d1 o -action "dereference@name(lnk)"; LL | grep lnk
  for what in keep delete; do rm -f o; M d1 o -action "dereference($what)@type(l)" 2>/dev/null; LL | grep -E "lost|other|lnk"; done' <<'END'
-rw-r--r-- 0/0 2  /lnk
-rw-r--r-- 0/0 2  /lnk
lrwxrwxrwx 0/0 7  /lost -> nowhere
-rw-r--r-- 0/0 0  /other
-rw-r--r-- 0/0 2  /lnk
-rw-r--r-- 0/0 0  /other
END
