#!/bin/sh
# Wrapper libraries between a program and MPI: linked, linked into the program, preloaded, and one above another.
# The program meets its wrappers as without vef, and each call is in the trace once: as what reaches MPI, or, by
# --level outermost, as what the program asked for.
# With each MPI library.
. tests/command.sh
set -u
mpicc=${MPICC:-mpicc.mpich}
mpiexec=${MPIEXEC:-mpiexec.mpich}
# Allreduce as a Reduce and a Bcast, by the profiling interface: a library of collectives.
cat >tree.c <<'END'
#include <mpi.h>
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int result = PMPI_Reduce(from, to, count, type, op, 0, comm);
    return result != MPI_SUCCESS ? result : PMPI_Bcast(to, count, type, 0, comm);
}
END
# Counts calls and passes them on to the next definition, whichever that is: a profiler.
cat >count.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) = dlsym(RTLD_NEXT, "MPI_Allreduce");
    calls++;
    return next(from, to, count, type, op, comm);
}
int MPI_Finalize(void) {
    int me;
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0 && printf("counted %d\n", calls) < 0)
        return MPI_ERR_OTHER;
    return PMPI_Finalize();
}
END
cat >sums.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int me, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("sum %d\n", sum);
    fflush(stdout);
    return MPI_Finalize();
}
END
$mpicc -shared -fPIC -o libtree.so tree.c && $mpicc -shared -fPIC -o libcount.so count.c -ldl &&
    $mpicc -o plain sums.c && $mpicc -o linked sums.c -L. -ltree -Wl,-rpath,"$PWD" &&
    $mpicc -o stacked sums.c -L. -Wl,--no-as-needed -lcount -ltree -Wl,-rpath,"$PWD" && $mpicc -o inside sums.c tree.c || exit 1

# captures LEVEL OUTPUT CALLS COMMAND...: what the program prints, and the calls of task 0 between Init and Finalize.
captures() {
    level=$1 prints=$2 calls=$3
    shift 3
    "$mpiexec" -n 2 "$@" >plain.out 2>&1 || fail "$*: does not run"
    vef 0 capture --force --level "$level" -o out.vef "$mpiexec" -n 2 "$@"
    grep -e sum -e counted out >seen
    [ "$(tr '\n' ' ' <seen)" = "$prints " ] || fail "$*: prints '$(cat seen)', not '$prints'"
    grep -e sum -e counted plain.out | cmp -s - seen || fail "$*: prints something else without vef: $(cat plain.out)"
    "$vef" dump --task 0 out.vef | awk '/^task /{on=1; next} /^end/{on=0} on { print $1 }' >recorded
    [ "$(uniq recorded | grep -v -e Init -e Finalize | sort -u | tr '\n' ' ')" = "$calls " ] &&
        [ "$(wc -l <recorded)" -eq $((2 + 3 * $(echo "$calls" | wc -w))) ] ||
        fail "$* at level $level: records $(tr '\n' ' ' <recorded)"
    vef 0 check out.vef
}
captures innermost 'sum 2' 'Allreduce' ./plain
captures outermost 'sum 2' 'Allreduce' ./plain
captures innermost 'sum 2' 'Bcast Reduce' ./linked
captures outermost 'sum 2' 'Allreduce' ./linked
captures innermost 'sum 2' 'Bcast Reduce' ./inside
captures outermost 'sum 2' 'Bcast Reduce' ./inside # no reference leads from the program to its own wrapper
captures innermost 'sum 2 counted 3' 'Bcast Reduce' ./stacked
captures outermost 'sum 2 counted 3' 'Allreduce' ./stacked
preloaded() { level=$1 prints=$2 calls=$3 && shift 3 && captures "$level" "$prints" "$calls" env LD_PRELOAD="$PWD/libcount.so" "$@"; }
preloaded innermost 'sum 2 counted 3' 'Allreduce' ./plain
preloaded outermost 'sum 2 counted 3' 'Allreduce' ./plain
preloaded innermost 'sum 2 counted 3' 'Bcast Reduce' ./linked
preloaded outermost 'sum 2 counted 3' 'Allreduce' ./linked
[ $failures -eq 0 ]
