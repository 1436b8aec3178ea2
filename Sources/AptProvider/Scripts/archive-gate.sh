#!/bin/sh
# Stands in front of dpkg-split, which dpkg calls for each archive before it touches the package:
# `dpkg-split -Qao OUTPUT ARCHIVE`. Status 1 means that the archive is not a part of a larger one.
#
# The archive is written down in `calls`, unless a stop is asked for and it is not promised: then it
# is held back with status 75, which dpkg takes for a failure before anything has happened. What
# cannot be written down is not unpacked either, with status 74: that is a failure.

folder=${0%/front/*}
newline='
'
for archive; do :; done
name=${archive##*/}
parent=${archive%/*}
case ${parent##*/} in
apt-dpkg-install-*) name=${name#*-} ;;
esac

fail() {
  echo "fettle: $name is not unpacked, because $1 cannot be written in $folder" >&2
  exit 74
}

# A plain exec that cannot open its file ends the shell.
{ command exec 9>>"$folder/gate"; } 2>/dev/null || fail gate
flock 9 || fail gate
if [ -e "$folder/stop" ]; then
  let_through=$newline$(cat "$folder/stop")$newline
  case $let_through in
  *"$newline$name$newline"*) ;;
  *)
    # A second name of what is there needs no room on the disk.
    printf 'unpack\t%s\n' "$name" >>"$folder/stopped" || ln "$folder/stop" "$folder/stopped"
    exit 75
    ;;
  esac
fi
printf 'unpack\t%s\n' "$name" >>"$folder/calls" || fail calls
exit 1
