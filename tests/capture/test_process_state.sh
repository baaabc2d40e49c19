#!/bin/sh
# What a program does with its process is its own affair, and no reason to lose events: signals and their handlers,
# descriptors that it closes, reuses or redirects, children however they are made, errno, floating-point exceptions,
# limits. Captured, it prints the same, writes the same files and ends with the same status as without.
# With each MPI library.
. tests/command.sh
set -u
ulimit -c 0
${MPICC:-mpicc.mpich} -D_GNU_SOURCE -O1 -w -pthread -o process_state "$here/tests/mpi/process_state.c" -lm || exit 1

# Signals and moments: all with the first library, some with the others.
signals='1 2 6 9 11 15' delays='150 700 1500'
[ "${VEF_TEST_MPI:-mpich}" = "${MPIS%% *}" ] || signals='6 9 15' delays=700

# plain NAME ARGUMENTS..., captured NAME ARGUMENTS...: runs the program with NAME.own as the working folder, and keeps
# what it printed on stdout and its status beside its files; stderr has numbers of processes.
run() {
    kept=$1
    shift
    rm -rf own && mkdir own && cd own || exit 1
    timeout 100 "$@" >out 2>../err
    status=$?
    cd ..
    rm -rf "$kept" && cp -r own "$kept" && cp own/out out
}
plain() { ran="plain $*"; run plain ../process_state "$@"; plain_status=$status; }
captured() { # and expects that status; OPTIONS of vef capture
    expected=$1
    shift
    ran="captured $*"
    rm -f trace.vef
    # shellcheck disable=SC2086
    run captured "$vef" capture ${options:-} -o ../trace.vef ${shell:-} ../process_state "$@"
    [ $status -eq "$expected" ] || fail "$ran: status $status instead of $expected"
}
same() { diff -r plain captured >differences || { cat differences; fail "$ran: differs from plain"; }; }
# holds N: the trace has that many events: MPI_Init, and what the program counts.
holds() { says "1 task, $1 events"; }

# Asked for everything, with a flush after each call.
plain state
options="--flush 0us" captured 0 state
same
holds 3202

# Handlers that call those before them, and none that were not the program's.
plain chain
captured 0 chain
same
holds 202

# Signals without a handler of the program: the end that they bring, and no event is lost.
for signal in $signals; do
    plain raise $signal
    captured $plain_status raise $signal
    same
    says 'cut short: task 0 after 101 events'
done
# A fatal error of MPI.
plain error
captured $plain_status error
same
says 'task 0 after 101 events'

# A handler interrupts the recorder, and exits, aborts, or calls MPI; with and without threads.
for delay in $delays; do
    captured 7 exit $delay
    captured 7 exit $delay threads
done
captured 7 abort 500
captured 7 abort 700 threads
captured 0 call 100
vef 0 check trace.vef
captured 0 call 130 threads
vef 0 check trace.vef

# Descriptors that are closed, and whose numbers are those of own files then; with a ring too.
for end in 10 1010; do
    plain reuse $end
    captured 0 reuse $end
    same
    holds 240202
done
[ "$(cat captured/own-* | sort | uniq -c | tr -s ' ')" = ' 80 precious' ] || fail "own files are harmed"
options="--max-size 1MiB --when-full ring" captured 0 reuse 1010
same
vef 0 check trace.vef
# None is left.
captured 1 reuse 1024
[ "$(cat captured/own-* | sort | uniq -c | tr -s ' ')" = ' 80 precious' ] || fail "own files are harmed by a full table"
says 'task 0: .*Too many open files: recording stopped; the program continued'

# Standard streams that belong to a file of the program, and a log that fails: no message gets into the file.
plain redirect
options=--keep-logs captured 1 redirect
rm plain/status captured/status 2>/dev/null
same
[ "$(cat captured/own-data)" = data ] || fail "a message in the file of the program"
says 'task 0: .*File too large: recording stopped; the program continued'
[ "$(grep -c 'File too large' err)" -eq 1 ] || fail "not told once"
vef 1 gather -o gathered.vef trace.vef.logs-*
says 'vef gather: task 0: .*File too large: recording stopped'
rm -r trace.vef.logs-*

# Closed ones: the program finds their numbers free.
for closed in '2>&-' '<&- >&- 2>&-'; do
    echo "exec \"\$@\" $closed" >closed.sh
    plain_shell=$closed
    rm -rf own && mkdir own && (cd own && sh ../closed.sh ../process_state numbers)
    cp own/own-numbers numbers
    shell="sh ../closed.sh" captured 0 numbers
    cmp -s numbers captured/own-numbers || fail "descriptors with $plain_shell: $(cat captured/own-numbers) instead of $(cat numbers)"
    says 'events'
done

# Children by every way, which call what is recorded, and exit.
plain children
captured 0 children
same
holds 1002
captured 137 children 9
says 'cut short: task 0 after 901 events'
vef 0 dump trace.vef
[ "$(grep -c '^Pcontrol' out)" -eq 900 ] || fail "events of the task: $(grep -c '^Pcontrol' out) instead of 900"
! grep '^Pcontrol' out | grep -v value=1 || fail "events of a child"
# One that outlives the task neither holds its log nor adds to it.
options="--wait 20s" captured 1 outlived
[ ! -e own/gone ] || fail "the child ended too early"
says 'cut short: task 0 after 101 events'
touch own/go
wait_for test -e own/gone
captured 1 daemon
wait_for test -e own/gone
grep -q daemon own/out || fail "the daemon was harmed"
says 'cut short: task 0 after 101 events'

# A task that has closed the descriptor of its log still holds it; also one with a ring, which has renewed its log.
for calls in 100 300000; do
    rm -rf own hold.vef && mkdir own
    [ $calls -eq 100 ] || options="--max-size 1MiB --when-full ring"
    # shellcheck disable=SC2086
    (cd own && exec "$vef" capture ${options:-} -o ../hold.vef ../process_state hold $calls >../held 2>&1) &
    wait_for test -e own/ready
    vef 2 gather -o early.vef hold.vef.logs-*
    says 'the job still runs: task 0'
    touch own/go
    wait $! || fail "a task that closed its descriptors: $(cat held)"
    grep -q '1 task, ' held || fail "a task that closed its descriptors: $(cat held)"
done

echo "$failures failures"
[ $failures -eq 0 ]
