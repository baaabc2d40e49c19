#!/bin/sh
# Commands whose words set, list or clear the environment of tasks: the library that the user preloads stays, ours is
# preloaded too, and the program gets its own words as they were. On this host, and on another one, which gets only what
# the launcher passes on.
# With each MPI library.
set -u
. tests/command.sh

mpi=${VEF_TEST_MPI:-mpich}
mpiexec=${MPIEXEC:-mpiexec.mpich}
cat >around.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { /* 1 message from each task, 1 collective */
    char text[4096] = "";
    int me, count, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % count, 5, &got, 1, MPI_INT, (me + count - 1) % count, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < argc; i++)
        strcat(strcat(text, " "), argv[i]);
    printf("%s %s%s\n", dlsym(RTLD_DEFAULT, "theirs") ? "with" : "without", getenv("SOME") ? getenv("SOME") : "none", text);
    return MPI_Finalize();
}
END
echo 'int theirs(void); int theirs(void) { return 1; }' >theirs.c
"${MPICC:-mpicc.mpich}" -w -D_GNU_SOURCE -o around around.c -ldl && "${CC:-cc}" -shared -fPIC -o theirs.so theirs.c || exit 1
# Another node: the remote shell clears the environment.
cat >remote <<'END'
#!/bin/sh
while case $1 in -*) ;; *) false ;; esac; do shift; done
shift
exec env -i PATH="$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HOME="$HOME" ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} sh -c "$*"
END
chmod +x remote
SOME=1
export SOME

# captures LINE COMMAND…: a trace of both tasks, each of which printed LINE.
captures() {
    line=$1
    shift
    rm -f x.vef
    vef 0 capture -o x.vef "$@"
    [ "$(grep -cx -e "$line" out)" -eq 2 ] || fail "$ran: not twice '$line'"
    vef 0 info --json x.vef
    for fact in '"tasks": 2' '"events": 8' '"messages": 2' '"end": "finalized"'; do prints "$fact"; done
}
# commands COMMAND…: the ways to preload a library, or to name variables, in front of a program.
commands() {
    captures 'with 1 a b' "$@" -n 2 env LD_PRELOAD=./theirs.so SOME=1 ./around a b
    captures 'without none' "$@" -n 2 env -u SOME --unset=LD_PRELOAD ./around
    if [ "$mpi" = openmpi ]; then
        captures 'with 1 -x SOME=2' "$@" -x LD_PRELOAD=./theirs.so -x SOME=1 -n 2 ./around -x SOME=2
        captures 'with 2' "$@" -x SOME=2 -x LD_PRELOAD=./theirs.so -n 1 ./around : -n 1 -x LD_PRELOAD=./theirs.so -x SOME=2 ./around
        captures 'with 2' "$@" --mca mca_base_env_list 'LD_PRELOAD=./theirs.so;SOME=2' -n 2 ./around
        OMPI_MCA_mca_base_env_list='SOME=3' captures 'without 3' "$@" -n 2 ./around
    else
        captures 'with 1 -genv LD_PRELOAD' "$@" -genv LD_PRELOAD ./theirs.so -n 2 ./around -genv LD_PRELOAD
        captures 'with 2' "$@" -genv SOME=2 -n 1 -env LD_PRELOAD=./theirs.so ./around : -n 1 -env LD_PRELOAD ./theirs.so ./around
        captures 'without 1' "$@" -genvlist SOME,HOME -n 2 ./around
        captures 'without 1' "$@" -n 1 -envlist SOME ./around : -n 1 -envlist SOME ./around
    fi
}
commands "$mpiexec"
captures 'without none' env -i PATH="$PATH" HOME="${HOME:-/}" ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "$mpiexec" -n 2 ./around
LD_PRELOAD=./theirs.so captures 'with 1' "$mpiexec" -n 2 ./around
# A program with AddressSanitizer, which is to be the first library, and its options.
if ! ldd "$vef" | grep -q libasan && "${MPICC:-mpicc.mpich}" -w -D_GNU_SOURCE -fsanitize=address -o checked around.c -ldl 2>/dev/null; then
    captures 'with 1' env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=./theirs.so "$mpiexec" -n 2 ./checked
    ASAN_OPTIONS=detect_leaks=0 captures 'without 1' "$mpiexec" -n 2 ./checked
else
    skip 'programs with AddressSanitizer: not built here'
fi

# Another node, and a library in a folder with a blank in its name.
mkdir 'two words'
cp "$build"/libvefcapture*.so 'two words' || exit 1
for VEF_LIBRARY in "$build/libvefcapture.so" 'two words/libvefcapture.so'; do
    export VEF_LIBRARY
    if [ "$mpi" = openmpi ]; then
        node="--mca plm_rsh_agent ./remote --host 127.0.0.9:2"
        captures 'without none' "$mpiexec" $node -n 2 ./around
        captures 'without 1' "$mpiexec" $node -n 2 -x SOME -x LD_LIBRARY_PATH=/nowhere ./around
    else
        node="-launcher ssh -launcher-exec ./remote -hosts 127.0.0.9"
        captures 'without none' "$mpiexec" $node -genvnone -n 2 ./around
        captures 'without none' "$mpiexec" $node -n 1 -envnone ./around : -n 1 -envnone ./around
    fi
done
commands "$mpiexec" $node
[ $failures -eq 0 ]
