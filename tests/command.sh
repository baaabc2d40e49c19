# What tests of `vef` from the outside share; sourced by test scripts, which have the build folder as $1:
# `. tests/command.sh`. Leaves the caller in $TMPDIR, with the program as $vef and the tree as $here.
build=$1
here=$(pwd)
case $build in /*) ;; *) build=$here/$build ;; esac
vef=$build/vef
cd "$TMPDIR" || exit 1
failures=0

# Tools that read or write numbers: with a decimal point, in any locale of the user.
awk() { LC_ALL=C command awk "$@"; }

# fail WORDS...: counts a failure and shows what was printed last. A script ends with [ $failures -eq 0 ].
fail() {
    echo "FAIL: $*"
    cat out err 2>/dev/null | sed 's/^/  | /' | head -n 20
    failures=$((failures + 1))
}
# vef STATUS ARGUMENTS...: runs vef, expects that exit status, and leaves what it printed in out and err.
vef() {
    wanted=$1
    shift
    ran="vef $*"
    "$vef" "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || fail "$ran: status $status instead of $wanted"
}
# skip WORDS...: says that a part was not tested, and why.
skip() { echo "skipped: $*"; }
# prints PATTERN, says PATTERN: the last run did, on stdout or on stderr.
prints() { grep -q -- "$1" out || fail "$ran does not print '$1'"; }
says() { grep -q -- "$1" err || fail "$ran does not say '$1'"; }
# children_of PID, members_of SESSION, processes_of PROGRAM (a file): the ids of the processes, read in /proc.
processes() { cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [^Z] \([0-9]* [0-9]* [0-9]*\) .*/\1 \2/p'; }
children_of() { processes | awk -v parent="$1" '$2 == parent { print $1 }'; }
members_of() { processes | awk -v session="$1" '$4 == session { print $1 }'; }
processes_of() { for process in /proc/[0-9]*; do [ ! "$process/exe" -ef "$1" ] || echo "${process#/proc/}"; done; }
# wait_for COMMAND…: until it succeeds, or for a minute.
wait_for() {
    tries=0
    until "$@" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { fail "waited in vain: $*"; return 1; }
        sleep 0.1
    done
}

# texts FILE.svg: the texts of a picture, one in a line.
texts() {
    sed -n 's/<tspan[^>]*>//g; s/<.tspan>//g; s/.*<text[^>]*>\(.*\)<.text>$/\1/p' "$1"
}
