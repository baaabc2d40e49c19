#!/bin/sh
# Lack of memory: any one allocation of a command fails (tests/memory/fail_allocation.c; what is checked:
# tests/memory/every_command.sh), and any one of a program that uses libvef, whose call then fails
# (tests/memory/use_library.c). Tries PLACES allocations of each command (default: 12), spread evenly; `PLACES=all` each.
set -u
. tests/command.sh
. "$here/tests/memory/every_command.sh"
if ! ${CC:-cc} -O1 -shared -fPIC -o fail.so "$here/tests/memory/fail_allocation.c" || nm "$vef" 2>/dev/null | grep -q __asan_init; then
    skip "allocations cannot be made to fail here (a sanitized build, or another C library)"
    exit 0
fi

# some_of COUNT PARTS: of the numbers 1 to COUNT about PLACES * PARTS, spread evenly.
some_of() {
    step=1
    [ "${PLACES:=12}" = all ] || step=$(($1 / PLACES / $2 + 1))
    seq 1 $step "$1"
}
find_places() {
    LD_PRELOAD=./fail.so COUNT_ALLOCATIONS=count "$vef" "$@" >good.out 2>err </dev/null
    good=$?
    places=$(some_of "$(cat count)" 1)
}
fail_at() {
    number=$1
    shift
    LD_PRELOAD=./fail.so FAIL_ALLOCATION=$number "$vef" "$@" >out 2>err </dev/null
    status=$?
}
every_command

# ---- libvef ----

${CC:-cc} -O1 -I"$here/lib" -o use_library "$here/tests/memory/use_library.c" -L"$build" -lvef -Wl,-rpath,"$build" || fail "use_library does not build"
LD_PRELOAD=./fail.so COUNT_ALLOCATIONS=count ./use_library >good.out || fail "use_library: status $?"
for number in $(some_of "$(cat count)" 5); do
    LD_PRELOAD=./fail.so FAIL_ALLOCATION=$number ./use_library >out 2>err
    status=$?
    tried=$((tried + 1))
    [ $status -eq 3 ] || [ $status -eq 4 ] || { [ $status -eq 0 ] && cmp -s out good.out; } ||
        fail "libvef: allocation $number: status $status"
done
echo "$tried allocations failed"
[ $failures -eq 0 ]
