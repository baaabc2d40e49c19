#!/bin/sh
# The example programs: each verifies its own result for several numbers of tasks and sizes, also ones
# that do not divide, and refuses what makes no sense with status 2 and a message.
set -u
build=$1
failures=0
# The programs are what is looked at here, not what MPICH leaves allocated at its end.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
: "${MPIEXEC:=mpiexec.mpich}"

fail() {
    echo "FAILED: $*"
    cat "$TMPDIR/out" "$TMPDIR/err"
    failures=$((failures + 1))
}

# run TASKS PROGRAM ARGUMENTS...: must end with status 0 and one line of its own that says "N tasks" and
# "verified". (Where it finds no /sys, MPICH's UCX complains on stdout.)
run() {
    tasks=$1 program=$2
    shift 2
    "$MPIEXEC" -n "$tasks" "$build/examples/$program" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    [ $status -eq 0 ] && [ "$(grep -c "^$program " "$TMPDIR/out")" -eq 1 ] &&
        grep -q "^$program .* $tasks tasks .* verified\$" "$TMPDIR/out" ||
        fail "$program $* with $tasks tasks, status $status"
}

# refuse TASKS WORDS PROGRAM ARGUMENTS...: must end with status 2, no result and WORDS on stderr.
refuse() {
    tasks=$1 words=$2 program=$3
    shift 3
    "$MPIEXEC" -n "$tasks" "$build/examples/$program" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    [ $status -eq 2 ] && ! grep -q "^$program " "$TMPDIR/out" && grep -q "^$program: .*$words" "$TMPDIR/err" ||
        fail "$program $* with $tasks tasks should be refused ($words), status $status"
}

for tasks in 1 2 4; do
    run $tasks halo2d -n 64 -i 10
    run $tasks cg -n 256 -d 8 -i 1
    run $tasks fft3d -n 16 -i 3
    run $tasks sort -n 20000 -i 3
    run $tasks wavefront -n 12 -i 3
    run $tasks bfs -n 9 -i 3
done
run 3 halo2d -n 50 -i 10
run 3 sort -n 1000 -b 12 -i 2
run 3 wavefront -n 13 -i 3
run 3 bfs -n 8 -i 3
run 6 halo2d -n 35 -i 4   # uneven parts in both directions of the grid of tasks
run 6 wavefront -n 7 -i 2
run 8 cg -n 128 -d 4 -i 1 # twice as many columns of tasks as rows, more than one row
run 5 sort -n 3 -i 2      # fewer keys than tasks

for program in halo2d cg fft3d sort wavefront bfs; do
    refuse 1 'unknown option' $program -x 3
    refuse 1 'lacks its value' $program -n
    refuse 2 '-n 1x:' $program -n 1x
    refuse 2 '-i 0:' $program -i 0
done
refuse 3 'power of two' cg
refuse 3 'power of two' fft3d
refuse 1 'power of two' fft3d -n 24
refuse 8 'power of two up to the side 4' fft3d -n 4
refuse 4 'do not divide' cg -n 257
refuse 1 'no room' cg -n 16 -d 8
refuse 5 '5 tasks need a cube of side 5' wavefront -n 3
[ $failures -eq 0 ]
