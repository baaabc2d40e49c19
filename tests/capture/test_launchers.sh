#!/bin/sh
# Launchers of Open MPI: mpirun, and several runs of one command; MPICH under the name of its ABI; both side by side; programs
# under the launcher of the other library; and `srun`, by PMI2 and PMIx, alone, inside sbatch, and queued by it, under a Slurm of
# this test's own (tests/slurm.sh). Parts are skipped where a library or Slurm is missing.
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
"${CC:-cc}" -shared -fPIC -o theirs.so -x c /dev/null || exit 1

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
    # sbatch itself under vef: it has ended when its job begins. Each way to name variables, also in front of srun, whose
    # program has an option of the same name.
    title=$([ "$mpi" = mpich ] && echo MPICH || echo 'Open MPI')
    printf '#!/bin/sh\nsrun --mpi=%s -n 2 ./around-%s\n' "$pmi" "$mpi" >queued
    exports='--export=ALL --export=PATH,SLURM_CONF,LD_PRELOAD=./theirs.so --export=NONE --export=ALL,LD_PRELOAD=./theirs.so'
    [ "$mpi" = "${MPIS%% *}" ] || exports=--export=NONE # the words are the same for each library
    for export in $exports; do
        rm -rf queued.vef*
        vef 0 capture -o queued.vef sbatch -n 2 -o log "$export" queued
        says 'sbatch has queued a job, which may run later; when it has ended:'
        logs=$(ls -d queued.vef.logs-*)
        says "^    vef gather ['\"]\?$PWD/$logs['\"]\? -o queued.vef$"
        [ ! -e queued.vef ] || fail 'a trace of a job that has not run'
        wait_for is_finished
        vef 0 gather "$logs" -o queued.vef
        captured queued.vef 2 "$title"
        vef 0 capture --force -o export.vef srun --mpi="$pmi" -n 2 "$export" /bin/sh -c 'echo "$LD_PRELOAD $1"; exec "$0"' "./around-$mpi" --export=X
        case $export in *theirs*) prints './theirs.so:.*libvefcapture.so --export=X$' ;; *) prints '^.*libvefcapture.so --export=X$' ;; esac
        captured export.vef 2 "$title"
    done
    SLURM_EXPORT_ENV=NONE vef 0 capture --force -o export.vef srun --mpi="$pmi" -n 2 "$PWD/around-$mpi"
    captured export.vef 2 "$title"
    vef 0 capture --force -o export.vef salloc -Q -n 2 srun --mpi="$pmi" -n 2 "./around-$mpi"
    captured export.vef 2 "$title"
    # It waits.
    vef 0 capture --force -o export.vef sbatch --wait -n 2 -o log queued
    captured export.vef 2 "$title"
done
if [ -e queued ]; then
    sed '1a#SBATCH --export=NONE' queued >cleared
    vef 1 capture -o x.vef sbatch --wait -n 2 -o log cleared
    says '--export=NONE in cleared does not pass LD_PRELOAD on'
fi
# A submission that fails; commands whose jobs do not get the environment.
"$vef" capture -o x.vef sbatch --no-such-option queued >out 2>err && fail 'sbatch --no-such-option: status 0'
vef 2 capture -o x.vef qsub -l select=2 job
says 'qsub does not pass LD_PRELOAD on to its job: expected -V, or vef capture inside the job'
vef 2 capture -o x.vef /usr/bin/at now
says 'at does not pass LD_PRELOAD on to its job: expected vef capture inside the job'
[ -z "$(ls -d x.vef* 2>/dev/null)" ] || fail "leaves $(ls -d x.vef*)"
if has mpich; then
    vef 1 capture -o none.vef srun --mpi=none -n 2 ./around-mpich
    says 'around-mpich is linked with MPICH, for which each of the 2 tasks is alone.* started by srun'
fi
[ $failures -eq 0 ]
