#!/bin/sh
# Legal programs that look faulty at first sight (tests/mpi/legal.c) print the same when captured; their traces
# pass the check, also as text and as slices, and replay to their end.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}
[ "${VEF_TEST_MPI:-mpich}" = mpich ] || { skip 'the legal programs: without MPI 4.0, and Open MPI refuses locks of MPI_PROC_NULL'; exit 0; }

cat >ideal.yaml <<'END2'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
END2
cat >mesh.yaml <<'END2'
topology: {family: mesh, sizes: [3, 2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
END2
${MPICC:-mpicc.mpich} -O1 -w -o legal "$here/tests/mpi/legal.c" || exit 1
for tasks in 2 3 5; do
    vef 0 capture -o legal$tasks.vef -- "$mpiexec" -n $tasks ./legal 9
    prints '0 errors'
    vef 0 check legal$tasks.vef
    vef 0 replay legal$tasks.vef --net ideal.yaml
    vef 0 replay legal$tasks.vef --net mesh.yaml
    vef 0 dump legal$tasks.vef
    cp out text
    prints "Barrier_init persistent=2 "
    vef 0 assemble text -o again$tasks.vef
    vef 0 dump again$tasks.vef
    cmp -s text out || fail "the text of $tasks tasks is not the same again"
    vef 0 export legal$tasks.vef --format goal -o legal$tasks.goal
    vef 0 export legal$tasks.vef --format simgrid-ti -o legal$tasks.simgrid
    vef 0 slice legal$tasks.vef --tasks 0-1 -o slice$tasks.vef
    vef 0 check slice$tasks.vef
    vef 0 replay slice$tasks.vef --net ideal.yaml
done

# Idle tasks that give way: how long they sleep depends on whether there are windows.
vef 0 capture --oversubscribe on -o crowded.vef -- "$mpiexec" -n 5 ./legal 3
prints '0 errors'
vef 0 check crowded.vef

[ $failures -eq 0 ]
