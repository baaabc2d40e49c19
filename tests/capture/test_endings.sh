#!/bin/sh
# However a captured program ends, and whatever stands in the way of its trace: what was recorded stays
# readable, what is missing is told, the program is not harmed, and the exit status says which it was.
# With each MPI library.
set -u
build=$1
vef=$build/vef
mpiexec=${MPIEXEC:-mpiexec.mpich}
here=$(pwd)
cd "$TMPDIR" || exit 1
case $vef in /*) ;; *) vef=$here/$vef ;; esac
failures=0
# Where vef is built with AddressSanitizer, the launcher has it too: that of Open MPI reads memory that another of its
# threads has freed when a task aborts.
export ASAN_OPTIONS="replace_intrin=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

fail() {
    echo "FAIL: $*"
    sed 's/^/  | /' out | tail -n 20
    failures=$((failures + 1))
}

# capture NAME STATUS COMMAND…: captures into NAME.vef and expects that exit status.
capture() {
    name=$1 wanted=$2
    shift 2
    "$vef" capture -o "$name.vef" -- "$@" >out 2>&1
    status=$?
    [ $status -eq "$wanted" ] || fail "$name: status $status instead of $wanted"
}

# says TEXT: the last capture printed a line that matches.
says() {
    grep -q -- "$1" out || fail "$name does not say '$1'"
}

# leaves NAME…: the last capture left these files and no others of its name.
leaves() {
    found=$(ls -d "$name".* 2>/dev/null | sed 's/logs-.*/logs/' | tr '\n' ' ')
    [ "$found" = "${*:+$* }" ] || fail "$name leaves '$found' instead of '$*'"
}

${MPICC:-mpicc.mpich} -O1 -w -o endings "$here/tests/mpi/endings.c" || exit 1

# An Init, COUNT exchanges and a Finalize or Abort by each task.
capture good 0 "$mpiexec" -n 2 ./endings
says '2 tasks, 204 events'
leaves good.vef
capture status 42 "$mpiexec" -n 2 ./endings status
says '2 tasks, 204 events'
# Hydra would kill the other task when one has gone without MPI_Finalize, at once or a little later; Open MPI
# does. The status is that of the command, whatever Hydra makes of those of its tasks.
if [ "${VEF_TEST_MPI:-mpich}" = mpich ]; then
    "$vef" capture -o exits.vef sh -c '"$0" -disable-auto-cleanup -n 2 ./endings exit; echo $? >own; exit $(cat own)' \
        "$mpiexec" >out 2>&1
    status=$? name=exits
    [ $status -eq "$(cat own)" ] || fail "exits: status $status instead of $(cat own)"
    says '2 tasks, 202 events'
    says 'without MPI_Finalize: task 0 after 101 events, task 1 after 101 events'
    leaves exits.vef
fi
capture aborts 5 "$mpiexec" -n 2 ./endings abort
says 'called MPI_Abort: task 1 after 102 events'
says 'cut short: task 0 after 101 events' # what it did before it waited
leaves aborts.vef
capture faults "$("$mpiexec" -n 2 ./endings fault >/dev/null 2>&1; echo $?)" "$mpiexec" -n 2 ./endings fault
says 'cut short:.* task 1 after 101 events'
leaves faults.vef
# An error that MPICH's own handler ends the job for.
capture error "$("$mpiexec" -n 2 ./endings error >/dev/null 2>&1; echo $?)" "$mpiexec" -n 2 ./endings error
says 'cut short: task 0 after 101 events, task 1 after 101 events'
leaves error.vef
# Killed without a chance to write: whole blocks of so many events are there.
capture killed "$("$mpiexec" -n 2 ./endings kill >/dev/null 2>&1; echo $?)" "$mpiexec" -n 2 ./endings kill 200000
says 'cut short:'
events=$(sed -n 's/.*2 tasks, \([0-9]*\) events.*/\1/p' out)
[ "${events:-0}" -gt 100000 ] && [ "$events" -le 400002 ] || fail "killed holds $events events"

# A name as long as a name may be: what stands beside it for a time, and the traces of further runs, have
# shorter ones.
long=$(printf '%0251d' 0)
capture "$long" 0 sh -c "'$mpiexec' -n 2 ./endings; '$mpiexec' -n 2 ./endings"
leaves "$long.vef"
[ -e "$(printf '%0249d' 0).2.vef" ] || fail "no trace of the second run"
rm -f "$long".* "$(printf '%0249d' 0)".*

# Not an MPI program.
capture plain 1 true
says 'expected an MPI program that is dynamically linked with MPICH (ldd'
leaves
# An MPI program that the library did not get into (test_nothing.sh has the other causes).
capture plain 1 sh -c 'unset LD_PRELOAD; "$0" || true' "$PWD/endings"
says 'unset LD_PRELOAD in the script of -c removes the capture library'
leaves
# Interrupted before MPI_Init: the command's status, also 0. The command says when it may be interrupted.
capture plain 0 sh -c 'trap "exit 0" INT; kill -INT $PPID; sleep 1 & wait'
says 'interrupted before MPI_Init: nothing recorded'
leaves
capture plain 130 sh -c 'kill -INT $PPID; sleep 2 & wait'
says 'interrupted before MPI_Init: nothing recorded'
leaves
capture plain 9 sh -c 'exit 9'
leaves
capture plain 143 sh -c 'kill -TERM $$'
leaves
capture absent 127 ./no-such-program
says 'cannot run ./no-such-program: No such file'
leaves
"$vef" capture -o passed.vef sleep 50 >out 2>&1 &
name=passed
sleep 0.5
kill -TERM $!
wait $!
status=$?
[ $status -eq 143 ] || fail "a SIGTERM on the way: status $status instead of 143"

# An MPI library of neither kind, loaded from the start, and later, privately, as an interpreter does: the
# program runs as without vef, which says why it recorded nothing.
echo 'int PMPI_Init(int *a, char ***b) { return a != (void *)b; } int MPI_Init(int *a, char ***b) { return PMPI_Init(a, b); }' >other.c
echo 'int MPI_Init(int *a, char ***b); int puts(const char *); int main(void) { return MPI_Init(0, 0) || puts("runs") < 0; }' >other_user.c
cat >other_loader.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *mpi = dlopen("./libmpi_other.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***) = mpi == NULL ? NULL : dlsym(mpi, "MPI_Init");
    return init == NULL || dlsym(RTLD_DEFAULT, "MPI_Init") != NULL || init(0, 0) != 0 || puts("runs") < 0;
}
END
cc=${CC:-cc}
$cc -shared -fPIC -o libmpi_other.so other.c && $cc -o linked other_user.c -L. -lmpi_other -Wl,-rpath,"$TMPDIR" &&
    $cc -o late other_loader.c || fail "cannot build the other MPI"
passed_by() { # passed_by PROGRAM WORDS
    capture "$1" 1 sh -c "./$1 && ./$1"
    says "$1 $2"
    [ "$(grep -c "$1 uses" out)" -eq 1 ] || fail "$1: not told once"
    [ "$(grep -c '^runs$' out)" -eq 2 ] || fail "$1: does not run as it would"
    leaves
}
for program in linked late; do
    passed_by $program 'uses an MPI library that is neither MPICH nor Open MPI (.*libmpi_other.so): expected a program dynamically linked'
done
# MPICH, recognised by one of its variables, where its capture library is missing.
echo 'int *MPI_UNWEIGHTED;' >>other.c
$cc -shared -fPIC -o libmpi_other.so other.c || fail "cannot build the other MPI"
mkdir alone && cp "$(dirname "$vef")/libvefcapture.so" alone || exit 1
VEF_LIBRARY=alone/libvefcapture.so
export VEF_LIBRARY
for program in linked late; do
    passed_by $program 'uses MPICH, and its capture library .*/alone/libvefcapture-mpich.so is missing: vef was built or installed without MPICH'
done
unset VEF_LIBRARY

# Places that cannot be written.
capture missing/directory/x 2 "$mpiexec" -n 2 ./endings
says 'missing/directory/x.vef: cannot create files in '
grep -q exchanged out && fail "runs the program though the output cannot be written"
capture /proc/x 2 "$mpiexec" -n 2 ./endings
says '/proc/x.vef: cannot create files in '
mkdir folder.vef
capture folder 2 true
says 'folder.vef is a directory'
echo precious >there.vef
capture there 2 "$mpiexec" -n 2 ./endings
says 'there.vef exists: expected a new file, or --force'
[ "$(cat there.vef)" = precious ] || fail "overwrites what is there"
"$vef" capture --force -o there.vef "$mpiexec" -n 2 ./endings >out 2>&1 || fail "--force does not overwrite"
says '2 tasks, 204 events'

# The logs cannot grow beyond 64 KiB: the program ends well, and each task tells once.
capture full 1 "$mpiexec" -n 2 ./endings limit 200000
says 'task 0: .*File too large.*the program continued'
says 'task 1: .*File too large.*the program continued'
[ "$(grep -c 'the program continued' out)" -eq 2 ] || fail "full disk: not told once by each task"
[ "$(grep -c exchanged out)" -eq 2 ] || fail "full disk: the program is harmed"
says 'cut short: task 0 after [0-9]* events, task 1'
leaves full.vef

# A disk that is full indeed, where one may be mounted: the trace has no room either.
mkdir disk
if mount -t tmpfs -o size=512k none disk 2>/dev/null; then
    trap 'umount "$TMPDIR/disk"' EXIT
    trap 'exit 1' HUP INT TERM
    # Whatever room the tasks leave is taken before the command ends.
    capture disk/full 1 sh -c "$mpiexec -n 2 ./endings '' 200000; cat /dev/zero >disk/rest 2>/dev/null; true"
    says 'No space left on device'
    says 'the logs are kept; to merge them:'
    says "^    vef gather ['\"]\?$TMPDIR/disk/full.vef.logs-[^ ]* -o disk/full.vef\$"
    [ "$(grep -c exchanged out)" -eq 2 ] || fail "full disk: the program is harmed"
    [ ! -e disk/full.vef ] || fail "full disk: leaves half a trace under its name"
    logs=$(ls -d disk/full.vef.logs-*)
    cp -r "$logs" logs
    name=rescued
    "$vef" gather logs -o rescued.vef >out 2>&1
    [ -s rescued.vef ] || fail "the logs of a full disk cannot be merged elsewhere"
    says '2 of 2 tasks are cut short'
    trap - EXIT HUP INT TERM
    umount disk
else
    echo 'skipped: a full disk: not allowed to mount one'
fi

# Several MPI runs under one command do not mix: each has its own trace.
capture twice 0 sh -c "$mpiexec -n 2 ./endings && $mpiexec -n 2 ./endings '' 50"
says 'twice.vef: 2 tasks, 204 events'
says 'twice.2.vef: 2 tasks, 104 events'
leaves twice.2.vef twice.vef

# Options.
for wrong in '' '-o' '--clock=sun -o x.vef true' '--oversubscribe maybe -o x.vef true' '--what -o x.vef true' '-o x.vef'; do
    name="capture $wrong"
    # shellcheck disable=SC2086
    "$vef" capture $wrong >out 2>&1
    status=$?
    [ $status -eq 2 ] || fail "vef capture $wrong: status $status instead of 2"
done
VEF_LIBRARY=/no/such.so "$vef" capture -o x.vef true >out 2>&1
[ $? -eq 2 ] || fail "VEF_LIBRARY that is not there: status is not 2"
libraries=$(dirname "$vef")
mkdir 'of two words' 'of:a:list'
cp "$libraries"/libvefcapture*.so 'of two words' && cp "$libraries/libvefcapture.so" of:a:list && cp "$libraries/libvefcapture.so" 'two words.so' || exit 1
name=spaced
VEF_LIBRARY='of two words/libvefcapture.so' "$vef" capture -o spaced.vef "$mpiexec" -n 2 ./endings >out 2>&1 ||
    fail 'the library in a folder with spaces: not captured'
leaves spaced.vef
for wrong in of:a:list/libvefcapture.so 'two words.so'; do
    VEF_LIBRARY=$wrong "$vef" capture -o x.vef true >out 2>&1
    [ $? -eq 2 ] || fail "VEF_LIBRARY=$wrong: status is not 2"
done
name=kept
"$vef" capture --keep-logs -o kept.vef "$mpiexec" -n 2 ./endings >out 2>&1 || fail "--keep-logs"
leaves kept.vef kept.vef.logs || ls
[ "$(ls kept.vef.logs-*/task-*.vlog | wc -l)" -eq 2 ] || fail "--keep-logs keeps no logs"

echo "$failures failures"
[ $failures -eq 0 ]
