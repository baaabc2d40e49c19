#!/bin/sh
# Programs that handle errors go on after calls that failed: a receive that was too short took its message, a
# collective that failed in one task is none that its next one could be taken for, and what MPI refuses to
# free is still there.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}
[ "${VEF_TEST_MPI:-mpich}" = mpich ] || { skip 'failed calls: Open MPI lets some of them pass'; exit 0; }
${MPICC:-mpicc.mpich} -O1 -o failed_calls "$here/tests/mpi/failed_calls.c" || exit 1
echo 'model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}' >ideal.yaml
vef 0 capture -o failed.vef -- "$mpiexec" -n 2 ./failed_calls
vef 0 check failed.vef
vef 0 replay failed.vef --net ideal.yaml
"$vef" dump failed.vef >dump || fail "no dump"
# holds COUNT PATTERN: as many events of all tasks are like that.
holds() {
    found=$(grep -c -e "$2" dump)
    [ "$found" -eq "$1" ] || fail "$found events are '$2', not $1"
}
holds 1 '^Recv from=1 bytes=44 tag=5 ordinal=0 '
holds 1 '^Recv from=1 bytes=4 tag=5 ordinal=1 '
holds 1 '^Irecv from=1 bytes=44 tag=5 ordinal=2 '
holds 1 '^Irecv from=1 bytes=44 tag=5 ordinal=4 '
holds 1 '^Irecv from=1 bytes=4 tag=5 ordinal=5 '
holds 1 '^Mrecv from=1 bytes=44 tag=5 ordinal=6 '
holds 1 '^Recv from=1 bytes=4 tag=5 ordinal=7 '
holds 8 '^Send to=0 '
holds 0 '^Send .*unmatched'
holds 0 '^Isend '
holds 0 ' tag=6 '
holds 1 '^Bcast .*marks=unmatched'
holds 0 '^Allreduce .*unmatched'
holds 2 '^Allreduce '
holds 2 '^Barrier '
for call in post start complete wait free; do
    holds 2 "^Win_$call "
done
[ $failures -eq 0 ]
