#!/bin/sh
# Work beside polling is computation, waiting is not: tests/mpi/polls.c prints what its work took by its
# own CPU clock, and the replay is compared with that. The threads of a task alone share one core.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
${MPICC:-mpicc.mpich} -O1 -pthread -o polls "$here/tests/mpi/polls.c" || exit 1
core=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')

# captured TASKS MODE CLOCK: sets work_ns and wall_ns.
captured() {
    tasks=$1 mode=$2 clock=$3
    set -- "$mpiexec" -n "$tasks" ./polls "$mode"
    [ "$tasks" -gt 1 ] || set -- taskset -c "$core" "$@"
    vef 0 capture --force --clock "$clock" -o out.vef -- "$@"
    work_ns=$(awk 'NF == 2 { print $1 }' out)
    wall_ns=$(awk 'NF == 2 { print $2 }' out)
}
# takes LEAST MOST NS [OPTION…]: the replay, compared with multiples of NS.
takes() {
    least=$1 most=$2 ns=$3
    shift 3
    vef 0 replay out.vef --net '{model: ideal, host: {outside: false}}' --json "$@"
    awk -v least="$least" -v most="$most" -v ns="$ns" '/"time_ns"/ { time = $2 + 0 }
        END { exit !(time >= least * ns && time <= most * ns) }' out ||
        fail "$ran: $(grep '"time_ns"' out), expected $least to $most times $ns"
}

captured 1 flag cpu
takes 0.9 1.5 "$work_ns"
captured 1 flag wall
takes 0.8 1.3 "$wall_ns"
captured 1 slices cpu
takes 0.9 1.5 "$work_ns"
captured 1 progress cpu
takes 0.9 1.5 "$work_ns"
# The sender computes for a hundredth of its time: the wait for its message shrinks.
faster='host.stragglers={1: 0.01}'
captured 2 message cpu
takes 1.8 3 "$work_ns"
takes 0.9 1.5 "$work_ns" --set "$faster"
captured 2 beside cpu
takes 0.9 1.5 "$work_ns" --set "$faster"
[ $failures -eq 0 ]
