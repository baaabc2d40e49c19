#!/bin/sh
# What of a recording outlasts a kill without warning: of a task, of mpiexec, of everything; what two jobs
# in one folder, and nodes that share none, make of their logs. The programs tell in files of their own
# what they had done; the trace has to hold that.
# With each MPI library.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
library=$build/libvefcapture.so
# The sanitised library needs its runtime first, which `vef capture` sees to; by hand a test has to. The library is
# named without its folder, which may have spaces in its name.
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
runtime=$(ldd "$library" | awk '/libasan/ { print $3 ":" }')
# What MPI itself leaks is none of ours.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
${MPICC:-mpicc.mpich} -O1 -w -o progress "$here/tests/mpi/progress.c" || exit 1

# events TRACE TASK: how many events the trace holds of the task.
events() { "$vef" dump --task "$2" "$1" 2>/dev/null | grep -c '^[A-Z]'; }
# done_by TASK: exchanges that the task said it had made.
done_by() { grep -c exchange "progress-$1"; }
# sound TRACE: nothing is wrong with it but that tasks are cut short.
sound() {
    "$vef" check "$1" >out 2>err
    [ $? -eq 1 ] && ! grep -v 'is cut short after\|: [0-9]* faults\?$' out || fail "vef check $1"
}
is_ready() { grep -q ready progress-0 && grep -q ready progress-1; }
all_ended() { [ -z "$(processes_of progress)" ]; }
has_done() { [ "$(done_by 0)" -ge "$1" ] && [ "$(done_by 1)" -ge "$1" ]; }
# task N: the process of a task, found by the file that it holds open.
task() {
    for pid in $(processes_of progress); do
        ls -l "/proc/$pid/fd" 2>/dev/null | grep -q "progress-$1\$" && echo "$pid"
    done
}
start() {
    rm -f progress-?
    trace=$1
    shift
    "$vef" capture --force -o "$trace" -- "$mpiexec" -n 2 ./progress "$TMPDIR" "$@" >out 2>err &
    capture=$!
    ran="capture of $trace"
}

# A task that computes after its last call, and is killed: each call that returned is there.
start task.vef 37
wait_for is_ready && kill -9 "$(task 1)"
wait $capture
[ $? -ne 0 ] || fail "a killed task: status 0"
for task in 0 1; do # MPI_Init and the exchanges
    [ "$(events task.vef $task)" -eq 38 ] || fail "a killed task: task $task has $(events task.vef $task) events instead of 38"
done
says 'cut short: task 0 after 38 events, task 1 after 38 events'
sound task.vef
[ "$(find . -name '*.logs-*')" = '' ] || fail "a killed task leaves logs"

# In the middle of its calls, with many blocks written: no fewer than it told, one more at most.
start flow.vef 0
wait_for has_done 2000 && kill -9 "$(task 0)"
wait $capture
for task in 0 1; do
    more=$(($(events flow.vef $task) - 1 - $(done_by $task)))
    [ $more -ge 0 ] && [ $more -le 1 ] || fail "killed between calls: task $task told $(done_by $task), and has $more more"
done
sound flow.vef

# mpiexec.
start launcher.vef 21
wait_for is_ready && kill -9 "$(children_of $capture)"
wait $capture
status=$?
[ $status -eq 137 ] || fail "a killed mpiexec: status $status"
for task in 0 1; do
    [ "$(events launcher.vef $task)" -eq 22 ] || fail "a killed mpiexec: task $task has $(events launcher.vef $task) events"
done
wait_for all_ended || kill -9 "$(task 0)" "$(task 1)"

# Everything at once, `vef capture` too: the logs stay, and the trace is made of them later.
rm -f progress-?
setsid "$vef" capture --force -o all.vef -- "$mpiexec" -n 2 ./progress "$TMPDIR" 55 >out 2>err &
session=$!
ran='capture of all.vef'
wait_for is_ready && kill -9 $session "$(task 0)" "$(task 1)" $(members_of $session)
wait $session
[ ! -e all.vef ] || fail "a killed capture leaves a trace"
logs=$(find . -maxdepth 1 -name 'all.vef.logs-*')
vef 1 gather -o all.vef "$logs"
prints 'all.vef: 2 tasks, 112 events'
says '2 of 2 tasks are cut short'
sound all.vef
cp all.vef before.vef
# Nothing is overwritten unasked, and a capture to the same file leaves those logs alone.
vef 2 gather -o all.vef "$logs"
says 'all.vef exists: expected a new file, or --force'
vef 1 gather --force -o all.vef "$logs"
cmp -s all.vef before.vef || fail "gathered twice, the traces differ"
rm all.vef
start all.vef 5
wait_for is_ready && kill -9 "$(task 0)"
wait $capture
[ "$(events all.vef 0)" -eq 6 ] || fail "a capture beside old logs mixes with them: $(events all.vef 0) events"
[ -d "$logs" ] && [ "$(ls "$logs"/*.vlog | wc -l)" -eq 2 ] || fail "a capture removes the logs of another"

# By hand into one folder, two runs: gather tells them apart.
mkdir hand
by_hand() { "$mpiexec" -n 2 env LD_PRELOAD="${runtime}libvefcapture.so" "$@" >out 2>err; }
${MPICC:-mpicc.mpich} -O1 -w -o endings "$here/tests/mpi/endings.c" || exit 1
by_hand VEF_CAPTURE_DIR="$TMPDIR/hand" ./endings '' 10 || fail "by hand"
vef 0 gather -o first.vef hand
prints '2 tasks, 24 events' # Init, ten, Finalize
by_hand VEF_CAPTURE_DIR="$TMPDIR/hand" VEF_CAPTURE_JOB=second ./endings '' 20 || fail "by hand again"
vef 2 gather -o both.vef hand
says 'missing --job NAME: logs of 2 jobs: .*(./endings, 2 of 2 tasks), second[^ ]* (./endings, 2 of 2 tasks)'
[ ! -e both.vef ] || fail "gather of two jobs leaves a trace"
vef 0 gather --job "$(ls hand | sed -n 's/task-000000\.\(second.*\)\.vlog/\1/p')" -o second.vef hand
prints '2 tasks, 44 events'
# By the name that VEF_CAPTURE_JOB gave it, too, without what the launcher told; by no other part of it.
vef 0 gather --force --job second -o second.vef hand
prints '2 tasks, 44 events'
vef 2 gather --job secon -o both.vef hand
vef 2 gather --job other -o both.vef hand
says "no log is of job 'other'"

# Nodes that share no files: a folder for each, made by the library; and copies of copies.
rm -rf hand
"$mpiexec" -n 1 env LD_PRELOAD="${runtime}libvefcapture.so" VEF_CAPTURE_DIR="$TMPDIR/a" ./endings '' 10 : \
    -n 1 env LD_PRELOAD="${runtime}libvefcapture.so" VEF_CAPTURE_DIR="$TMPDIR/b" ./endings '' 10 >out 2>err || fail "by hand, a folder each"
vef 0 gather -o nodes.vef a b
prints '2 tasks, 24 events'
vef 0 check nodes.vef
vef 1 gather -o part.vef b
says 'no log of 1 of 2 tasks: 0'
says '1 of 2 tasks are cut short'
mkdir c && cp -r a b c && cp b/*.vlog c
vef 0 gather -o copies.vef c
says '1 log left out, copies of others'
cmp -s nodes.vef copies.vef || fail "copies make another trace"

# A write after every call instead of every second: the log itself has each call that returned.
rm -f progress-?
VEF_CAPTURE_FLUSH=0 VEF_CAPTURE_DIR=$TMPDIR/flushed "$mpiexec" -n 2 env LD_PRELOAD="${runtime}libvefcapture.so" ./progress "$TMPDIR" 9 >out 2>err &
hand=$!
wait_for is_ready
rm -f flushed/*.live
kill -9 "$(task 0)" "$(task 1)"
wait $hand
vef 1 gather -o flushed.vef flushed
[ "$(events flushed.vef 0)" -eq 10 ] || fail "flushed after every call: $(events flushed.vef 0) events instead of 10"

echo "$failures failures"
[ $failures -eq 0 ]
