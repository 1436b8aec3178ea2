#!/bin/sh
# apt calls it before it calls dpkg for the first time (DPkg::Pre-Install-Pkgs, see apt.conf(5)), with
# what it is about to do on standard input: its settings, an empty line, and a line for each operation
# in its order, `NAME OLD-VERSION OLD-ARCH OLD-MULTI-ARCH < VERSION ARCH MULTI-ARCH FILE`.
#
# Where `foreseen` says what that must be, `agreed` is left if it is that; else `differs`, and apt ends
# without having begun.

folder=${0%/*}
if [ ! -e "$folder/foreseen" ]; then
  # The plan's order is not gone by any more: apt has been asked since.
  cat >/dev/null
  exit 0
fi
intention=$(
  sed -E -n \
    -e '1,/^$/d' \
    -e 's/^([^ ]+) [^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) ([^ ]+) [^ ]+ \*\*CONFIGURE\*\*$/Conf \1 \3 \2/p' \
    -e t \
    -e 's/^([^ ]+) .* \*\*REMOVE\*\*$/Remv \1/p' \
    -e t \
    -e 's/^([^ ]+) [^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) ([^ ]+) [^ ]+ .*/Inst \1 \3 \2/p'
)
if [ "$intention" = "$(cat "$folder/foreseen")" ]; then
  # A second name of what is there needs no room on the disk.
  ln "$folder/foreseen" "$folder/agreed" || : >"$folder/agreed"
  exit
fi
ln "$folder/foreseen" "$folder/differs" || : >"$folder/differs"
exit 1
