#!/bin/sh
# Commands on traces of very many tasks: a text of three lines with a million idle ones, and 50,000 that do
# something. Each is bounded in time (timeout: hours before it was linear) and in memory (ulimit -v); what
# is printed follows from how the traces are written.
set -u
. tests/command.sh
limit=120
million=1000000
many=50000
# AddressSanitizer reserves terabytes of addresses and is slow: fewer tasks, without a bound of memory.
sanitized=0
ldd "$vef" | grep -q libasan && sanitized=1
[ $sanitized -eq 1 ] && million=50000 many=5000
export VEF_LIMITS=tasks=$million

# bounded STATUS KIB ARGUMENTS...: as `vef`, within so much memory.
bounded() {
    wanted=$1 kib=$2
    shift 2
    ran="vef $*"
    (
        [ $sanitized -eq 1 ] || ulimit -v "$kib"
        exec timeout $limit "$vef" "$@"
    ) >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || fail "$ran: status $status instead of $wanted"
}
# has KEY VALUE: a key at the top level of the JSON printed last.
has() {
    found=$(sed -n "s/^  \"$1\": \(.*\)\$/\1/p" out | sed 's/,$//')
    [ "$found" = "$2" ] || fail "$ran: $1 is '$found' instead of '$2'"
}
# rows N: the last run printed a table of so many rows below its head.
rows() {
    found=$(($(wc -l <out) - 1))
    [ $found -eq "$1" ] || fail "$ran: $found rows instead of $1"
}

# ---- a million idle tasks ----

# idle N: idle.vef of so many.
idle() {
    printf 'vef-trace 1\ntasks %d\napplication "idle"\n' "$1" >idle.txt
    bounded 0 200000 assemble idle.txt -o idle.vef --force
}
idle $million
bounded 0 400000 info idle.vef
prints "tasks *$million\$"
bounded 0 400000 check idle.vef
prints "$million tasks, 0 events, 0 messages: no fault"
bounded 0 200000 dump idle.vef
[ "$(grep -c '^task ' out)" -eq $million ] || fail "dump does not list $million tasks"
# A file that asks for more memory than there is gets named.
if [ $sanitized -eq 0 ]; then
    for command in info check dump; do
        bounded 2 60000 $command idle.vef
        says "^vef $command: out of memory: "
    done
fi
# An idle task takes at most 2 KiB in a replay.
idle $many
bounded 0 $((60000 + 2 * many)) replay idle.vef --net '{model: ideal}' --json
has tasks $many
has time_cycles 0
bounded 0 200000 map --show --net '{model: ideal}' idle.vef --csv
rows $many
bounded 0 200000 info idle.vef --csv --partners
rows $many
bounded 2 200000 slice idle.vef --tasks 5-9 -o slice.vef
says "the slice is empty"
bounded 0 200000 export idle.vef --format goal -o idle.goal
[ "$(head -n 1 idle.goal)" = "num_ranks $many" ] || fail "$ran: it begins with $(head -n 1 idle.goal)"

# ---- tasks that do something ----

# trace NAME PROGRAM: assembles what an awk program prints for n tasks.
trace() {
    awk -v n=$many "BEGIN { print \"vef-trace 1\"; print \"tasks\", n; $2 }" >"$1.txt"
    bounded 0 400000 assemble "$1.txt" -o "$1.vef"
}
# all NAME: the commands that read a trace from its beginning to its end find nothing wrong with it.
all() {
    bounded 0 400000 check "$1.vef"
    prints ": no fault"
    bounded 0 400000 slice "$1.vef" --tasks 0-9 -o "$1.slice.vef" --force
    bounded 0 400000 info "$1.vef" --json
    has tasks $many
}

# Each sends to its right neighbour, in steps of 1 ns of computation; then all meet twice.
trace ring 'for (t = 0; t < n; t++) printf "task %d\nIrecv from=%d\nSend to=%d bytes=1024 gap=%d\nWait requests=0\nBarrier\nAllreduce bytes=8 elements=1\n", t, (t + n - 1) % n, (t + 1) % n, t'
all ring
has messages $many
has message_bytes $((1024 * many))
has compute_ns $((many * (many - 1) / 2))
bounded 0 400000 info ring.vef --csv --partners
rows $many
[ "$(sed -n 2p out)" = "0,2,1,1,1,$((many - 1))" ] || fail "$ran: the row of task 0 is '$(sed -n 2p out)'"
bounded 0 400000 info ring.vef --csv --matrix
rows $many
[ "$(sed -n 2p out)" = "0,1,1,1024,0,0" ] || fail "$ran: the first pair is '$(sed -n 2p out)'"
# The last to send computes longest, and everybody waits for it. (1 phit of 1 B a ns: 1 cycle is 1 ns.)
bounded 0 1000000 replay ring.vef --net '{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' --json
has time_cycles $((many - 1))

# Task 0 exchanges a message with each of the others.
trace star 'print "task 0"; for (t = 1; t < n; t++) print "Recv from=" t; for (t = 1; t < n; t++) print "Send to=" t " bytes=8"; for (t = 1; t < n; t++) printf "task %d\nSend to=0 bytes=8\nRecv from=0\n", t'
all star
has messages $((2 * (many - 1)))
bounded 0 400000 info star.vef --csv --partners
[ "$(sed -n 2p out)" = "0,$((many - 1)),$((many - 1)),$((many - 1)),1-$((many - 1)),1-$((many - 1))" ] ||
    fail "$ran: the row of task 0 is '$(sed -n 2p out)'"

# A communicator and a window of each task's own.
trace own 'for (t = 0; t < n; t++) printf "comm %d parent=0 by=%s members=%d\n", t + 1, t % 2 ? "Win_create" : "Comm_split", t; for (t = 0; t < n; t++) printf t % 2 ? "task %d\nWin_fence comm=%d\nPut target=%d comm=%d bytes=8\nWin_fence comm=%d\n" : "task %d\nBarrier comm=%d\n", t, t + 1, t, t + 1, t + 1'
all own
has one_sided_bytes $((8 * (many / 2)))

# All in one communicator whose ranks run backwards in two halves: no member stands at its number.
trace halves 'printf "comm 1 parent=0 by=Comm_split members=%d-%d,0-%d\n", n / 2, n - 1, n / 2 - 1; for (t = 0; t < n; t++) printf "task %d\nBcast comm=1 root=%d bytes=8\n", t, n / 2'
all halves
has messages 0

# A region of each task's own.
trace regions 'for (t = 0; t < n; t++) printf "task %d\nRegion_begin name=\"r%d\"\nBarrier gap=%d\nRegion_end name=\"r%d\"\n", t, t, t, t'
all regions
bounded 0 400000 info regions.vef --csv --regions
rows $many

[ $failures -eq 0 ]
