#!/bin/sh
# `vef export --format otf2` and `vef import --format otf2`: archives of a program by hand, whose records are
# stated here, and of captured examples, whose numbers of records must be those of `vef info` (otf2-print,
# of libotf2, reads them), and which imported give the calls, bytes and replays of the trace.
set -u
. tests/command.sh
: "${MPIEXEC:=mpiexec.mpich}"
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# Every kind of record: messages with and without requests, a cancelled receive, collectives with and
# without requests, a communicator, regions, a mark, polls, the threads of a task.
cat >hand.txt <<'TEXT'
vef-trace 1
tasks 2
comm 1 parent=0 by=Comm_split members=1,0
task 0
Init
Comm_split new=1 gap=5 time=1
Region_begin name="solve" gap=4
Send to=1 bytes=5 gap=10 time=4 tag=3 comm=1
Isend to=1 bytes=6 tag=4 request=0
Irecv from=1 bytes=9 request=1
Test gap=30 time=11 repeats=3 marks=poll
Waitall requests=0,1 time=100
Iallreduce bytes=64 elements=8 request=2
Wait requests=2
Mark name="half"
Region_end name="solve"
Bcast root=1 bytes=100 outside=7 time=20
Finalize
task 1
Init
Comm_split new=1
Recv from=0 bytes=5 tag=3 comm=1
Recv from=0 bytes=6 tag=4
Isend to=0 bytes=9 request=0
Request_free requests=0
Irecv from=none bytes=0 request=1 flags=cancelled
Cancel value=1
Wait requests=1!
Iallreduce bytes=64 elements=8 request=2
Wait requests=2
Bcast root=1 bytes=100
Finalize
TEXT
"$vef" assemble hand.txt -o hand.vef >out 2>err || { fail 'assemble'; exit 1; }
"$vef" export hand.vef --format otf2 -o hand.otf2 >out 2>err
status=$?
if grep -q 'built without OTF2 (libopen-trace-format2-dev)' err; then
    [ $status -eq 2 ] || fail "without the library: status $status"
    skip 'otf2: vef was built without it'
    [ $failures -eq 0 ]
    exit
fi
[ $status -eq 0 ] || fail "export: status $status"
says 'clocks of tasks are not synchronised'

# An existing folder or file stays, and a failure leaves nothing.
touch hand.otf2/own
for force in '' --force; do
    # shellcheck disable=SC2086
    vef 2 export hand.vef --format otf2 -o hand.otf2 $force
    says 'hand.otf2 exists: expected a new folder'
done
[ -e hand.otf2/own ] || fail 'the folder was replaced'
head -c 400 hand.vef >cut.vef
vef 2 export hand.vef --format otf2 -o missing/hand.otf2
says 'creating missing/hand.otf2'
vef 2 export hand.vef --format otf2 -o part.otf2 --time 0s-1s
says 'not supported with --format otf2'
[ "$(ls -d -- *.otf2*)" = hand.otf2 ] || fail "left behind: $(ls -d -- *.otf2*)"

# An export that cannot be written whole fails, though libotf2 does not notice.
(ulimit -f 1 && exec "$vef" export hand.vef --format otf2 -o full.otf2) >out 2>err
[ $? -eq 2 ] || fail 'an archive that is not whole'
[ "$(ls -d -- *.otf2*)" = hand.otf2 ] || fail "left behind: $(ls -d -- *.otf2*)"

# Imported, the program is the same but for MPI_Cancel, which names a request, and the receive that it
# cancels: it is of no task, and completes at the next call that waits.
events() { "$vef" dump "$1" | sed -n '/^task 0/,$p' | sed 's/ entered=.*//'; }
vef 0 import hand.otf2/traces.otf2 --format otf2 -o back.vef
says '1 calls that name a request'
events hand.vef | grep -v '^Cancel' | sed 's/^Wait requests=1!/Wait requests=1/; s/flags=cancelled//; s/ *$//' >wanted
events back.vef | sed 's/ *$//' >got
cmp -s wanted got || { diff wanted got >out; fail 'imported hand.otf2'; }
# Events of more than one chunk of libotf2, all at the same time.
vef 0 generate '{workload: stencil, points: 9, tasks: 2, iterations: 2000, message: 8 B}' -o timeless.vef
vef 0 export timeless.vef --format otf2 -o timeless.otf2
vef 0 import timeless.otf2/traces.otf2 --format otf2 -o timeless-back.vef
events timeless.vef | sed 's/ *$//' >wanted
events timeless-back.vef | sed 's/ *$//' >got
[ "$(wc -l <wanted)" -gt 20000 ] && cmp -s wanted got || { diff wanted got | head -n 5 >out; fail 'a trace without times'; }
# A non-blocking collective that no call completes is known by its completion, so it is written as complete at
# once. One that the other task does not have would match another one there: it has no record.
cat >open.txt <<'TEXT'
vef-trace 1
tasks 2
task 0
Init
Ibarrier marks=open-ended
Barrier marks=unmatched
Bcast bytes=8
Finalize
task 1
Init
Ibarrier marks=open-ended
Bcast bytes=8
Finalize
TEXT
vef 0 assemble open.txt -o open.vef
vef 0 export open.vef --format otf2 -o open.otf2
says '1 collectives and calls on communicators as regions only'
says '2 non-blocking collectives that no call completes'
vef 0 import open.otf2/traces.otf2 --format otf2 -o back.vef --force
says '1 collectives and calls on communicators without the record of their end are left out'
vef 0 check back.vef
events open.vef | grep -v '^Barrier' >wanted
events back.vef >got
cmp -s wanted got || { diff wanted got >out; fail 'imported open.otf2'; }
vef 2 import hand.otf2/traces.def --format otf2 -o none.vef
vef 2 import hand.otf2 --format otf2 -o none.vef
rm -r open.otf2
[ -e none.vef ] && fail 'a trace of what is no archive'

printing=yes
command -v otf2-print >/dev/null || { skip 'otf2: no otf2-print'; printing=; }

# print FOLDER: its records, in out; without messages of the reader.
print() {
    ran="otf2-print $1"
    [ -n "$printing" ] || return 0
    otf2-print -A "$1/traces.otf2" >out 2>err || fail "$ran: status $?"
    [ -s err ] && fail "$ran: messages"
}
# records KIND: how many there are.
records() { grep -c "^$1 " out; }
# expect NUMBER KIND
expect() { [ -z "$printing" ] || [ "$(records "$2")" -eq "$1" ] || fail "$ran: $(records "$2") $2 instead of $1"; }

print hand.otf2
# Of task 0 11 calls, two more tests and `outside`, a region and a mark; of task 1 13 calls.
expect 29 ENTER
expect 29 LEAVE
expect 1 MPI_SEND
expect 2 MPI_ISEND
expect 2 MPI_ISEND_COMPLETE
expect 2 MPI_RECV
expect 1 MPI_IRECV
expect 1 MPI_IRECV_REQUEST
expect 0 MPI_REQUEST_CANCELLED # from no task: nothing is written, as by Score-P
expect 4 MPI_COLLECTIVE_END
expect 2 NON_BLOCKING_COLLECTIVE_REQUEST
expect 2 NON_BLOCKING_COLLECTIVE_COMPLETE
expect 2 COMM_CREATE
# recorded PATTERN: a record matches.
recorded() { [ -z "$printing" ] || grep -q "$1" out || fail "no record: $1"; }
# Task 0 is rank 1 of the communicator. Times: the clock begins with 1; 5 + 1 + 4 + 10 to the entry of MPI_Send; then its 4.
recorded '^ENTER  *0  *21  *Region: "MPI_Send"'
recorded '^MPI_SEND  *0  *21  *Receiver: 0 .*Tag: 3, Length: 5'
recorded '^MPI_IRECV  *0  *166  *Sender: 1 .*Tag: 0, Length: 9, Request: 1'
# The three tests: entered every 10 ns and 11/3.
[ -z "$printing" ] || [ "$(sed -n 's/^ENTER  *0  *\([0-9]*\)  *Region: "MPI_Test".*/\1/p' out | tr '\n' ' ')" = '35 48 62 ' ] || fail 'the tests'
# Sizes as Score-P counts them: a member of two sends its vector to both; the root of Bcast to both.
recorded '^NON_BLOCKING_COLLECTIVE_COMPLETE  *0 .*Operation: ALLREDUCE.*Sent: 128, Received: 128'
recorded '^MPI_COLLECTIVE_END  *1 .*Operation: BCAST.*Root: 1.*Sent: 200, Received: 100'
recorded '^MPI_COLLECTIVE_END  *0 .*Operation: BCAST.*Root: 1.*Sent: 0, Received: 100'

# count KEY: of the last `vef info --json`; 0 if it is not there.
count() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" info.json | awk '{ n = $1; exit } END { print n + 0 }'; }
# sum NAMES...: of the numbers of these calls.
sum() {
    total=0
    for call; do total=$((total + $(count "MPI_$call"))); done
    echo $total
}
# facts TRACE: calls, bytes and times, without those of MPI_Init and MPI_Finalize; and without the names of
# calls that are only counted, which an archive has as regions `outside`.
facts() {
    "$vef" info "$1" --json | grep -E '"(MPI_[A-Za-z_]*|[a-z_]*bytes|[a-z_]*messages|events|mpi_calls|receives|compute_ns|mpi_ns|outside_ns)": [0-9]' |
        grep -vE '"(file_bytes|bytes_per_[a-z]*|MPI_(Type|Dims)_[a-z]*)"'
}
# same NETWORK: both traces take the same time there.
same() {
    for trace in app back; do
        "$vef" replay $trace.vef --net "$1" --json | grep -m 1 '"time_ns"' >time.$trace
    done
    [ -s time.app ] && cmp -s time.app time.back || fail "$example: replay on $1: $(cat time.app time.back)"
}
echo '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}' >ideal.yaml
echo '{topology: {family: torus, sizes: [2, 2]}, routing: {algorithm: dor}, link: {bandwidth: 10 Gbit/s, phit: 4 B}, packet: {phits: 16}}' >torus.yaml
for example in cg bfs fft3d sort halo2d wavefront; do
    rm -f app.vef
    "$vef" capture -o app.vef -- "$MPIEXEC" -n 4 "$build/examples/$example" >out 2>err || { fail "$example"; continue; }
    vef 0 info app.vef --json
    mv out info.json
    vef 0 export app.vef --format otf2 -o $example.otf2
    print $example.otf2
    outside=$(grep -c '^ENTER .*"outside"' out)
    expect $((outside + $(count mpi_calls))) ENTER
    expect $((outside + $(count mpi_calls))) LEAVE
    [ -z "$printing" ] || {
    sends=$(($(records MPI_SEND) + $(records MPI_ISEND)))
    [ $sends -eq "$(count messages)" ] || fail "$example: $sends sends instead of $(count messages)"
    bytes=$(sed -n 's/^MPI_I\{0,1\}SEND .*Length: \([0-9]*\).*/\1/p' out | awk '{ n += $1 } END { printf "%.0f", n }')
    [ "$bytes" -eq "$(count message_bytes)" ] || fail "$example: $bytes bytes instead of $(count message_bytes)"
    }
    expect "$(count MPI_Recv)" MPI_RECV
    expect "$(sum Irecv)" MPI_IRECV_REQUEST
    expect "$(sum Irecv)" MPI_IRECV
    made=$(sum Comm_dup Comm_split Cart_create Cart_sub Comm_create)
    freed=$(sum Comm_free)
    expect "$made" COMM_CREATE
    expect "$freed" COMM_DESTROY
    expect $((made + freed + $(sum Barrier Bcast Reduce Allreduce Gather Alltoall Alltoallv Allgather))) MPI_COLLECTIVE_END
    rm -f back.vef
    vef 0 import $example.otf2/traces.otf2 --format otf2 -o back.vef
    vef 0 check back.vef
    facts app.vef >wanted
    facts back.vef >got
    cmp -s wanted got || { diff wanted got >out; fail "$example: imported"; }
    # Alltoallv has the sums of its counts only.
    case $example in bfs | sort) continue ;; esac
    same ideal.yaml
    same torus.yaml
done
[ $failures -eq 0 ]
