# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Definitions: -p, -pf, -pd, -pseudo-override, and "-" as the source. What they do is seen in the
# mounted image.
. "$(dirname "$0")/lib.sh"

# IN COMMAND: runs it in the mounted image o. TREE: type, mode, owner, time and path of everything
# in it, with the target of a link. D: an image of definitions alone, whose root is 755. K: checks o.
prelude+='
IN() { mkdir -p m && mount -o loop,ro "${IMAGE:-o}" m && { (cd m && eval "$1"); umount m; }; }
TREE() { IN "find . -mindepth 1 -printf \"%y %#m %U/%G %Ts %P %l\n\" | LC_ALL=C sort -k 5 | sed \"s/ *\$//\""; }
D() { M - o -noappend -inode-time 7 -p "/ d 755 0 0" "$@"; }
K() { fsck.squashfs -q o && echo good; }
'
mounted() { need_root 'images are mounted'; run "$@"; }

# --- every letter

mounted 'd and D' 0 'M - o -mkfs-time 9 -p "/ D 5 700 1 2" -p "x D 86400 1755 3 4"; IN "stat -c \"%A %u/%g %Y %n\" . x"; K' <<'END'
drwx------ 1/2 5 .
drwxr-xr-t 3/4 86400 x
good
END
mounted 'd has the time of all that is made up' 0 'M - o -mkfs-time inode -p "/ D 99 755 0 0" -p "x d 755 0 0"; TREE; TIME' <<'END'
d 0755 0/0 99 x
99
END
mounted 'f and F run commands, in their order' 0 '
  D -p "b f 4755 1 2 echo one; echo 1 >>order" -p "a F 8 644 0 0 cat order; printf \"%s\" \"two  words\"" -noappend; TREE; IN "cat a b"; K' <<'END'
f 0644 0/0 7 a
f 04755 1/2 7 b
1
two  wordsone
good
END
mounted 'F has a time, and so have all letters in upper case' 0 '
  M - o -mkfs-time 9 -p "/ D 5 755 0 0" -p "f F 1 644 0 0 :" -p "s S 2 0 0 0 t" -p "b B 3 600 0 0 7 8" -p "c C 4 600 0 0 7 8" -p "i I 5 600 0 0 f" -p "d D 6 755 0 0"; TREE' <<'END'
b 0600 0/0 3 b
c 0600 0/0 4 c
d 0755 0/0 6 d
f 0644 0/0 1 f
p 0600 0/0 5 i
l 0777 0/0 2 s t
END
mounted 'a date as time' 0 'M - o -p "/ d 755 0 0" -p "x D \"2001-02-03 04:05:06 UTC\" 755 0 0" -p "y D 3\ Jan\ 1970\ UTC 755 0 0"; TREE' <<'END'
d 0755 0/0 981173106 x
d 0755 0/0 172800 y
END
mounted 's and S: the rest of the line, mode 777' 0 'D -p "s s 600 1 2 a  b" -p "t S 8 600 0 0 /abs"; TREE' <<'END'
l 0777 1/2 7 s a  b
l 0777 0/0 7 t /abs
END
mounted 'b B c C' 0 'D -p "b b 660 0 6 8 1" -p "B B 1 660 0 6 4095 1048575" -p "c c 666 0 5 1 3" -p "C C 1 666 0 5 0 0"; IN "stat -c \"%n %F %Hr:%Lr %a %u/%g\" b B c C"; K' <<'END'
b block special file 8:1 660 0/6
B block special file 4095:1048575 660 0/6
c character special file 1:3 666 0/5
C character special file 0:0 666 0/5
good
END
mounted 'i and I: sockets and fifos' 0 'D -p "a i 600 1 2 s" -p "b I 1 600 1 2 s" -p "c i 600 1 2 f" -p "d I 1 600 1 2 f"; TREE; K' <<'END'
s 0600 1/2 7 a
s 0600 1/2 7 b
p 0600 1/2 7 c
p 0600 1/2 7 d
good
END
mounted 'm and M change what is there' 0 '
  M d1 o -p "sub m 700 1 2" -p "zero M 77 4600 3 4" -p "lnk m 600 5 6"; IN "stat -c \"%n %A %u/%g %Y\" sub sub/b zero lnk"; K' <<'END'
sub drwx------ 1/2 1000
sub/b -rw-r--r-- 0/0 1000
zero -rwS------ 3/4 77
lnk lrw------- 5/6 1000
good
END
mounted 'm on one name of several' 0 'M d1 o -p "hard m 600 8 9"; IN "stat -c \"%n %a %u/%g %h\" a hard"' <<'END'
a 600 8/9 2
hard 600 8/9 2
END
mounted 'x: the forms of values' 0 '
  M d1 o -p "/ x user.root=1" -p "a x user.raw=0b0x41" -p "a x user.text=0t\\101\\012b" -p "hard x user.hex=0x4142" -p "sub x trusted.base=0sQUJD" -p "a x security.plain=some text "
  IN "getfattr -d -m - -e text . a sub" | grep -v "^#"; K' <<'END'
user.root="1"

security.plain="some text "
user.hex="AB"
user.raw="0x41"
user.text="A\012b"

trusted.base="ABC"

good
END
mounted 'x on what is defined' 0 'D -p "f x user.a=1" -p "f f 644 0 0 :"; IN "getfattr -d f" | grep user' <<'END'
user.a="1"
END
mounted 'user. attributes of links are not stored' 0 'M d1 o -p "lnk x user.a=1"; IN "getfattr -h -d lnk"' 'leaving it out' <<'END'
END
mounted 'l: a host file, or a link to it' 0 '
  chmod 751 f1; M d1 o -p "new l f1" -p "again l f1" -p "hard2 l d1/sub/b" -p "ln l lf1"; IN "stat -c \"%n %A %h %Y\" again new hard2 sub/b ln; cat new hard2; readlink ln"; K' <<'END'
again -rwxr-x--x 2 1000
new -rwxr-x--x 2 1000
hard2 -rw-r--r-- 2 1000
sub/b -rw-r--r-- 2 1000
ln lrwxrwxrwx 1 1000
f
b
f1
good
END
mounted 'l: links to symbolic links and fifos, too' 0 'mkfifo d1/ff; M d1 o -p "x l d1/lnk" -p "y l d1/ff"; IN "stat -c \"%n %h\" lnk x ff y"; K' <<'END'
lnk 2
x 2
ff 2
y 2
good
END
mounted 'l keeps attributes, and -no-hardlinks files apart' 0 'setfattr -n user.k -v v f1; M d1 o -no-hardlinks -p "x l f1" -p "y l f1"; IN "stat -c %h x y; getfattr -d x | grep user"' <<'END'
1
1
user.k="v"
END
mounted 'h follows symbolic links' 0 'M d1 o -p "x h lf1"; IN "stat -c \"%F %s\" x"' <<'END'
regular file 2
END
mounted 'L: links to what is defined' 0 'D -p "x f 644 0 0 echo 1" -p "y L x" -p "q/z L /y" -p "n c 600 0 0 1 3" -p "m L n" -pd "d 700 0 0"; IN "stat -c \"%n %h\" x y q/z m n; cat q/z"; K' <<'END'
x 3
y 3
q/z 3
m 2
n 2
1
good
END
mounted 'L to what could not be made' 0 'M d1 o -p "a f 755 0 0 echo new" -p "y L a" -p "z L y"; IN "cat a y z; stat -c %h y"' 'a exists in the source' <<'END'
a
new
new
2
END

# --- R and -pf

mounted 'R: parts of the data' 0 '
  printf "/ d 755 0 0\nb R 5 644 1 2 3 1 0\na R 6 4600 0 0 1 0 1\n#\n# START OF DATA - DO NOT MODIFY\n#\nabcd" >pf; M - o -pf pf; TREE; IN "cat b; echo; cat a"; K' <<'END'
f 04600 0/0 6 a
f 0644 1/2 5 b
bcd
agood
END
mounted 'unsquashfs -pf, and back: from files, standard input, pipes' 0 '
  ln d1/sub/b d1/first; mkfifo "d1/a fifo"; truncate -s 3M d1/sparse; head -c 300000 /dev/urandom >d1/big; ln -s "a \"b\\c" "d1/a \"link\\"; mknod d1/null c 1 3; mkdir "d1/em pty"
  M d1 o -mkfs-time 5; unsquashfs -n -pf pf o >/dev/null
  M - o1 -pf pf -mkfs-time 5; cmp o o1 && echo file
  M - o2 -pf - -mkfs-time 5 <pf; cmp o o2 && echo input
  cat pf | M - o3 -pf - -mkfs-time 5 -processors 1; cmp o o3 && echo pipe
  mkfifo ff; cat pf >ff & M - o4 -pf ff -mkfs-time 5; cmp o o4 && echo fifo
  M - o5 -pf <(cat pf) -mkfs-time 5; cmp o o5 && echo descriptor; K' <<'END'
file
input
pipe
fifo
descriptor
good
END
mounted 'comments, empty lines, continued lines, blanks' 0 '
  printf "# c \\\\\nx d 755 0 0\n\n  / d 755 0 0\n\ty \\\\\n d 75\\\\\n5 0 0\n  # d\n\"a b\" d 700 0 0\nc\\ \\\\\"d f 644 0 0 echo a\\\\\\\\\nlast d 711 0 0" >pf; M - o -inode-time 7 -pf pf; TREE; IN "cat c*"' <<'END'
d 0700 0/0 7 a b
f 0644 0/0 7 c "d
d 0711 0/0 7 last
d 0755 0/0 7 y
a\
END
mounted 'several files and -p together' 0 'echo "x d 755 0 0" >p1; echo "x/y d 711 0 0" >p2; D -pf p2 -p "x/y/z d 700 0 0" -pf p1; P' <<'END'
x x/y x/y/z
END
see 'a long line' 1 '{ printf "x f 644 0 0 "; head -c 16400 /dev/zero | tr "\0" a; } >pf; M - o -pf pf' 'pf, line 1, column 1: the line is longer than 16384'
run 'a line of 16384 bytes' 0 '{ printf "/ d 755 0 0\nx f 644 0 0 : "; head -c 16370 /dev/zero | tr "\0" a; } >pf; M - o -pf pf' <<'END'
END
see 'an error in a continued line' 1 'printf "\nx d \\\\\n\\\\\n 755 0 nobodyhere\n" >pf; M - o -pf pf' 'pf, line 4, column 8: GID: there is no group called'
see 'a missing file' 1 'M d1 o -pf nofile || [ -e o ]' 'nofile'
see 'a directory as file' 1 'M d1 o -pf d2' 'd2'
see 'R without data' 1 'echo "x R 1 644 0 0 1 0 0" >pf; M - o -pf pf' 'pf, line 1: R refers to data'
see 'R behind the end of the data' 1 'printf "/ d 755 0 0\nx R 1 644 0 0 2 3 0\n# START OF DATA - DO NOT MODIFY\n#\nabcd" >pf; M - o -pf pf' 'pf, line 2: the data ends before'
see 'the same from a pipe' 1 'printf "/ d 755 0 0\nx R 1 644 0 0 2 3 0\n# START OF DATA - DO NOT MODIFY\n#\nabcd" | M - o -pf -' 'standard input, line 2: the data ends before'
see 'a damaged head of the data' 1 'printf "x R 1 644 0 0 1 0 0\n# START OF DATA - DO NOT MODIFY\nabcd" >pf; M - o -pf pf' 'a line "#" is expected'
see 'R on the command line' 1 'D -p "x R 1 644 0 0 1 0 0"' 'column 3: R refers'
see 'standard input twice' 1 'M - o -pf - -pf -' 'can be given once'

# --- names

mounted 'slashes and quotation marks' 0 'D -p "x/ d 755 0 0" -p "//x//y d 755 0 0" -p "a\"b c\"d d 700 0 0" -p "e\\ f d 711 0 0"; TREE' <<'END'
d 0700 0/0 7 ab cd
d 0711 0/0 7 e f
d 0755 0/0 7 x
d 0755 0/0 7 x/y
END
see 'a missing directory' 1 'M d1 o -p "x/y d 755 0 0" || [ -e o ]' 'the directory x above it does not exist'
see 'no directory at all' 1 'M d1 o -p "a/y d 755 0 0" || [ -e o ]' '/a is no directory'
see 'dots are no way' 1 'M d1 o -p "sub/../y d 755 0 0"' 'column 1: ".." cannot be a name'
see 'a name of 256 bytes' 1 'D -p "$(printf "%0256d" 0) d 755 0 0"' 'column 1: .*names have 1 to 255 bytes'
mounted 'a name of 255 bytes' 0 'D -p "$(printf "%0255d" 0) d 755 0 0"; IN "ls | tr -d \"\n\" | wc -c"' <<'END'
255
END
see 'a target of 4096 bytes' 1 'D -p "s s 777 0 0 $(printf "%04096d" 0)"' 'column 13: TARGET has 4096 bytes'
mounted '-pd makes directories' 0 'M d1 o -inode-time 7 -pd "D 8 700 3 4" -p "x/y/z d 755 0 0" -p "x d 711 0 0" -wildcards -e "*"; TREE; K' <<'END'
d 0711 0/0 7 x
d 0700 3/4 7 x/y
d 0755 0/0 7 x/y/z
good
END
mounted '-pseudo-dir makes the root' 0 'M - o -pseudo-dir "D 8 700 3 4" -p "x/f f 644 0 0 :"; IN "stat -c \"%n %a %u/%g %Y\" . x"' <<'END'
. 700 3/4 8
x 700 3/4 8
END
see 'a wrong -pd' 1 'M - o -pd "d 999 0 0"' '-pd "d 999 0 0", column 3: MODE'
see 'no root' 1 'M - o -p "x d 755 0 0" || [ -e o ]' 'Is -cpiostyle or -tar missing'
see 'nothing at all' 1 'M - o || [ -e o ]' 'Is -cpiostyle or -tar missing'
run 'the last root counts' 0 'M - o -p "/ d 755 0 0" -p "/ d 711 1 2"; LL' <<'END'
drwx--x--x 1/2 3
END
run 'the root of a source stays' 0 'M d2 o -p "/ d 711 1 2" -p "/ m 700 1 2"; LL | head -n 1' 'comes from the source' <<'END'
drwxr-xr-x 0/0 24
END
run 'a root that is no directory' 0 'M d2 o -p "/ f 711 1 2 echo"; P' '/ can only be a directory' <<'END'
a
END

# --- what is taken already

run 'a name of the source' 0 'M d2 o -p "a d 755 0 0"; LL' 'a exists in the source' <<'END'
drwxr-xr-x 0/0 24
-rw-r--r-- 0/0 3  /a
END
see 'the same with -exit-on-error' 1 'M d2 o -p "a d 755 0 0" -exit-on-error || [ -e o ]' 'a exists in the source'
mounted 'a device directory that is there' 0 'mkdir d2/dev; touch -d @1000 d2/dev; M d2 o -p "/dev d 755 0 0" -p "/dev/console c 600 0 0 5 1"; IN "stat -c \"%n %A\" dev dev/console"' 'dev exists' <<'END'
dev drwxr-xr-x
dev/console crw-------
END
mounted 'an exclude makes room' 0 'setfattr -n user.old -v 1 d2/a; M d2 o -p "a f 600 0 0 echo new" -e a; IN "cat a; getfattr -d a"' <<'END'
new
END
run 'twice the same name' 0 'D -p "x d 755 0 0" -p "x d 700 0 0" -exit-on-error; LL | tail -n 1' 'x is defined already' <<'END'
drwxr-xr-x 0/0 3  /x
END
run 'below a file that is defined' 0 'D -p "x f 644 0 0 :" -p "x/y d 755 0 0"; P' 'something else than a directory' <<'END'
x
END
run 'm on what is not there' 0 'M d2 o -p "nosuch m 600 8 9"; P' 'is to be modified but does not exist' <<'END'
a
END
see 'the same with -exit-on-error' 1 'M d2 o -p "nosuch m 600 8 9" -exit-on-error' 'does not exist'
see 'x on what is not there' 1 'M d2 o -p "nosuch x user.a=1" || [ -e o ]' 'nosuch does not exist'
see 'x twice' 1 'M d2 o -p "a x user.f=1" -p "a x user.f=2"' 'Duplicate xattr name user.f'
see 'x on top of the source' 1 'setfattr -n user.f -v 1 d2/a; M d2 o -p "a x user.f=2"' 'Duplicate xattr name user.f'
see 'a bad attribute' 1 'M d2 o -p "a x system.f=2"' '-p "a x system.f=2", column 5: attribute .*user., trusted. or security.'
see 'l of a directory' 1 'M d2 o -p "x l d1" || [ -e o ]' 'd1 is a directory'
see 'l of nothing' 1 'M d2 o -p "x l nosuch"' 'nosuch because No such file'
see 'l of the image' 1 'echo old >o; M d2 o -noappend -p "x l o" || [ "$(cat o)" != old ]' 'is the image that is to be written'
see 'L without a target' 1 'D -p "y L x" -p "x f 644 0 0 :"' 'no definition before it makes x'
see 'L to a directory' 1 'D -p "x d 755 0 0" -p "y L x"' 'is a directory or only modified'

# --- commands

run 'a command that fails' 0 'D -p "f f 644 0 0 echo part; exit 3" -p "g f 644 0 0 echo whole"; LL' 'Failed to read file f, creating empty file \(its command ended with status 3\)' <<'END'
drwxr-xr-x 0/0 33
-rw-r--r-- 0/0 0  /f
-rw-r--r-- 0/0 6  /g
END
see 'the same with -exit-on-error' 1 'D -p "f f 644 0 0 exit 3" -exit-on-error || [ -e o ]' 'Failed to read file f'
mounted 'zeros from a command' 0 '
  { head -c 200000 /dev/urandom; head -c 600000 /dev/zero; head -c 150001 /dev/urandom; } >ref; D -p "f f 644 0 0 cat ref"; IN "cmp f ../ref && echo same"; K' <<'END'
same
good
END
see 'a signal ends a command' 1 'mkfifo up; { read -r _ <up; kill -TERM "$(cat pid)"; } & exec 3>up
  D -p "f f 644 0 0 echo \$PPID >pid; echo >up; exec sleep 60" || [ -e o ]' 'interrupted by a signal'

# --- owners

mounted '-all-root covers definitions' 0 'D -all-root -p "x d 700 7 7"; TREE' <<'END'
d 0700 0/0 7 x
END
mounted '-pseudo-override: definitions win' 0 '
  M d2 o -inode-time 7 -all-root -force-file-mode 400 -force-dir-mode 500 -uid-gid-offset 10 -pseudo-override -p "x d 755 7 7" -p "f f 644 1 1 :" -p "a m 640 8 8"; IN "stat -c \"%a %u/%g\" ."; TREE' <<'END'
500 10/10
f 0640 18/18 7 a
f 0644 11/11 7 f
d 0755 17/17 7 x
END
mounted '-root-uid and -root-mode win over a root' 0 'D -root-uid 5 -root-mode 700 -all-root -pseudo-override -p "/ d 755 2 2"; LL | head -n 1' <<'END'
drwx------ 5/2 3
END
mounted 'names of users' 0 'D -p "x d 755 root daemon"; TREE' <<'END'
d 0755 0/1 7 x
END

# --- what is wrong with a definition is named with its column

see 'no type' 1 'D -p "bad"' '-p "bad", column 4: the type, a letter, is missing'
see 'an unknown type' 1 'D -p "bad q 644 0 0"' 'column 5: "q" is none of the types'
see 'a mode in letters' 1 'D -p "bad d u+x 0 0"' 'column 7: MODE is an octal number up to 7777'
see 'an unknown user' 1 'D -p "bad d 755 nosuch 0"' 'column 11: UID: there is no user called "nosuch"'
see 'something behind it' 1 'D -p "bad d 755 0 0 junk"' 'column 15: nothing is expected .*"junk"'
see 'the form is told' 1 'D -p "c c 666 0 5 4096 3"' '^Expected: NAME c MODE UID GID MAJOR MINOR$'
see 'a large device number' 1 'D -p "c c 666 0 5 4096 3"' 'column 13: MAJOR is a number from 0 to 4095'
see 'neither s nor f' 1 'D -p "i i 666 0 0 q"' 'column 13: s \(a socket\) or f \(a fifo\)'
see 'no command' 1 'D -p "f f 666 0 0 "' 'column 13: COMMAND is missing'
see 'no target' 1 'D -p "f S 1 666 0 0"' 'column 14: TARGET is missing'
see 'no such date' 1 'D -p "f D nodate 666 0 0"' 'column 5: TIME: "nodate" is neither'
see 'an open quotation mark' 1 'D -p "\"ab d 644 0 0"' 'column 1: the quotation mark has no counterpart'
