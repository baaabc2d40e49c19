#!/bin/sh
# vefpingpong: the measuring program (pingpong.c) of the MPI library whose launcher started this task, one of
# vefpingpong-mpich, vefpingpong-openmpi … in this folder. mpirun of Open MPI and srun --mpi=pmix set PMIX_RANK.
[ -n "${PMIX_RANK-}" ] && mpi=openmpi || mpi=mpich
for program in "$0-$mpi" "$0"-*; do
    [ ! -x "$program" ] || exec "$program" "$@"
done
echo "$0: no measuring program beside it: vef was built without an MPI library" >&2
exit 127
