#!/bin/sh
# `vef capture` from the end of its command to the end of its tasks, and interrupted in between: nothing is
# left behind that it does not name, and what it says to type works.
# With each MPI library.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
${MPICC:-mpicc.mpich} -O1 -w -o progress "$here/tests/mpi/progress.c" || exit 1
${MPICC:-mpicc.mpich} -O1 -w -o endings "$here/tests/mpi/endings.c" || exit 1
# Runs a command to which a SIGTERM is pending already, blocked: it finds it once it looks.
cat >pending.c <<'END'
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
int main(int argc, char **argv) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
    execvp(argv[1], argv + 1);
    return 127 * (argc > 0);
}
END
${CC:-cc} -o pending pending.c || exit 1

# hint N: runs the N-th command that the last capture told to type.
hint() {
    command=$(sed -n 's/^    vef //p' err | sed -n "$1p")
    made=${command##* }
    [ -n "$command" ] && [ ! -e "$made" ] || fail "'$command' would write to a file that exists"
    eval "\"\$vef\" $command" >out 2>err
    status=$?
}
logs() { find . -maxdepth 1 -name "$1.logs-*"; }
is_ready() { grep -q ready progress-0 && grep -q ready progress-1; }

# A command that leaves its job in the background: the job is waited for.
vef 0 capture -o back.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null &"
says 'back.vef: 2 tasks, 204 events'

# A task that starts to record after all others and the command have ended, while its process ran: it is waited for.
vef 0 capture --keep-logs -o kept.vef -- "$mpiexec" -n 2 ./endings
kept=$(logs kept.vef)
vef 0 capture --wait '60 s' -o late.vef -- sh -c "cd \"\$VEF_CAPTURE_DIR\" && cp \"\$OLDPWD\"/$kept/task-000000.* .
    (sleep 1; cp \"\$OLDPWD\"/$kept/task-000001.* late && mv late task-000001.vlog) &"
says 'late.vef: 2 tasks, 204 events'
vef 0 check late.vef
# A process that is no task is not waited for any longer than --wait.
vef 1 capture --wait '1 s' -o half.vef -- sh -c "cp '$kept'/task-000000.* \"\$VEF_CAPTURE_DIR\"; sleep 600 >/dev/null 2>&1 & echo \$! >sleeper"
kill "$(cat sleeper)"
[ -e half.vef ] || fail "no trace of the task that recorded"

# Tasks that do not end are named, with what ends them, and the logs are kept.
rm -f progress-?
"$vef" capture --wait '500 ms' -o runs.vef -- sh -c "$mpiexec -n 2 ./progress . 10 >launched 2>&1 & while ! grep -qs ready progress-0 || ! grep -qs ready progress-1; do sleep 0.1; done" >out 2>err
status=$? ran='capture --wait'
[ $status -eq 1 ] || fail "tasks that run on: status $status instead of 1"
says 'tasks still run: task 0 (process [0-9]* on .*), task 1 (process [0-9]* on '
says 'to end them: kill [0-9]* [0-9]*$'
says 'the logs are kept; to merge them when the tasks have ended:'
cp err said
kill -s KILL $(sed -n 's/.*to end them: kill //p' said)
cp said err
wait_for sh -c "\"$vef\" gather --force -o runs.ended $(logs runs.vef) >/dev/null 2>&1; [ \$? -eq 1 ]"
hint 1
[ $status -eq 1 ] && grep -q '2 tasks, 22 events' out || fail 'the logs of tasks that ran on'

# Interrupted while it waits.
rm -f progress-?
"$vef" capture --wait '100 s' -o stop.vef -- sh -c "$mpiexec -n 2 ./progress . 10 >launched 2>&1 &" >out 2>err &
capture=$!
wait_for is_ready
wait_for grep -q 'for its tasks' err
kill -s TERM $capture
wait $capture
status=$? ran='capture, interrupted while it waits'
[ $status -eq 143 ] || fail "interrupted while it waits: status $status instead of 143"
says 'interrupted (Terminated)'
grep -q 'vef gather .*stop.vef.logs-' err || fail 'no hint after an interruption'
"$vef" gather --running -o now.vef "$(logs stop.vef)" >out 2>err
grep -q '2 tasks, 22 events' out || fail 'a snapshot of tasks that run on'
# The tasks end, their launcher's way: nobody holds the logs then.
killed=0
for pid in $(processes_of progress); do
    kill -s KILL "$pid" && killed=$((killed + 1))
done
[ "$killed" -eq 2 ] || fail "$killed of 2 tasks run on"

# Interrupted before, and in, the merge.
ran='capture, interrupted at its merge'
./pending "$vef" capture -o merge.vef -- "$mpiexec" -n 2 ./endings >out 2>err
status=$?
[ $status -eq 143 ] || fail "interrupted: status $status instead of 143"
[ ! -e merge.vef ] && [ -z "$(find . -name 'merge.vef*part')" ] || fail 'leaves a part of a trace'
hint 1
[ $status -eq 0 ] && grep -q 'merge.vef: 2 tasks, 204 events' out || fail 'the hint after an interruption'
./pending "$vef" gather -o gathered.vef "$(logs merge.vef)" >out 2>err
status=$? ran='gather, interrupted'
[ $status -eq 143 ] || fail "gather interrupted: status $status instead of 143"
says 'interrupted (Terminated): no trace is written'
[ -z "$(find . -maxdepth 1 -name 'gathered*')" ] || fail 'an interrupted gather leaves files'

# Another capture has written the file in the meantime: it stays, and the hint names another.
vef 1 capture -o both.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null; echo mine >both.vef; echo too >both-2.vef"
says 'File exists'
grep -q -- '-o both-3.vef$' err || fail 'the hint names a file that exists'
hint 1
[ $status -eq 0 ] && [ -s both-3.vef ] && [ "$(cat both.vef)" = mine ] || fail 'the hint of the loser'
# Of two jobs, one by one.
vef 1 capture -o jobs.vef -- sh -c "$mpiexec -n 2 ./endings; $mpiexec -n 2 ./endings '' 50; echo mine >jobs.2.vef"
[ "$(grep -c '^    vef gather --job [^ ]* ' err)" -eq 1 ] || fail 'the hint for the second of two jobs'
hint 1
grep -q 'jobs.2-2.vef: 2 tasks, 104 events' out || fail 'the hint of the second job'

# A task that begins when the logs are being merged leaves none.
mkdir late && touch late/closed
cat >alone.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) { return MPI_Init(&argc, &argv) || MPI_Finalize(); }
END
${MPICC:-mpicc.mpich} -o alone alone.c || exit 1
runtime=$(ldd "$build/libvefcapture.so" | awk '/libasan/ { print $3 ":" }')
ASAN_OPTIONS=detect_leaks=0 "$mpiexec" -n 1 env LD_LIBRARY_PATH="$build" LD_PRELOAD="${runtime}libvefcapture.so" VEF_CAPTURE_DIR="$TMPDIR/late" ./alone >out 2>err || fail 'a late task is harmed'
grep -q 'vef capture has ended and merges the logs' late/lost-* || fail 'a late task says nothing'
[ "$(ls late | grep -v '^lost-')" = closed ] || fail "a late task leaves $(ls late)"

echo "$failures failures"
# The folder of the output is removed or renamed while the command runs: that is the reason, not the program.
for loss in 'rm -rf gone' 'mv gone "moved$$"'; do
    mkdir gone
    vef 1 capture -o gone/a.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null; $loss"
    says 'gone/a.vef.logs-......: the folder of the logs was removed or renamed while the command ran'
    mkdir gone
    vef 3 capture -o gone/a.vef -- sh -c "$loss; exit 3"
    says 'was removed or renamed while the command ran'
done

# The command line is stored without secrets, or not at all.
vef 0 capture -o masked.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null" sh --token=hidden --password 'hidden too' PASSWORD=hidden
vef 0 info masked.vef
prints "^command .*sh --token=[*]* --password '[*]*' PASSWORD=[*]*$"
vef 0 capture --no-command -o none.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null" sh --token=hidden
vef 0 info none.vef
grep -q '^command' out && fail "--no-command: $(cat out)"
vef 0 capture --keep-logs -o logs.vef -- sh -c "$mpiexec -n 2 ./endings >/dev/null" sh --token=hidden
vef 0 gather --command './endings --token=hidden' -o gathered.vef logs.vef.logs-*
vef 0 info gathered.vef
prints '^command  *./endings --token=[*]*$'
grep -l hidden ./*.vef logs.vef.logs-*/* && fail 'a secret is stored'

[ $failures -eq 0 ]
