#!/bin/sh
# apt calls this script in place of dpkg: `/bin/sh GATE OPTIONS... --OPERATION ARGUMENTS...`.
#
# Every call that changes packages is recorded in `calls`; then the script executes dpkg. After a
# request to stop, the file `stop` lists the packages that are still allowed, one per line, in the
# form in which they are recorded. For the removal of another package this script ends with status
# 75; archives are checked by the script in place of dpkg-split (`front`), which dpkg calls before it
# changes a package.
#
# apt unpacks everything in as few calls as it can and configures afterwards. The file `groups` says
# where to divide that: each line has the last archive of a group and, after tabs, the packages to
# configure once it is unpacked.
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

# Adds an archive of apt's call; a name with control characters cannot be recorded and ends the call.
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

# The packages that are configured already, one per line, found with one call: each call of
# dpkg-query reads the whole database.
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

# Archives are removed from the arguments; dpkg receives them by group.
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
        # apt passes more than a few archives as a folder of links, numbered in their order.
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
      # A package that was configured with its group needs no second call.
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

# apt's actions were not compared with the plan: its settings removed the hook.
[ ! -e "$folder/foreseen" ] || [ -e "$folder/agreed" ] || exit 75

# Without `command`, an exec that cannot open its file would end the shell.
take_lock() { command exec 9>>"$folder/gate" && flock 9; }

# Ends with status 75 for a removal that is not allowed after a request to stop.
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
  # A hard link to an existing file needs no space on a full disk.
  printf '%s\n' "$operation$line" >>"$folder/stopped" || ln "$folder/stop" "$folder/stopped"
  exit 75
}

# Calls dpkg with the archives of `batch`, split at line feeds: names have no control characters.
unpack() {
  (
    exec 6<&- 7<&- 8<&-
    PATH=$folder/front:$PATH
    # Otherwise no archive could be refused after a request to stop.
    [ "$(command -v dpkg-split)" = "$folder/front/dpkg-split" ] || exit 75
    IFS=$newline
    set -f
    # shellcheck disable=SC2086
    exec /usr/bin/dpkg --abort-after=1 "$@" $batch
  )
}

# Configures the packages in `names` without triggers, which run at the end.
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
      # Groups that end in another call of apt are skipped.
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
      # If apt has ended, the worker configures the unpacked packages.
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
