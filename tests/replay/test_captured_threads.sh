#!/bin/sh
# Threads from end to end: a program whose tasks have several, all calling MPI at once, is captured and
# replays on every network. Taken one after the other in the order in which they were entered, its calls
# would wait for each other.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}

cat >ideal.yaml <<'END'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
END
cat >mesh.yaml <<'END'
topology: {family: mesh, sizes: [2, 2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
END
${MPICC:-mpicc.mpich} -O1 -o ring "$here/tests/mpi/thread_ring.c" -lpthread || exit 1
vef 0 capture -o ring.vef -- "$mpiexec" -n 3 ./ring
vef 0 check ring.vef
time_of() { sed -n 's/^  "time_ns": \([0-9]*\).*$/\1/p' out; }
vef 0 replay ring.vef --net ideal.yaml --json
ideal=$(time_of)
# 60 rounds of a message from each of 3 x 4 threads, and 4 creations and 4 x 6 allreduces among 3 tasks,
# each of at least 3 messages.
messages=$(sed -n 's/^  "messages": \(.*\),$/\1/p' out)
[ "$messages" -ge $((60 * 12 + 28 * 3)) ] || fail "$messages messages"
prints '15 threads had a processor each'
prints '72 non-blocking'
vef 0 replay ring.vef --net mesh.yaml --json
[ "$(time_of)" -gt "$ideal" ] || fail "a network that takes time takes none"
cp out first
vef 0 replay ring.vef --net mesh.yaml --json
cmp -s first out || fail "a replay is not the same twice"
# Out to GOAL and back: consistent. Probes are left out there, which cannot make anything later.
vef 0 export ring.vef --format goal -o ring.goal
vef 0 import ring.goal --format goal -o back.vef
vef 0 check back.vef
vef 0 replay back.vef --net ideal.yaml --json
prints '"stalled": null'
[ "$(time_of)" -le "$ideal" ] || fail "back from GOAL it takes $(time_of) ns instead of $ideal"
back=$(time_of)
vef 0 export back.vef --format goal -o again.goal
vef 0 import again.goal --format goal -o again.vef
vef 0 check again.vef
vef 0 replay again.vef --net ideal.yaml --json
[ "$(time_of)" -eq "$back" ] || fail "the second time from GOAL it takes $(time_of) ns instead of $back"

# Threads that take messages of one envelope by turns, in whichever order MPI lets them.
${MPICC:-mpicc.mpich} -O1 -o probed "$here/tests/mpi/probed_by_threads.c" -lpthread || exit 1
vef 0 capture -o probed.vef -- "$mpiexec" -n 2 ./probed
vef 0 check probed.vef
vef 0 replay probed.vef --net ideal.yaml
vef 0 replay probed.vef --net mesh.yaml
[ $failures -eq 0 ]
