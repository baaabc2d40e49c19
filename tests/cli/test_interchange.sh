#!/bin/sh
# `vef export` and `vef import` from the outside: what they write of a program by hand, what they say they
# leave out, and what they refuse. (What other tools make of the files, and ways out and back of captured
# programs, are in tests/examples/test_captured.sh and tests/interchange/test_goal.c.)
. tests/command.sh
set -u

cat >hand.txt <<'END'
vef-trace 1
tasks 2
comm 1 parent=0 by=Win_create members=0-1
task 0
Init
Isend to=1 bytes=100 gap=40
Recv from=1 gap=5
Wait requests=0
Iprobe from=1 bytes=8 tag=9
Recv from=1 tag=9
Put target=1 bytes=8 comm=1
Finalize gap=7
task 1
Init
Recv from=0
Send to=0 bytes=50 gap=60
Send to=0 bytes=8 tag=9
Finalize
END
vef 0 assemble hand.txt -o hand.vef

# GOAL: the receive needs the start of the send that goes on, the end of what follows both.
vef 0 export hand.vef --format goal -o hand.goal
prints 'hand.goal: 2 tasks'
says '1 probes that saw a message are left out'
says '1 one-sided operations are left out'
sed -n '/^rank 0/,/^}/p' hand.goal >found
cat >wanted <<'END'
rank 0 {
l0: calc 40
l1: send 100b to 1 tag 0
l1 requires l0
l2: calc 5
l2 irequires l1
l3: recv 50b from 1 tag 0
l3 requires l2
l4: recv 8b from 1 tag 1
l4 requires l3
l4 requires l1
l5: calc 7
l5 requires l4
}
END
cmp wanted found || { fail "rank 0 of hand.goal"; cat found; }

# SimGrid: one file per task, named in the index; a call that blocks is one action.
vef 0 export hand.vef --format simgrid-ti -o hand.ti
printf 'hand.ti.0\nhand.ti.1\n' | cmp - hand.ti || fail "the index"
cat >wanted <<'END'
1 init
1 recv 0 0 100 6
1 compute 60
1 send 0 0 50 6
1 send 0 1 8 6
1 finalize
END
cmp wanted hand.ti.1 || { fail "hand.ti.1"; cat hand.ti.1; }
vef 0 import hand.ti --format simgrid-ti -o hand-ti.vef
prints 'hand-ti.vef: 2 tasks, 11 events, 3 messages'

# smpirun_ends NAME: where SimGrid is here, it replays NAME.simgrid-ti, of 4 tasks.
smpirun_ends() {
    command -v smpirun >/dev/null || return 0
    printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n%s%s%s\n' \
        '<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" ' \
        'bw="1.25GBps" lat="1us"/>' '</platform>' >platform.xml
    printf 'n%d\n' 0 1 2 3 >hosts
    LC_ALL=C TMPDIR=/tmp smpirun -np 4 -platform platform.xml -hostfile hosts -replay $1.simgrid-ti >out 2>&1 &&
        grep -q 'Simulation time [0-9.]*[1-9]' out || fail "SimGrid on $1.simgrid-ti"
}

# Non-blocking collectives. Task 1 starts its own only after task 0 has, so they cannot block where they
# start; and task 0 must start its second steps where it waits for task 3, which needs them. Four tasks:
# dissemination and recursive doubling take 4 x 2 messages each, the broadcast 3.
cat >beside.txt <<'END'
vef-trace 1
tasks 4
task 0
Init
Ibarrier
Iallreduce bytes=8 elements=1
Ibcast root=0 bytes=100
Send to=1 bytes=1000
Recv from=3
Wait requests=2
Wait requests=0
Wait requests=1
Finalize
task 1
Init
Recv from=0
Ibarrier
Iallreduce bytes=8 elements=1
Ibcast root=0 bytes=100
Waitall requests=1,2,0
Finalize
task 2
Init
Ibarrier
Iallreduce bytes=8 elements=1
Ibcast root=0 bytes=100
Waitall requests=0,1,2
Finalize
task 3
Init
Ibarrier
Iallreduce bytes=8 elements=1
Ibcast root=0 bytes=100
Wait requests=1
Wait requests=0
Send to=0 bytes=10000
Wait requests=2
Finalize
END
vef 0 assemble beside.txt -o beside.vef
vef 0 check beside.vef
for format in simgrid-ti goal; do
    vef 0 export beside.vef --format $format -o beside.$format
    cat beside.$format* | awk -v wanted=$((8 + 8 + 3 + 2)),$((8 * 8 + 3 * 100 + 1000 + 10000)) '
        $2 ~ /^i?send$/ { count++; bytes += $5 }
        $2 == "send" && $4 == "to" { bytes += $3 - $5 }
        $2 ~ /^(barrier|allreduce|bcast)$/ { print "blocking: " $0 }
        END { if (count "," bytes != wanted) print count " messages, " bytes " bytes" }' >out
    [ ! -s out ] || fail "beside.$format"
done
vef 0 import beside.goal --format goal -o beside.back.vef
vef 0 replay beside.back.vef --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}' --json
prints '"stalled": null'
smpirun_ends beside

# Back: the same but for what was left out.
vef 0 import hand.goal --format goal -o back.vef
vef 0 check back.vef
vef 0 replay back.vef --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}' --json
# 40 to send, 60 more to answer, 7 at the end: the longest way.
prints '"time_cycles": 107,'

# Between two groups, on the neighbours of a ring and of a graph. The broadcast: to the other group and
# inside it. All to all: from each of two to each of two, both ways. Each task of the ring has 2 neighbours;
# the graph has 4 edges.
cat >groups.txt <<'END'
vef-trace 1
tasks 4
comm 1 parent=0 by=Intercomm_create members=0-1 remote=2-3
comm 2 parent=0 by=Cart_create members=0-3 grid=4p
comm 3 parent=0 by=Dist_graph_create members=0-3
neighbours 0 out=1,2
neighbours 1 in=0 out=3
neighbours 2 in=0 out=3
neighbours 3 in=1,2
END
for task in 0 1 2 3; do
    case $task in 0) root=here ;; 1) root=beside ;; *) root=0 ;; esac
    case $task in 1) bytes=0 ;; *) bytes=1000 ;; esac
    cat >>groups.txt <<END
task $task
Init
Bcast comm=1 root=$root bytes=$bytes gap=${task}00
Neighbor_alltoall comm=2 bytes=50
Ialltoall comm=1 bytes=10 gap=4$task
Ineighbor_allgather comm=3 bytes=7
Waitall requests=0,1 gap=70
Finalize
END
done
vef 0 assemble groups.txt -o groups.vef
vef 0 check groups.vef
for format in simgrid-ti goal; do
    vef 0 export groups.vef --format $format -o groups.$format
    cat groups.$format* | awk -v wanted=$((2 + 4 * 2 + 8 + 4)),$((2 * 1000 + 4 * 2 * 50 + 8 * 10 + 4 * 7)) '
        $2 ~ /^i?send$/ { count++; bytes += ($4 == "to" ? $3 : $5) }
        END { if (count "," bytes != wanted) print count " messages, " bytes " bytes" }' >out
    [ ! -s out ] || fail "groups.$format"
done
smpirun_ends groups
vef 0 import groups.goal --format goal -o groups.back.vef
vef 0 check groups.back.vef
for trace in groups groups.back; do
    vef 0 replay $trace.vef --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}' --json
    # Task 3 starts last; the wait of all follows by its computation.
    prints "\"time_cycles\": $((300 + 43 + 70)),"
done

# A call that MPI does not define between two groups: the export reports what it writes instead.
sed '/^Bcast/,/^Waitall/s/.*//; s/^Init/Scan comm=1 bytes=8 elements=1/' groups.txt >undefined.txt
vef 0 assemble undefined.txt -o undefined.vef
for format in simgrid-ti goal; do
    vef 0 export undefined.vef --format $format -o undefined.$format
    says '4 calls of collectives on intercommunicators are written as barriers of both groups'
done

# Two threads of a task that wait for each other's requests, and for what the other side sends. The trace
# comes back with the same threads, without ticks between them, consistent and with the same time.
cat >threads.txt <<'END'
vef-trace 1
tasks 2
task 0
Init entered=0 left=1
Irecv from=1 request=0 entered=2 left=3
Send to=1 bytes=100 gap=300 entered=8 left=9
Irecv from=1 request=3 entered=10 left=11
Wait requests=0 entered=12 left=17
Finalize entered=20 left=21
thread 1
Isend to=1 bytes=10 request=1 gap=50 entered=4 left=5
Isend to=1 bytes=20 request=2 gap=70 entered=6 left=7
Waitall requests=1,3 gap=600 entered=14 left=15
Wait requests=2 gap=40 entered=18 left=19
task 1
Init
Recv from=0 gap=5
Recv from=0
Recv from=0 gap=5000
Send to=0 bytes=30
Send to=0 bytes=40 gap=900
Finalize
END
vef 0 assemble threads.txt -o threads.vef
vef 0 check threads.vef
vef 0 export threads.vef --format goal -o threads.goal
vef 0 import threads.goal --format goal -o threads.back.vef
vef 0 check threads.back.vef
for trace in threads threads.back; do
    vef 0 replay $trace.vef --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}' --json
    # Until the first Send, the third Recv, the second Send, and the last Wait.
    prints "\"time_cycles\": $((300 + 5000 + 900 + 40)),"
done

# The algorithms of collectives: four ranks sum 16 elements in a ring of 2 x 3 rounds, or by way of rank 0.
{
    printf 'vef-trace 1\ntasks 4\ncomm 0 members=0-3\n'
    for task in 0 1 2 3; do printf 'task %d\nAllreduce bytes=128 elements=16\n' $task; done
} >sum.txt
vef 0 assemble sum.txt -o sum.vef
for chosen in ring:24 linear:6; do
    vef 0 export sum.vef --force --format goal -o sum.goal --set "mpi.allreduce=${chosen%:*}"
    [ "$(grep -c ': send ' sum.goal)" -eq "${chosen#*:}" ] || fail "allreduce=${chosen%:*}: $(cat sum.goal)"
    echo "mpi: {allreduce: ${chosen%:*}}" >sum.yaml
    mv sum.goal set.goal
    vef 0 export sum.vef --format goal -o sum.goal --net sum.yaml
    cmp -s sum.goal set.goal || fail "--net and --set differ for ${chosen%:*}"
done
vef 2 export sum.vef --force --format goal -o sum.goal --set mpi.allreduce=rng
says "unknown allreduce 'rng': did you mean ring?"

vef 2 export hand.vef --format goal -o hand.goal
says 'hand.goal exists: expected a new file, or --force'
vef 0 export hand.vef --force --format goal -o hand.goal
vef 2 import hand.goal --format goal -o hand.vef
says 'hand.vef exists: expected a new file, or --force'
vef 2 export hand.vef -o x
says 'missing --format: expected one of goal, simgrid-ti'
vef 2 export hand.vef -f paje -o x
says "unknown format 'paje' to write: expected one of goal, simgrid-ti"
vef 2 import hand.ti -f chrome -o x
says "unknown format 'chrome' to read: expected one of goal, simgrid-ti"
vef 2 import hand.vef -f goal -o x
says 'hand.vef: this is a trace of 2 tasks: expected a file in the format goal'
vef 2 import none.goal -f goal -o x
says 'none.goal: No such file'
vef 2 export hand.txt -f goal -o x
says 'hand.txt'
[ ! -e x ] || fail "something that failed left its output"
[ $failures -eq 0 ]
