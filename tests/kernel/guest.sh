#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A second kernel judges: Debian's stock kernel, which reads images in other ways than the running
# one may (straight into the page cache, one decompressor per processor), in QEMU without KVM. The
# guest mounts each image and lists it with a digest of each file; the list must be the source's.
# usage: guest.sh [--tree DIR] [COMPRESSOR:BLOCK_SIZE... | --image FILE]    (environment: kernel_lib.sh)
# The kernel is Debian's package, kept in $BUILD/guest; GUEST_ROOT names an unpacked one instead.
set -u
# shellcheck source=tests/kernel/kernel_lib.sh
. "$(dirname "$0")/kernel_lib.sh"

given_tree='' given_image=''
if [ "${1:-}" = --tree ]; then given_tree=$2; shift 2; fi
if [ "${1:-}" = --image ]; then given_image=$2; shift 2; fi
if [ $# -gt 0 ]; then combinations="$*"
elif [ "$full" = 1 ]; then
  combinations=$(for block in 4096 131072 1048576; do
    for compressor in gzip xz lzo lz4 zstd; do echo "$compressor:$block"; done; done)
else
  combinations='gzip:131072 xz:131072 lzo:4096 lz4:4096 zstd:131072'
fi
[ -z "$given_image" ] || combinations=given:131072

cache=$BUILD/guest
lister=$cache/tree_lister
mkdir -p "$cache"

# --- the kernel ---------------------------------------------------------------------------------

fetch_kernel() { # unpacks the package into $cache/root
  have apt-get && have dpkg-deb || { echo 'no apt-get to fetch the kernel with'; return 1; }
  local package
  newest() { apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1; }
  package=$(newest)
  if [ -z "$package" ] && [ "$(id -u)" -eq 0 ]; then
    apt-get -qq update >/dev/null 2>&1 </dev/null
    package=$(newest)
  fi
  [ -n "$package" ] || { echo 'no package linux-image-cloud-amd64 is known'; return 1; }
  mkdir -p "$work/package"
  (cd "$work/package" && quietly apt-get -q download "$package") || { echo "$package cannot be had: $(reason)"; return 1; }
  rm -rf "$cache/root" && dpkg-deb -x "$work"/package/*.deb "$work/package/root" && mv "$work/package/root" "$cache/root"
}

find_kernel() { # sets kernel and modules, or prints why not
  local base=${GUEST_ROOT:-$cache/root}
  [ "$(uname -m)" = x86_64 ] || { echo 'the guest is x86_64, this machine is not'; return 1; }
  have qemu-system-x86_64 || { echo 'no qemu-system-x86_64'; return 1; }
  compgen -G "$base/boot/vmlinuz-*" >/dev/null || [ -n "${GUEST_ROOT:-}" ] || fetch_kernel || return 1
  kernel=$(compgen -G "$base/boot/vmlinuz-*" | sort -V | tail -n 1)
  modules=$base/lib/modules/${kernel##*/vmlinuz-}
  [ -n "$kernel" ] && [ -d "$modules" ] || { echo "no kernel with modules below $base"; return 1; }
}
kernel='' modules=''
find_kernel >"$work/why" || { skip "no guest: $(cat "$work/why")"; finish; }
[ "$(id -u)" -eq 0 ] || [ -n "$given_tree" ] || { skip 'the torture tree needs root'; finish; }
if [ ! -x "$lister" ]; then fail "no such program: $lister"; finish; fi

# --- the images ---------------------------------------------------------------------------------

disk=$work/images
truncate -s 64K "$disk"
: >"$work/index"
tree_for() { if [ -n "$given_tree" ]; then echo "$given_tree"; else echo "$work/tree.${1#*:}"; fi; }
for combination in $combinations; do
  tree=$(tree_for "$combination") block=${combination#*:} image=$work/image
  [ -d "$tree" ] || "$TORTURE" "$tree" "$block" || { fail "$combination: the tree could not be made"; continue; }
  if [ -n "$given_image" ]; then
    image=$given_image
  elif ! quietly "$MKSQUASHFS" "$tree" "$image" -noappend -no-progress -comp "${combination%:*}" -b "$block"; then
    fail "$combination: mksquashfs exits $?: $(reason)"
    continue
  fi
  [ -s "$image" ] || { fail "$combination: there is no image"; continue; }
  listing=$work/expected.${tree##*/}
  [ -f "$listing" ] || "$lister" "$tree" >"$listing"
  # The loop device of the guest sees the image alone, rounded up to its sectors.
  size=$(stat -c %s "$image") offset=$(stat -c %s "$disk")
  echo "$offset $(((size + 4095) / 4096 * 4096)) $combination" >>"$work/index"
  cat "$image" >>"$disk"
  truncate -s %4096 "$disk"
  [ -n "$given_image" ] || rm -f "$image"
done
dd if="$work/index" of="$disk" conv=notrunc status=none

# --- the boot -----------------------------------------------------------------------------------

"$root/tests/kernel/guest_initramfs.py" "$modules" "$lister" "$work/initramfs" virtio_pci virtio_blk loop squashfs ||
  { fail 'the initramfs could not be made'; finish; }
truncate -s 1G "$work/listings"
started=$SECONDS
timeout -k 5 "$TIME_LIMIT" qemu-system-x86_64 -M pc -accel tcg -m 1G -nodefaults -no-user-config -display none -no-reboot \
  -serial "file:$work/console" -kernel "$kernel" -initrd "$work/initramfs" \
  -append 'console=ttyS0 panic=-1 loglevel=4 mitigations=off random.trust_cpu=on' \
  -drive "file=$disk,if=virtio,format=raw,readonly=on" \
  -drive "file=$work/listings,if=virtio,format=raw,cache=unsafe" >"$work/qemu" 2>&1 </dev/null
status=$?
echo "guest kernel ${kernel##*/vmlinuz-}: $((SECONDS - started)) s"
if [ $status -ne 0 ] || ! grep -q 'guest: done' "$work/console"; then
  fail "the guest did not finish (status $status): $(cat "$work/qemu" | head -n 3) $(tail -n 5 "$work/console" | tr -d '\r' | tr '\n' ' ')"
  finish
fi

# --- the verdict --------------------------------------------------------------------------------

while read -r _ _ combination; do
  tree=$(tree_for "$combination")
  tr -d '\0' <"$work/listings" | sed -n "/^image $combination\$/,/^end $combination\$/p" | sed '1d;$d' >"$work/found"
  if cmp -s "$work/expected.${tree##*/}" "$work/found"; then pass; else
    fail "$combination: the guest reads $(diff "$work/expected.${tree##*/}" "$work/found" | grep -c '^[<>]') lines differently:" \
      "$(diff "$work/expected.${tree##*/}" "$work/found" | grep '^[<>]' | head -n 4 | cut -c1-200 | tr '\n' ';')"
  fi
done <"$work/index"
if grep -qE 'SQUASHFS error|WARNING:|BUG:|Oops' "$work/console"; then
  fail "the guest kernel complains: $(grep -E 'SQUASHFS error|WARNING:|BUG:|Oops' "$work/console" | head -n 3 | tr -d '\r' | tr '\n' ';')"
else
  pass
fi
finish
