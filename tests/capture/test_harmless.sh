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
# spoiled WAY CASE: the comparison of the case reports a difference.
spoiled() {
    ran="run.sh --spoiled: $1"
    SPOIL=$1 LIMIT=${3:-60} run --spoiled "$TMPDIR/spoil.so" "=$2" && fail "the comparison does not notice: $1"
    grep -q '^1 cases compared, 1 differ' out || fail "$1: no comparison"
    grep -q '^WRONG' out && fail "$1: the plain run failed"
}
SPOIL=nothing run --spoiled "$TMPDIR/spoil.so" =look_files || fail "the comparison reports differences where there are none"
for way in output errors handler mask descriptor environment limit umask slack rounding folder; do
    spoiled $way look_state
done
for way in file content mode size missing status signal; do
    spoiled $way look_files
done
spoiled hang look_files 5
[ $failures -eq 0 ]
