# Completion of mksquashfs, sqfstar and fsck.squashfs for bash.
# Made by man/generate.cc from the option tables; do not change it by hand.

_squashkit_mksquashfs() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local words="-comp -b -noI -noInodeCompression -noId -noIdTableCompression -noD -noDataCompression -noF -noFragmentCompression -noX -noXattrCompression -no-compression -Xhelp -noappend -keep-as-directory -no-strip -tarstyle -cpiostyle -cpiostyle0 -exports -no-exports -no-sparse -tailends -always-use-fragments -no-tailends -no-fragments -sort -no-duplicates -no-hardlinks -mkfs-time -fstime -inode-time -all-time -root-time -repro -repro-time -reproducible -not-reproducible -all-root -root-owned -force-uid -force-gid -force-file-mode -force-dir-mode -root-mode -root-uid -root-gid -uid-gid-offset -p -pf -pd -pseudo-dir -pseudo-override -ef -wildcards -regex -max-depth -one-file-system -one-file-system-x -dereference -deref -deref-path -e -action -log-action -true-action -false-action -action-file -log-action-file -true-action-file -false-action-file -xattrs -no-xattrs -xattrs-exclude -xattrs-include -xattrs-add -exit-on-error -quiet -info -info-file -no-progress -progress -percentage -processors -throttle -limit -mem -mem-percent -mem-default -single-reader -small-readers -block-readers -overcommit --stats -stats -root-becomes -no-recovery -recovery-path -recover -tar -zip -layer --layer -default-mode -default-uid -default-gid -ignore-zeros -numeric-owner -nopad -offset -o -stream -fix -help -h -help-all -ha -help-section -hs -help-option -ho -help-comp -cols -no-pager -version --version"
  local compressor=gzip i
  case $prev in
    -comp | -help-comp)
      mapfile -t COMPREPLY < <(compgen -W "gzip lzo lz4 xz zstd lzma" -- "$cur")
      return ;;
    -help-section | -hs)
      mapfile -t COMPREPLY < <(compgen -W "list compression build time permissions pseudo filter actions xattrs runtime append tar expert help" -- "$cur")
      return ;;
    -pd | -pseudo-dir | -recovery-path)
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return ;;
    -sort | -pf | -ef | -action-file | -log-action-file | -true-action-file | -false-action-file | -af | -vaf | -taf | -faf | -info-file | -log | --stats | -stats | -recover | -fix)
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
  esac
  if [[ $cur == -* ]]; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      [[ ${COMP_WORDS[i]} != -comp ]] || compressor=${COMP_WORDS[i + 1]}
    done
    case $compressor in
        gzip) words="$words -Xcompression-level -Xwindow-size -Xstrategy" ;;
        lzo) words="$words -Xalgorithm -Xcompression-level" ;;
        lz4) words="$words -Xhc -Xacceleration -Xcompression-level" ;;
        xz) words="$words -Xbcj -Xdict-size -Xpreset -Xe -Xlc -Xlp -Xpb" ;;
        zstd) words="$words -Xcompression-level" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}

_squashkit_sqfstar() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local words="-comp -b -noI -noInodeCompression -noId -noIdTableCompression -noD -noDataCompression -noF -noFragmentCompression -noX -noXattrCompression -no-compression -Xhelp -force -exports -no-sparse -no-tailends -no-fragments -no-duplicates -no-hardlinks -mkfs-time -fstime -inode-time -all-time -root-time -repro -repro-time -reproducible -not-reproducible -all-root -root-owned -force-uid -force-gid -force-file-mode -force-dir-mode -root-mode -root-uid -root-gid -uid-gid-offset -p -pf -pd -pseudo-dir -pseudo-override -ef -regex -xattrs -no-xattrs -xattrs-exclude -xattrs-include -xattrs-add -exit-on-error -quiet -info -info-file -no-progress -progress -percentage -processors -throttle -limit -mem -mem-percent -mem-default -overcommit --stats -stats -layer --layer -default-mode -default-uid -default-gid -ignore-zeros -numeric-owner -nopad -offset -o -stream -fix -help -h -help-all -ha -help-section -hs -help-option -ho -help-comp -cols -no-pager -version --version"
  local compressor=gzip i
  case $prev in
    -comp | -help-comp)
      mapfile -t COMPREPLY < <(compgen -W "gzip lzo lz4 xz zstd lzma" -- "$cur")
      return ;;
    -help-section | -hs)
      mapfile -t COMPREPLY < <(compgen -W "list compression build time permissions pseudo filter xattrs runtime tar expert help" -- "$cur")
      return ;;
    -pd | -pseudo-dir)
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return ;;
    -pf | -ef | -info-file | --stats | -stats | -fix)
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
  esac
  if [[ $cur == -* ]]; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      [[ ${COMP_WORDS[i]} != -comp ]] || compressor=${COMP_WORDS[i + 1]}
    done
    case $compressor in
        gzip) words="$words -Xcompression-level -Xwindow-size -Xstrategy" ;;
        lzo) words="$words -Xalgorithm -Xcompression-level" ;;
        lz4) words="$words -Xhc -Xacceleration -Xcompression-level" ;;
        xz) words="$words -Xbcj -Xdict-size -Xpreset -Xe -Xlc -Xlp -Xpb" ;;
        zstd) words="$words -Xcompression-level" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}

_squashkit_fsck_squashfs() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local words="-n --no -q --quiet -v --verbose --json --quick -o --offset --compare -j --processors --max-memory -p -a -y -f -h --help -V --version"
  case $prev in
    --compare)
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return ;;
  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}

complete -o filenames -F _squashkit_mksquashfs mksquashfs
complete -o filenames -F _squashkit_sqfstar sqfstar
complete -o filenames -F _squashkit_fsck_squashfs fsck.squashfs
