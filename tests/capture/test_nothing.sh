#!/bin/sh
# No task writes a log: vef capture names the cause, which differs for each kind of program, script and container, and
# the program runs as without vef.
# With each MPI library.
set -u
. tests/command.sh

mpiexec=${MPIEXEC:-mpiexec.mpich}
cc=${CC:-cc}
cat >around.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) { /* with an argument it ends before MPI begins */
    if (argc == 1)
        MPI_Init(&argc, &argv), MPI_Barrier(MPI_COMM_WORLD), MPI_Finalize();
    puts("has run");
    return 0;
}
END
"${MPICC:-mpicc.mpich}" -w -o around around.c || exit 1
# nothing WORDS COMMAND…: the command runs, and vef says in one line why nothing was recorded. Again after status 141: without vef,
# too, MPICH's mpiexec is killed by SIGPIPE in some of a hundred runs of programs that end at once.
nothing() {
    words=$1
    shift
    for _ in 1 2 3 4 5 6 7 8 9; do
        "$vef" capture -o x.vef "$@" >out 2>err
        status=$? ran="vef capture -o x.vef $*"
        [ $status -eq 141 ] || break
    done
    [ $status -eq 1 ] || fail "$ran: status $status instead of 1"
    says "^vef capture: no MPI task wrote a log: $words"
    [ "$(grep '^vef capture' err | grep -vc 'waiting up to')" -eq 1 ] || fail "$ran: not one line"
    [ -z "$(ls -d x.vef* 2>/dev/null)" ] || fail "$ran: leaves $(ls -d x.vef*)"
}
runs() { prints 'has run'; }

# ---- programs ----

echo 'int puts(const char *); int main(void) { puts("has run"); return 0; }' >plain.c
"$cc" -o plain plain.c || exit 1
nothing './plain: neither linked with an MPI library nor loaded one: expected an MPI program that is dynamically linked' ./plain
runs
nothing 'sh: neither linked with an MPI library' sh -c 'exit 0'
nothing './around ended before MPI_Init' "$mpiexec" -n 2 ./around early
runs
if "$cc" -static -o static plain.c 2>/dev/null; then
    nothing './static is statically linked, so nothing can be preloaded' "$mpiexec" -n 2 ./static
    runs
else
    skip 'static programs: no static C library'
fi
# An MPI library that is part of the program; one that has no PMPI functions, as serial ones do; one that is missing.
# What libvefcapture.so does in such programs is not the matter here: another library takes its place.
echo 'int MPI_Init(int *, char ***); int MPI_Init(int *a, char ***b) { return a != (void *)b; }' >serial.c
echo 'int MPI_Init(int *, char ***); int puts(const char *); int main(void) { puts("has run"); return MPI_Init(0, 0); }' >user.c
sed 's/MPI_/PMPI_/g' serial.c >profiling.c
"$cc" -o inside user.c serial.c profiling.c && "$cc" -shared -fPIC -o libserial.so serial.c &&
    "$cc" -o serial user.c -L. -lserial -Wl,-rpath,"$TMPDIR" && "$cc" -o missing user.c -L. -lserial &&
    "$cc" -shared -fPIC -o empty.so -x c /dev/null || exit 1
VEF_LIBRARY=./empty.so
export VEF_LIBRARY
nothing './inside is statically linked with MPI' ./inside
runs
nothing './serial has a stand-in for MPI, without PMPI_Init' sh -c ./serial
runs
unset VEF_LIBRARY
nothing './missing needs libserial.so, which the loader does not find' sh -c './missing || true'
if [ "$(id -u)" -eq 0 ] && cp around raised && chown 12345 raised && chmod u+s raised; then
    nothing './raised has other rights than its user' sh -c './raised early'
else
    skip 'set-user-ID programs: not root'
fi
{ printf '\177ELF\001\001\001' && head -c 100 /dev/zero; } >other
chmod +x other
nothing './other is a program for another processor' sh -c './other 2>/dev/null || true'
if command -v musl-gcc >/dev/null && ! ldd "$vef" | grep -q libasan; then
    musl-gcc -o musl plain.c || fail 'musl-gcc'
    nothing './musl uses the loader .*ld-musl.*: expected a program that uses glibc' ./musl
    runs
else
    skip 'programs with musl: no musl-gcc (Debian: musl-tools)'
fi

# ---- scripts ----

# script WORDS TEXT: the same in a script of its own, of sh, and of sh -c. Comments are no words.
script() {
    printf '#!/bin/sh\n# sudo\n%s\n' "$2" >script
    chmod +x script
    nothing "$1" ./script
    runs
    nothing "$1" sh script
    runs
    nothing "$(echo "$1" | sed 's/in .*script /in the script of -c /')" sh -c "$2"
    runs
}
script 'LD_PRELOAD=./empty.so in .*script replaces the capture library: expected LD_PRELOAD=…:$LD_PRELOAD' \
    "LD_PRELOAD=./empty.so $mpiexec -n 2 ./around"
script 'unset LD_PRELOAD in .*script removes the capture library' "unset LD_PRELOAD; $mpiexec -n 2 ./around"
script 'env -i in .*script does not pass LD_PRELOAD on' "env -i PATH=\"$PATH\" ./around"
printf '#!/bin/sh\nLD_PRELOAD=./empty.so:$LD_PRELOAD %s -n 2 ./around\n' "$mpiexec" >script
vef 0 capture -o both.vef ./script
says '2 tasks, 6 events'
printf '#!/bin/sh\nexec env -i PATH="$PATH" "$@"\n' >sudo
chmod +x sudo
nothing 'sudo in the command does not pass LD_PRELOAD on: expected vef capture behind it' ./sudo ./around
runs

# ---- containers ----

# One that hides the library, or the folder of the logs, and one that shows both.
mkdir libraries traces
cp "$build"/libvefcapture*.so libraries || exit 1
VEF_LIBRARY=libraries/libvefcapture.so
export VEF_LIBRARY
# hidden FOLDER COMMAND…
hidden() {
    folder=$1
    shift
    vef 1 capture -o traces/x.vef "$@"
    runs
    says "starts a container: expected it to show $(realpath libraries)/libvefcapture.so and $(realpath traces)/x.vef.logs-"
    case $folder in
    libraries) says 'cannot be preloaded' ;;
    traces) says 'nothing was recorded' ;;
    esac
}
if unshare -m sh -c 'mount -t tmpfs none libraries' 2>/dev/null; then
    for hides in libraries traces; do
        hidden $hides "$mpiexec" -n 2 unshare -m sh -c 'mount -t tmpfs none "$0"; ./around' $hides
    done
    vef 0 capture -o traces/shown.vef "$mpiexec" -n 2 unshare -m ./around
    says '2 tasks, 6 events'
else
    skip 'containers: not allowed to mount'
fi
if bwrap --ro-bind / / true 2>/dev/null; then
    tmp=$(realpath .)
    for hides in libraries traces; do
        hidden $hides bwrap --bind / / --dev-bind /dev /dev --tmpfs "$tmp/$hides" "$mpiexec" -n 2 ./around
    done
    vef 0 capture -o traces/bound.vef bwrap --bind / / --dev-bind /dev /dev --tmpfs "$tmp" --ro-bind "$tmp/libraries" "$tmp/libraries" \
        --bind "$tmp/traces" "$tmp/traces" --ro-bind "$tmp/around" "$tmp/around" "$mpiexec" -n 2 "$tmp/around"
    says '2 tasks, 6 events'
else
    skip 'bubblewrap: not installed, or not allowed'
fi
[ $failures -eq 0 ]
