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

# Variables and values that nobody understands: `vef capture` starts nothing; a program with the library preloaded by hand
# runs as without it, and the reason is beside where its log would be.
unset VEF_LIBRARY
runtime=$(ldd "$build/libvefcapture.so" | awk '/libasan/ { print $3 ":" }')
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$mpiexec" -n 2 ./around >plain || exit 1
nonsense() { # nonsense NAME=VALUE WHAT
    rm -rf logs started
    ran="$1"
    env "$1" "$vef" capture --force -o nonsense.vef touch started >out 2>err
    [ $? -eq 2 ] && [ ! -e started ] || fail "$1: vef capture started the program"
    says "$2"
    env "$1" VEF_CAPTURE_DIR="$TMPDIR/logs" "$mpiexec" -n 2 env LD_PRELOAD="${runtime}libvefcapture.so" ./around >out 2>err ||
        fail "$1: the program failed"
    cmp -s plain out || fail "$1: the program prints $(cat out)"
    cat logs/lost-* >err 2>/dev/null
    says "$2.*: nothing was recorded; the program continued"
    ls logs/*.vlog 2>/dev/null && fail "$1: a log"
}
nonsense VEF_CAPTURE_CLOCK=xx 'VEF_CAPTURE_CLOCK=xx: expected one of: auto wall cpu'
nonsense VEF_CAPTURE_SKIP=Init 'MPI_Init cannot be selected'
if [ "$mpi" = "${MPIS%% *}" ]; then # what reads them knows no library of MPI
    for value in WALL 'wall ' wal; do nonsense "VEF_CAPTURE_CLOCK=$value" "VEF_CAPTURE_CLOCK=$value: expected one of: auto wall cpu"; done
    nonsense VEF_CAPTURE_LEVEL=1 'VEF_CAPTURE_LEVEL=1: expected one of: innermost outermost'
    nonsense VEF_CAPTURE_OVERSUBSCRIBE=yes 'VEF_CAPTURE_OVERSUBSCRIBE=yes: expected one of: auto on off'
    nonsense VEF_CAPTURE_TIMES=none 'VEF_CAPTURE_TIMES=none: expected one of: all compute'
    nonsense VEF_CAPTURE_WHEN_FULL=rings 'VEF_CAPTURE_WHEN_FULL=rings: expected one of: stop ring'
    for value in 1s -1 1e3 . 0x10 99999999999; do nonsense "VEF_CAPTURE_FLUSH=$value" "VEF_CAPTURE_FLUSH=$value: expected seconds"; done
    for value in 1M -1 1000 1048576.0 99999999999999999999; do
        nonsense "VEF_CAPTURE_MAX_SIZE=$value" "VEF_CAPTURE_MAX_SIZE=$value: expected a number of bytes"
    done
    nonsense VEF_CAPTURE_SKIP=Sent "unknown call of VEF_CAPTURE_SKIP 'Sent'"
    nonsense VEF_CAPTURE_ONLY=Send,Comm_spawn 'MPI_Comm_spawn is never recorded'
    nonsense VEF_CAPTURE_CLOK=wall "unknown environment variable 'VEF_CAPTURE_CLOK': did you mean VEF_CAPTURE_CLOCK"
fi
# Those that are understood, and empty ones.
rm -rf logs
VEF_CAPTURE_CLOCK=wall VEF_CAPTURE_FLUSH=0.5 VEF_CAPTURE_MAX_SIZE=1048576 VEF_CAPTURE_WHEN_FULL=ring VEF_CAPTURE_SKIP= VEF_CAPTURE_ONLY=MPI_Sendrecv,Barrier \
    VEF_CAPTURE_TIMES=all VEF_CAPTURE_LEVEL=outermost VEF_CAPTURE_DIR=$TMPDIR/logs "$mpiexec" -n 2 env LD_PRELOAD="${runtime}libvefcapture.so" ./around >out 2>err
vef 0 gather -o understood.vef logs
[ $failures -eq 0 ]
