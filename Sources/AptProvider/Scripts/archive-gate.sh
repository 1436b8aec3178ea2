#!/bin/sh
# Replaces dpkg-split, which dpkg calls for each archive before it changes the package:
# `dpkg-split -Qao OUTPUT ARCHIVE`. Status 1 means that the archive is not a part of a larger one.
#
# The archive is recorded in `calls`. If a stop was requested and the archive is not among those that
# are still unpacked, the script ends with status 75, which dpkg treats as a failure before the
# unpacking. If the archive cannot be recorded, it is not unpacked: status 74, a failure of the job.

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

# Without `command`, an exec that cannot open its file would end the shell.
{ command exec 9>>"$folder/gate"; } 2>/dev/null || fail gate
flock 9 || fail gate
if [ -e "$folder/stop" ]; then
  let_through=$newline$(cat "$folder/stop")$newline
  case $let_through in
  *"$newline$name$newline"*) ;;
  *)
    # A hard link to an existing file needs no space on a full disk.
    printf 'unpack\t%s\n' "$name" >>"$folder/stopped" || ln "$folder/stop" "$folder/stopped"
    exit 75
    ;;
  esac
fi
printf 'unpack\t%s\n' "$name" >>"$folder/calls" || fail calls
exit 1
