#!/bin/sh
# Every call that traces hold, made by real tasks: the program that tests of capture make them all with
# replays to its last event on every network, and none of its calls is left out but those that only
# count.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}

cat >ideal.yaml <<'EOF'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
EOF
cat >mesh.yaml <<'EOF'
topology: {family: mesh, sizes: [2, 2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
EOF
for large in "" -DLARGE; do
    if [ -n "$large" ] && [ "${VEF_TEST_MPI:-mpich}" != mpich ]; then
        skip 'large counts: they need MPI 4.0'
        continue
    fi
    # shellcheck disable=SC2086
    ${MPICC:-mpicc.mpich} $large -O1 -w -o calls "$here/tests/mpi/every_call.c" -lpthread || exit 1
    rm -f calls.vef
    vef 0 capture -o calls.vef -- "$mpiexec" -n 3 ./calls .
    events=$(sed -n 's/.*: 3 tasks, \([0-9]*\) events.*/\1/p' out err 2>/dev/null | head -n 1)
    [ "${events:-0}" -gt 800 ] || fail "${events:-no} events"
    for network in ideal mesh; do
        vef 0 replay calls.vef --net $network.yaml
        prints "(3 tasks, $events events replayed)"
        grep -q stalled out && fail "stalled"
        # MPI calls that every trace holds are never among those left out.
        grep -Eq 'calls of MPI_(Put|Get|Win_|Neighbor_|I[a-z]*all|P(send|recv)|Comm_idup)' out &&
            fail "a call was left out"
    done
done
[ $failures -eq 0 ]
