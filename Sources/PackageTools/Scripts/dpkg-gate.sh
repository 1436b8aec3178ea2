#!/bin/sh
# Stands between apt and dpkg: apt calls it as `/bin/sh GATE OPTIONS... --OPERATION ARGUMENTS...`.
#
# Every call that changes packages is written down and then becomes dpkg, unless a stop was asked
# for and the package database is at a boundary: then the call is held back with status 75.
#
# FETTLE_ADMIN  the folder that holds dpkg's status file
# FETTLE_HALF   how many packages were unpacked or half installed before the job
#
# The file `stop` holds, one on a line, the packages that are still let through, in the forms in
# which they are written down here.

folder=${0%/*}
admin=${FETTLE_ADMIN:-/var/lib/dpkg}
half=${FETTLE_HALF:-0}
unset FETTLE_ADMIN FETTLE_HALF

operation=
line=
held=
newline='
'
tab='	'

note() {
  case $1 in
  -* | *[[:cntrl:]]*) return ;;
  esac
  line=$line$tab$1
}

for argument; do
  if [ -z "$operation" ]; then
    case $argument in
    --unpack | --remove | --purge) operation=${argument#--} held=possible ;;
    --configure | --triggers-only) operation=${argument#--} ;;
    esac
  elif [ -d "$argument" ]; then
    # apt hands over more than a few archives as a folder of links, numbered in their order.
    for inner in "$argument"/*.deb; do
      inner=${inner##*/}
      number=${inner%%-*}
      case $number in
      '' | *[!0-9]*) ;;
      *) inner=${inner#"$number"-} ;;
      esac
      note "$inner"
    done
  else
    case $argument in
    --pending | -a) line=$line$tab$argument ;;
    *) note "${argument##*/}" ;;
    esac
  fi
done

[ -n "$operation" ] || exec /usr/bin/dpkg "$@"

exec 9>>"$folder/gate" && flock 9 || exit 75

if [ -n "$held" ] && [ -e "$folder/stop" ]; then
  let_through=$newline$(cat "$folder/stop")$newline
  rest=$line
  while [ -n "$rest" ]; do
    rest=${rest#"$tab"}
    name=${rest%%"$tab"*}
    rest=${rest#"$name"}
    case $let_through in
    *"$newline$name$newline"*) held= rest= ;;
    esac
  done
  if [ -n "$held" ]; then
    now=$(grep -c '^Status: .* \(unpacked\|half-installed\)$' "$admin/status")
    if [ "$now" -le "$half" ]; then
      # A second name of what is there needs no room on the disk.
      printf '%s\n' "$operation$line" >>"$folder/stopped" || ln "$folder/stop" "$folder/stopped"
      exit 75
    fi
  fi
fi

printf '%s\n' "$operation$line" >>"$folder/calls"
exec 9>&-
exec /usr/bin/dpkg "$@"
