# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is told about a run, how it is slowed down, where it is logged; images written to a pipe.
. "$(dirname "$0")/lib.sh"

run '--stats' 0 'head -c 300000 /dev/urandom >d1/b; cp d1/b d1/dup; M d1 o --stats s -Xcompression-level 8
  python3 -c "
import json
s = json.load(open(\"s\"))
print(s[\"tool\"], s[\"image\"], s[\"settings\"][\"compressor\"], s[\"settings\"][\"compressor_options\"])
print(s[\"counts\"][\"files\"], s[\"counts\"][\"hard_links\"], s[\"duplicates\"], s[\"fragments\"][\"tails\"])
print(s[\"bytes\"][\"data\"] >= 300000, s[\"bytes\"][\"image\"] < 400000, 0.5 <= s[\"bytes\"][\"ratio\"] < 0.6)
print(sorted(s[\"seconds\"]), s[\"seconds\"][\"total\"][\"wall\"] > 0, s[\"seconds\"][\"data\"][\"cpu\"] > 0)"' <<'END'
mksquashfs o gzip ['-Xcompression-level 8']
5 1 {'files': 2, 'bytes': 300000} 2
True True True
['data', 'scan', 'tables', 'total', 'xattrs'] True True
END
see '-stats, under its other name, replaces a file' 0 'echo x >s; M d1 o -stats s; python3 -m json.tool s' '"version"'
see '--stats that cannot be written' 1 'M d1 o --stats no/s; s=$?; fsck.squashfs o && exit $s' 'The image was made'
run '-log: where data begins' 0 'head -c 200000 /dev/urandom >d2/b; M d2 o -log l; cat l' <<'END'
/a, 0
/b, 96
Fragment 0, 200096
END
run '-throttle and -limit do not change the image' 0 '
  head -c 3000000 /dev/urandom >d1/big; M d1 o -repro
  for w in "-throttle 50" "-throttle 90%" "-limit 10" "-limit 100"; do M d1 o2 -noappend -repro $w; cmp o o2; done' <<'END'
END
see '-throttle sleeps' 0 'head -c 60000000 /dev/zero | tr "\0" x >d1/big; M d1 o -no-duplicates --stats a -processors 1
  M d1 o2 -no-duplicates --stats b -processors 1 -throttle 98; python3 -c "
import json
idle = [(lambda t: t[\"wall\"] - t[\"cpu\"])(json.load(open(f))[\"seconds\"][\"data\"]) for f in \"ab\"]
print(\"slept\" if idle[1] > idle[0] + 0.2 else idle)"' '^slept$'
see '-throttle has limits' 1 'M d1 o -throttle 100' '-throttle takes .* 0 to 99'
see '-limit has limits' 1 'M d1 o -limit 0' '-limit takes .* 1 to 100'

run 'SQFS_CMDLINE' 0 'export SQFS_CMDLINE=$PWD; M d1 o; mksquashfs d1 "a\"b c\$d" -bogus >/dev/null 2>&1; sqfstar -version >/dev/null; cat sqfs_cmdline | TABS' <<'END'
"mksquashfs" "d1" "o" "-quiet" "-no-progress"~
"mksquashfs" "d1" "a\"b c\$d" "-bogus"~
"sqfstar" "-version"~
END
see 'SQFS_CMDLINE: no symbolic link' 1 'ln -s f1 sqfs_cmdline; SQFS_CMDLINE=. M d1 o; s=$?; [ ! -e o ] && exit $s' 'SQFS_CMDLINE'
see 'SQFS_CMDLINE: no second name' 1 'ln f1 sqfs_cmdline; SQFS_CMDLINE=. M d1 o' 'one name that nobody may execute'
see 'SQFS_CMDLINE: nothing executable' 1 'echo >sqfs_cmdline; chmod +x sqfs_cmdline; SQFS_CMDLINE=. M d1 o' 'one name that nobody may execute'

# A terminal for help: script(1) makes one.
on_terminal='on_terminal() { script -qec "$1" /dev/null </dev/null; }; export -f mksquashfs; '
see 'help on a terminal goes through PAGER' 0 "$on_terminal"'PAGER="sed s/^/\"> \"/" on_terminal "\"$MKSQUASHFS\" -help"' '^> SYNTAX'
see '-no-pager' 0 "$on_terminal"'PAGER=false on_terminal "\"$MKSQUASHFS\" -no-pager -help"' '^SYNTAX'
see 'an empty PAGER' 0 "$on_terminal"'PAGER= on_terminal "\"$MKSQUASHFS\" -help-section time"' 'repro-time'
see 'a PAGER that is not there' 0 "$on_terminal"'PAGER=/nowhere/less on_terminal "\"$SQFSTAR\" -help"' '^SYNTAX'
see 'a PAGER with shell characters, where it is used' 1 "$on_terminal"'PAGER="a|b" on_terminal "\"$MKSQUASHFS\" -help"' 'PAGER is "a\|b"'
see 'and where it is not' 0 'PAGER="a|b" M d1 o; PAGER="a|b" mksquashfs -help' '^SYNTAX'

run '-stream and -fix' 0 'mksquashfs d1 - -stream >s; head -c 4 s; echo; SIZE s; mksquashfs -fix s; SIZE s; fsck.squashfs --compare d1 s; P s' <<'END'
HSQS
4192
"s" is an image now
4096
a hard lnk sub sub/b zero
END
see '-stream through a pipe' 0 'head -c 3000000 /dev/urandom >d1/big; mksquashfs d1 - -stream -comp zstd -tailends | cat >s; mksquashfs -fix s; fsck.squashfs --compare d1 s && fsck.squashfs -v s' 'clean'
see '-stream -nopad' 0 'mksquashfs d1 - -stream -nopad >s; mksquashfs -fix s; fsck.squashfs s; test $(SIZE s) -lt 1024'
see '-stream leaves out the file it goes to' 0 'cd d1; mksquashfs . - -stream >s; mksquashfs -fix s; P s' '^a hard lnk sub sub/b zero$'
see '-stream with -info-file' 0 'mksquashfs d1 - -stream -info-file i >s; cat i' '^file /a'
for other in -progress -percentage -info '-offset 4096'; do
  see "-stream and $other" 1 "mksquashfs d1 - -stream $other" "-stream and .* contradict"
done
see '-stream to a terminal' 1 "$on_terminal"'on_terminal "\"$MKSQUASHFS\" d1 - -stream"' 'does not write to a terminal'
see '-stream to a full device' 1 'mksquashfs d1 - -stream >/dev/full' 'No space left on device'
see '-fix of a usual image' 1 'M d1 o; cp o p; mksquashfs -fix o; s=$?; cmp o p && exit $s' 'does not begin with the bytes HSQS'
see '-fix of half a stream' 1 'head -c 300000 /dev/urandom >d1/b; mksquashfs d1 - -stream | head -c 200000 >s; mksquashfs -fix s; s=$?; head -c 4 s | grep -q HSQS && exit $s' 'no superblock'
see '-fix after a half one' 0 'mksquashfs d1 - -stream >s; tail -c 92 s | dd of=s bs=1 seek=4 conv=notrunc status=none; mksquashfs -fix s; fsck.squashfs --compare d1 s'
see '-fix needs a file' 1 'mksquashfs -fix' 'needs a value'
see '-fix: the file has to be there' 1 'mksquashfs -fix nosuch' 'nosuch'

run 'SIGQUIT names the file at work, and the build goes on' 0 '
  head -c 3000000 /dev/urandom >f2; for i in {1..30}; do cat f2; done >big
  env --default-signal=QUIT "$MKSQUASHFS" big o -quiet -comp xz -processors 1 & p=$!
  sleep 0.7; kill -QUIT $p; sleep 0.2; kill -QUIT $p; wait $p; echo $?; fsck.squashfs --quick o' <<'END'
/big
/big
0
END
