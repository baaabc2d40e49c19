#!/bin/sh
# `vef export --format otf2`: archives of a program by hand, whose records are stated here, and of captured
# examples, whose numbers of records must be those of `vef info`. otf2-print, of libotf2, reads them.
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

command -v otf2-print >/dev/null || { skip 'otf2: no otf2-print'; exit $failures; }

# print FOLDER: its records, in out; without messages of the reader.
print() {
    ran="otf2-print $1"
    otf2-print -A "$1/traces.otf2" >out 2>err || fail "$ran: status $?"
    [ -s err ] && fail "$ran: messages"
}
# records KIND: how many there are.
records() { grep -c "^$1 " out; }
# expect NUMBER KIND
expect() { [ "$(records "$2")" -eq "$1" ] || fail "$ran: $(records "$2") $2 instead of $1"; }

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
# Task 0 is rank 1 of the communicator. Times: 5 + 1 + 4 + 10 to the entry of MPI_Send; then its 4.
grep -q '^ENTER  *0  *20  *Region: "MPI_Send"' out || fail 'the time of MPI_Send'
grep -q '^MPI_SEND  *0  *20  *Receiver: 0 .*Tag: 3, Length: 5' out || fail 'the record of MPI_Send'
grep -q '^MPI_IRECV  *0  *165  *Sender: 1 .*Tag: 0, Length: 9, Request: 1' out || fail 'MPI_Irecv'
# The three tests: entered every 10 ns and 11/3.
[ "$(sed -n 's/^ENTER  *0  *\([0-9]*\)  *Region: "MPI_Test".*/\1/p' out | tr '\n' ' ')" = '34 47 61 ' ] || fail 'the tests'
# Sizes as Score-P counts them: a member of two sends its vector to both; the root of Bcast to both.
grep -q '^NON_BLOCKING_COLLECTIVE_COMPLETE  *0 .*Operation: ALLREDUCE.*Sent: 128, Received: 128' out || fail 'Iallreduce'
grep -q '^MPI_COLLECTIVE_END  *1 .*Operation: BCAST.*Root: 1.*Sent: 200, Received: 100' out || fail 'Bcast of the root'
grep -q '^MPI_COLLECTIVE_END  *0 .*Operation: BCAST.*Root: 1.*Sent: 0, Received: 100' out || fail 'Bcast'

# count KEY: of the last `vef info --json`; 0 if it is not there.
count() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" info.json | awk '{ n = $1; exit } END { print n + 0 }'; }
# sum NAMES...: of the numbers of these calls.
sum() {
    total=0
    for call; do total=$((total + $(count "MPI_$call"))); done
    echo $total
}
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
    sends=$(($(records MPI_SEND) + $(records MPI_ISEND)))
    [ $sends -eq "$(count messages)" ] || fail "$example: $sends sends instead of $(count messages)"
    bytes=$(sed -n 's/^MPI_I\{0,1\}SEND .*Length: \([0-9]*\).*/\1/p' out | awk '{ n += $1 } END { printf "%.0f", n }')
    [ "$bytes" -eq "$(count message_bytes)" ] || fail "$example: $bytes bytes instead of $(count message_bytes)"
    expect "$(count MPI_Recv)" MPI_RECV
    expect "$(sum Irecv)" MPI_IRECV_REQUEST
    expect "$(sum Irecv)" MPI_IRECV
    made=$(sum Comm_dup Comm_split Cart_create Cart_sub Comm_create)
    freed=$(sum Comm_free)
    expect "$made" COMM_CREATE
    expect "$freed" COMM_DESTROY
    expect $((made + freed + $(sum Barrier Bcast Reduce Allreduce Gather Alltoall Alltoallv Allgather))) MPI_COLLECTIVE_END
done
[ $failures -eq 0 ]
