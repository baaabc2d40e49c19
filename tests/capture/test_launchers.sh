#!/bin/sh
# Launchers of Open MPI: mpirun, also for another node, and several runs of one command; MPICH under the name
# of its ABI; both side by side; programs under the launcher of the other library; and `srun`, by PMI2 and PMIx, alone and inside
# sbatch, under a Slurm of this test's own (tests/slurm.sh). Parts are skipped where a library or Slurm is missing.
set -u
. tests/command.sh

cat >around.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) { /* 1 message from each task, 1 collective */
    int me, count, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % count, 5, &got, 1, MPI_INT, (me + count - 1) % count, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
for mpi in $MPIS; do mpicc."$mpi" -w -o "around-$mpi" around.c || exit 1; done

# captured NAME TASKS LIBRARY: the trace of a run of that many tasks: Init, Sendrecv, Barrier, Finalize each.
captured() {
    vef 0 info --json "$1"
    for fact in "\"tasks\": $2" "\"events\": $((4 * $2))" "\"messages\": $2" "\"end\": \"finalized\""; do
        grep -q -- "$fact" out || fail "$1: no $fact"
    done
    prints "$3"
}
has() { case " $MPIS " in *" $1 "*) ;; *) false ;; esac; }

if has openmpi; then
    vef 0 capture -o plain.vef mpiexec.openmpi -n 3 ./around-openmpi
    captured plain.vef 3 'Open MPI'
    vef 0 capture -o shell.vef sh -c 'mpirun.openmpi -n 2 sh -c ./around-openmpi && mpirun.openmpi -n 3 ./around-openmpi'
    captured shell.vef 2 'Open MPI'
    captured shell.2.vef 3 'Open MPI'
    vef 0 capture -o alone.vef ./around-openmpi
    captured alone.vef 1 'Open MPI'
    # A node that gets only what mpirun passes on: the remote shell clears the environment.
    printf '#!/bin/sh\nshift\nexec env -i PATH="$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HOME="$HOME" ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} sh -c "$*"\n' >remote
    chmod +x remote
    vef 0 capture -o node.vef mpiexec.openmpi --mca plm_rsh_agent ./remote --host 127.0.0.9:2 -n 2 ./around-openmpi
    captured node.vef 2 'Open MPI'
    # mpirun refuses that setting beside its own option.
    SOME=1 vef 0 capture -o option.vef mpiexec.openmpi -x SOME -n 2 ./around-openmpi
    captured option.vef 2 'Open MPI'
else
    skip 'Open MPI: not installed'
fi
if has mpich; then
    # Under the file name of the MPICH ABI, which Intel MPI and Cray MPICH have: the name in the program and in the
    # library, over the longer one.
    library=$(ldd ./around-mpich | awk '/libmpich\.so/ { print $3 }')
    mkdir abi
    for file in "$library" around-mpich; do
        LC_ALL=C sed 's/libmpich\.so\.12\x00/libmpi.so.12\x00\x00\x00/g' "$file" >"abi/${file##*/}"
    done
    mv "abi/${library##*/}" abi/libmpi.so.12
    chmod +x abi/around-mpich
    ldd abi/around-mpich | grep -q libmpich && fail 'the program still needs libmpich.so.12'
    LD_LIBRARY_PATH=$(pwd)/abi vef 0 capture -o abi.vef mpiexec.mpich -n 3 abi/around-mpich
    captured abi.vef 3 MPICH
fi
if has openmpi && has mpich; then
    vef 0 capture -o both.vef sh -c 'mpiexec.openmpi -n 2 ./around-openmpi && mpiexec.mpich -n 3 ./around-mpich'
    captured both.vef 2 'Open MPI'
    captured both.2.vef 3 MPICH
    vef 1 capture -o mixed.vef mpiexec.mpich -n 3 ./around-openmpi
    says 'around-openmpi is linked with Open MPI, for which each of the 3 tasks is alone.* started by Hydra'
    vef 1 capture -o mixed.vef mpiexec.openmpi -n 3 ./around-mpich
    says "around-mpich is linked with MPICH, for which each of the 3 tasks is alone.* started by Open MPI's mpirun"
    [ "$(grep -c 'linked with' err)" -eq 1 ] || fail 'not told once'
fi

. "$here/tests/slurm.sh"
# The name of Slurm's plugin for a library's process management interface.
interface() { [ "$1" = mpich ] && echo pmi2 || echo pmix; }
for mpi in $MPIS; do
    pmi=$(interface "$mpi")
    if ! srun --mpi=list 2>&1 | grep -qw "$pmi"; then
        skip "srun --mpi=$pmi: Slurm has no such plugin"
        continue
    fi
    vef 0 capture -o "srun-$mpi.vef" srun --mpi="$pmi" -n 2 "./around-$mpi"
    captured "srun-$mpi.vef" 2 "$([ "$mpi" = mpich ] && echo MPICH || echo 'Open MPI')"
    # Two steps, and the library's own launcher, in a job.
    printf '#!/bin/sh\n"%s" capture -o "batch-%s.vef" sh -c "srun --mpi=%s -n 2 ./around-%s && srun --mpi=%s -n 1 ./around-%s && mpiexec.%s -n 2 ./around-%s"\n' \
        "$vef" "$mpi" "$pmi" "$mpi" "$pmi" "$mpi" "$mpi" "$mpi" >batch
    sbatch -n 2 -o "batch-$mpi.log" batch >out 2>err || fail "sbatch"
    wait_for is_finished
    cp "batch-$mpi.log" err
    captured "batch-$mpi.vef" 2 Sendrecv
    captured "batch-$mpi.2.vef" 1 Sendrecv
    captured "batch-$mpi.3.vef" 2 Sendrecv
done
if has mpich; then
    vef 1 capture -o none.vef srun --mpi=none -n 2 ./around-mpich
    says 'around-mpich is linked with MPICH, for which each of the 2 tasks is alone.* started by srun'
fi
[ $failures -eq 0 ]
