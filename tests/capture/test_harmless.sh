#!/bin/sh
# A captured program does what it does without capture: a choice of the cases of tests/harmless (all: make harmless), and
# the comparison notices each way in which a library can harm a program (tests/harmless/spoil.c).
# With each MPI library.
. tests/command.sh
set -u
if ldd "$build/libvefcapture.so" | grep -q libasan; then
    skip "plain and captured are not compared in a build with AddressSanitizer, whose runtime every captured process has"
    exit 0
fi
first=${MPIS%% *} MPIS=${VEF_TEST_MPI:-mpich}
HARMLESS_MADE=$TMPDIR/made
export MPIS HARMLESS_MADE
run() { sh "$here/tests/harmless/run.sh" "$build" "$@" >out 2>err; }

ran="run.sh --quick"
run --quick || { fail "captured programs differ"; cat out; }
count=$(sed -n 's/ cases compared, .*//p' out)
[ "${count:-0}" -ge 10 ] || fail "only ${count:-0} cases were compared"
[ "$MPIS" = "$first" ] || exit $((failures > 0)) # the comparison itself is the same with each

${CC:-cc} -D_GNU_SOURCE -O1 -w -shared -fPIC -o spoil.so "$here/tests/harmless/spoil.c" -lm || exit 1
# spoiled CASE WAYS...: the comparison of the case reports a difference for each of these ways, and none for `nothing`.
spoiled() {
    case=$1
    shift
    ran="run.sh --spoiled: $*"
    LIMIT=${limit:-60} run --spoiled "$TMPDIR/spoil.so" "$*" "=$case"
    grep -q "^$# cases compared, " out || fail "$*: not $# comparisons"
    grep -q '^WRONG' out && fail "$*: the plain run failed"
    for way; do
        if [ "$way" = nothing ]; then
            grep -q "^DIFFERS.*: $way: " out && fail "the comparison reports differences where there are none"
        else
            grep -q "^DIFFERS.*: $way: " out || fail "the comparison does not notice: $way"
        fi
    done
}
spoiled look_state nothing output errors handler mask descriptor environment limit umask slack rounding folder
spoiled look_files nothing file content mode size missing status signal
limit=5 spoiled look_files hang
[ $failures -eq 0 ]
