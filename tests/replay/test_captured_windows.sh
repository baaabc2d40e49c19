#!/bin/sh
# Windows, neighbours and two groups from end to end: a program that uses them all is captured and replays
# to its end on every network, with as many tasks as make groups of one, of the same and of different sizes.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}

cat >ideal.yaml <<'END'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
END
cat >mesh.yaml <<'END'
topology: {family: mesh, sizes: [3, 2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
END
${MPICC:-mpicc.mpich} -O1 -w -o sides "$here/tests/mpi/sides.c" || exit 1
time_of() { sed -n 's/^  "time_ns": \([0-9]*\).*$/\1/p' out; }
for tasks in 2 3 5; do
    vef 0 capture -o sides$tasks.vef -- "$mpiexec" -n $tasks ./sides
    vef 0 replay sides$tasks.vef --net ideal.yaml --json
    ideal=$(time_of)
    # A task: 3 fences; 5 operations beside those in locks and between start and complete; lock_all,
    # flush, unlock_all; 4 times lock, put, unlock; 3 times post, start, put, complete, wait.
    prints "$((tasks * (3 + 5 + 3 + 12 + 15))) one-sided"
    prints "$((tasks * 2)) non-blocking"
    vef 0 replay sides$tasks.vef --net mesh.yaml --json
    [ "$(time_of)" -gt "$ideal" ] || fail "a network that takes time takes none"
    cp out first
    vef 0 replay sides$tasks.vef --net mesh.yaml --json
    cmp -s first out || fail "a replay is not the same twice"
done
[ $failures -eq 0 ]
