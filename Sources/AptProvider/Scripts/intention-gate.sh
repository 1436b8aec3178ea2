#!/bin/sh
# apt calls this script before its first call of dpkg (DPkg::Pre-Install-Pkgs, see apt.conf(5)). On
# standard input it gets apt's settings, an empty line, and a line for each operation in its order:
# `NAME OLD-VERSION OLD-ARCH OLD-MULTI-ARCH < VERSION ARCH MULTI-ARCH FILE`.
#
# If the operations equal the file `foreseen`, the script makes the file `agreed`; otherwise it makes
# `differs` and fails, and apt ends before it changes anything.

folder=${0%/*}
if [ ! -e "$folder/foreseen" ]; then
  # There is nothing to compare with: apt was asked again since the plan.
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
  # A hard link to an existing file needs no space on a full disk.
  ln "$folder/foreseen" "$folder/agreed" || : >"$folder/agreed"
  exit
fi
ln "$folder/foreseen" "$folder/differs" || : >"$folder/differs"
exit 1
