#!/bin/sh
# Stands between apt and dpkg: apt calls it as `/bin/sh GATE OPTIONS... --OPERATION ARGUMENTS...`.
#
# Every call that changes packages is written down in `calls` and then becomes dpkg. While a stop is
# asked for, `stop` holds, one on a line, the packages that are still let through, in the forms in
# which they are written down; a removal of others is held back here with status 75, and an archive
# by what stands in front of dpkg-split (`front`), which dpkg calls before it touches a package.
#
# apt unpacks all there is in as few calls as it can, and configures afterwards. `groups` holds where
# this is divided: lines of an archive and, behind tabs, what is configured when that is unpacked.
#
# FETTLE_ADMIN  the folder that holds dpkg's status file

folder=${0%/*}
admin=${FETTLE_ADMIN:-/var/lib/dpkg}
unset FETTLE_ADMIN
newline='
'
tab='	'
operation=
line=
files=
inners=$newline

# An archive that apt hands over; what cannot be told from others is not begun.
archive() {
  case $1 in
  *[[:cntrl:]]*) exit 75 ;;
  esac
  files=$files$1$newline
  inners=$inners$2$newline
}

note() {
  case $1 in
  -* | *[[:cntrl:]]*) return ;;
  esac
  line=$line$tab$1
}

# What is configured already, a package on a line. All are asked for at once: each question has all of
# dpkg's database read.
configured=$newline
if [ -e "$folder/groups" ]; then
  wanted=
  is_wanted=
  for argument; do
    case $argument in
    --configure) is_wanted=yes ;;
    -*) ;;
    *) [ -z "$is_wanted" ] || wanted=$wanted$argument$newline ;;
    esac
  done
  if [ -n "$wanted" ]; then
    format='${db:Status-Status} ${binary:Package}\n${db:Status-Status} ${Package}:${Architecture}\n'
    configured=$newline$(
      IFS=$newline
      set -f
      # shellcheck disable=SC2086
      dpkg-query --admindir="$admin" -W -f "$format" $wanted 2>/dev/null |
        sed -n -E 's/^(installed|triggers-awaited|triggers-pending) //p'
    )$newline
  fi
fi

# Archives are taken out of the arguments; dpkg gets them by group.
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  if [ -z "$operation" ]; then
    case $argument in
    --unpack | --remove | --purge | --configure | --triggers-only) operation=${argument#--} ;;
    esac
  elif [ "$operation" = unpack ]; then
    case $argument in
    --recursive) continue ;;
    -*) ;;
    *)
      if [ -d "$argument" ]; then
        # apt hands over more than a few archives as a folder of links, numbered in their order.
        for inner in "$argument"/*.deb; do
          name=${inner##*/}
          archive "$inner" "${name#*-}"
        done
      else
        archive "$argument" "${argument##*/}"
      fi
      continue
      ;;
    esac
  else
    case $argument in
    --pending | -a) line=$line$tab$argument ;;
    *)
      # A package that its group was configured with has had what apt wants for it.
      if [ "$operation" = configure ]; then
        case $configured in
        *"$newline$argument$newline"*) continue ;;
        esac
      fi
      note "${argument##*/}"
      ;;
    esac
  fi
  set -- "$@" "$argument"
done

[ -n "$operation" ] || exec /usr/bin/dpkg "$@"

# What apt means to do has not been compared with the plan: its settings took that hook away.
[ ! -e "$folder/foreseen" ] || [ -e "$folder/agreed" ] || exit 75

# A plain exec that cannot open its file ends the shell.
take_lock() { command exec 9>>"$folder/gate" && flock 9; }

# A removal that was not promised is held back.
hold_back() {
  [ -e "$folder/stop" ] || return
  let_through=$newline$(cat "$folder/stop")$newline
  rest=$line
  while [ -n "$rest" ]; do
    rest=${rest#"$tab"}
    name=${rest%%"$tab"*}
    rest=${rest#"$name"}
    case $let_through in
    *"$newline$name$newline"*) return ;;
    esac
  done
  # A second name of what is there needs no room on the disk.
  printf '%s\n' "$operation$line" >>"$folder/stopped" || ln "$folder/stop" "$folder/stopped"
  exit 75
}

# Calls dpkg with the archives of `batch`, which no name can break: they have no control characters.
unpack() {
  (
    exec 6<&- 7<&- 8<&-
    PATH=$folder/front:$PATH
    # Without it, nothing would keep an archive back.
    [ "$(command -v dpkg-split)" = "$folder/front/dpkg-split" ] || exit 75
    IFS=$newline
    set -f
    # shellcheck disable=SC2086
    exec /usr/bin/dpkg --abort-after=1 "$@" $batch
  )
}

# Configures what `names` has, triggers aside: they run at the end.
configure() {
  count=$#
  while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    --unpack | --auto-deconfigure) ;;
    *) set -- "$@" "$argument" ;;
    esac
  done
  take_lock && printf 'configure\t%s\n' "$names" >>"$folder/calls" || return 75
  exec 9>&-
  IFS=$tab
  set -f
  # shellcheck disable=SC2086
  /usr/bin/dpkg "$@" --no-triggers --configure $names 6<&- 7<&- 8<&- || return
  set +f
  unset IFS
}

if [ "$operation" = unpack ]; then
  batch=
  end=
  next() {
    while IFS=$tab read -r end names <&8; do
      # Ends that another call of apt's has, or had, are no business of this one.
      case $inners in
      *"$newline$end$newline"*) return ;;
      esac
    done
    end=
  }
  if [ -r "$folder/groups" ]; then
    exec 8<"$folder/groups"
    next
    exec 7<<FILES 6<<INNERS
$files
FILES
${inners#"$newline"}
INNERS
    while [ -n "$end" ] && IFS= read -r file <&7 && IFS= read -r inner <&6; do
      [ -n "$file" ] || break
      batch=$batch$file$newline
      [ "$inner" = "$end" ] || continue
      # Without apt nobody waits for this, and the worker sees to what was begun.
      [ -d "/proc/$PPID" ] || exit 75
      unpack "$@" || exit
      [ -d "/proc/$PPID" ] || exit 75
      configure "$@" || exit
      files=${files#*"$file$newline"}
      batch=
      next
    done
    exec 6<&- 7<&- 8<&-
  fi
  batch=$files
  [ -n "$batch" ] || exit 0
  [ -d "/proc/$PPID" ] || exit 75
  unpack "$@"
  exit
fi

take_lock || exit 75
case $operation in
remove | purge) hold_back ;;
configure) [ -n "$line" ] || exit 0 ;;
esac
printf '%s\n' "$operation$line" >>"$folder/calls" || exit 75
exec 9>&-
exec /usr/bin/dpkg "$@"
