# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# fsck.squashfs.
. "$(dirname "$0")/lib.sh"

run 'a good image: not a word' 0 'M d1 o; for f in "" -n -q "-p -a -y -f" "-nq" --no --quiet --quick "-j 1" "--processors 3" "--max-memory 64M"; do fsck.squashfs $f o || echo "$f"; done' <<'END'
END
see '-v says what was checked' 0 'M d1 o; fsck.squashfs -v o' '^o: clean; 6 inodes \(2 directories, 3 files\)'
see '--verbose' 0 'M d1 o; fsck.squashfs --verbose o' 'clean'
run '--compare' 0 'M d1 o; fsck.squashfs --compare d1 o' <<'END'
END
run '--compare finds what differs' 4 'M d1 o; chmod 600 d1/sub/b; echo c >>d1/zero; ln -sf b d1/lnk; rm d1/hard
  touch -d @1000 d1 d1/sub; touch -h -d @1000 d1/lnk d1/zero; : >d1/new; touch -d @1000 d1
  fsck.squashfs --compare d1 o' <<'END'
o: difference[presence]: /hard: present in the image, missing in the directory
o: difference[target]: /lnk: a in the image, b in the directory
o: difference[presence]: /new: missing in the image, present in the directory
o: difference[size]: /zero: 0 in the image, 2 in the directory
o: difference[mode]: /sub/b: 0644 in the image, 0600 in the directory
o: 5 differences
END
see 'garbage' 4 'head -c 8192 /dev/zero >o; fsck.squashfs o' '^o: fatal\[super-magic\]: superblock: '
see 'an image that was cut' 4 'M d1 o -nopad; head -c 300 o >t; fsck.squashfs t' 'fatal\[image-truncated\]'
run '-q says nothing about it' 4 'head -c 8192 /dev/zero >o; fsck.squashfs -q o' <<'END'
END
see 'a missing image' 8 'fsck.squashfs nosuch' '^fsck.squashfs: nosuch: cannot open'
see 'a directory' 8 'fsck.squashfs d1'
see 'no image' 16 'fsck.squashfs' '^SYNTAX'
see 'two images' 16 'fsck.squashfs a b' 'one image'
see 'an unknown option' 16 'fsck.squashfs -Z o' '-Z is no option'
see '--help' 0 'fsck.squashfs --help' '--max-memory'
see '-h' 0 'fsck.squashfs -h' 'Exit status'
see '-V' 0 'fsck.squashfs -V' '^fsck.squashfs version'
see '--version' 0 'fsck.squashfs --version' '^fsck.squashfs version'
see 'findings that get lost' 8 'M d1 o; fsck.squashfs -v o >/dev/full'
run '--json of a clean image' 0 'M d1 o -repro; fsck.squashfs --json --compare d1 o | python3 -c "
import json, sys
d = json.load(sys.stdin)
print(d[\"image\"], d[\"result\"], d[\"findings\"], d[\"differences\"], d[\"counts\"][\"inodes\"])"' <<'END'
o clean [] [] 6
END
run '--json gives names back byte by byte' 0 'M d1 o; touch "d1/$(printf "\\377\\303\\266\\nx")"; fsck.squashfs --json --compare d1 o | python3 -c "
import json, os, sys
d = json.load(sys.stdin)
print([os.fsencode(x[\"path\"]) for x in d[\"differences\"] if x[\"field\"] == \"presence\"])"' <<'END'
[b'/\xff\xc3\xb6\nx']
END
run '--json when it cannot run' 0 'fsck.squashfs --json nosuch 2>/dev/null | python3 -c "
import json, sys
d = json.load(sys.stdin)
print(d[\"result\"], d[\"error\"] != \"\")"' <<'END'
not judged True
END
see 'it never writes' 0 'M d1 o; chmod 444 o; sha1sum o >s; fsck.squashfs -y o; sha1sum -c s'
