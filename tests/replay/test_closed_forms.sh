#!/bin/sh
# Traces written by hand on the paper's router (16-phit packets of 4-byte phits, bubble, two adaptive
# channels), whose times, hops and link loads follow from netmodel/MODEL.md and from counting.
set -u
. tests/command.sh

# trace NAME TASKS: makes NAME.vef; `events TASK` (a function of the caller) prints a task's events.
trace() {
    {
        printf 'vef-trace 1\ntasks %d\n' "$2"
        task=0
        while [ $task -lt "$2" ]; do
            printf 'task %d\nInit\n' $task
            events $task
            echo Finalize
            task=$((task + 1))
        done
    } >"$1.txt"
    vef 0 assemble -o "$1.vef" "$1.txt"
}
# replay NAME TOPOLOGY OPTIONS...: on the paper's router.
replay() {
    name=$1
    echo "topology: $2" >net.yaml
    shift 2
    vef 0 replay "$name.vef" --net net.yaml --eager-threshold '1 MiB' --json "$@"
}
# has KEY EXPRESSION: the value of a key, checked by an awk expression of it (v).
has() {
    value=$(sed -n "s/^  \"$1\": \([^,]*\),*\$/\1/p" out)
    awk "BEGIN { v = $value; exit !($2) }" || fail "$name: $1 is $value, not $2"
}

# One message of 1000 bytes, 250 phits, over h hops: h + 250 cycles. On RTT(16) from (0, 0) to (16, 8)
# h is 8, down through the wrap that shifts by 16; on RT(16) it is 24.
events() { case $1 in 0) echo 'Send to=272 bytes=1000' ;; 272) echo 'Recv from=0' ;; esac; }
trace one 273
replay one '{family: rtt, a: 16}'
has average_hops 'v == 8'
has time_cycles 'v == 258'
has phits 'v == 250'
replay one '{family: rt, a: 16}'
has time_cycles 'v == 274'

# Everybody on a ring sends 16,000 phits to the next one: every link of one direction is always busy.
events() { echo "Sendrecv to=$((($1 + 1) % 12)) bytes=64000 from=$((($1 + 11) % 12))"; }
trace shift 12
replay shift '{family: torus, sizes: [12]}'
has time_cycles 'v == 16001'
has link_utilization_max 'v > 0.9999 && v < 1'
has link_utilization_mean 'v > 0.49995 && v < 0.5'

# Everybody to task 0: bounded by its one ejection port, a phit a cycle; with two, by half of that.
events() {
    if [ "$1" -gt 0 ]; then
        echo 'Send to=0 bytes=6400'
    else
        for from in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo "Recv from=$from"; done
    fi
}
trace incast 16
replay incast '{family: torus, sizes: [4, 4]}'
has time_cycles 'v >= 15 * 1600 && v < 15 * 1600 + 100'
replay incast '{family: torus, sizes: [4, 4]}' --set router.ejection_ports=2
has time_cycles 'v >= 15 * 800 && v < 15 * 800 + 100'

# All to all, each pair once: the mean of hops is the topology's mean distance, over other routers.
# TPDS 2010: RT(4) 3.0 and RTT(4) 2.625 over all 32; a line of n: (n + 1) / 3, and its middle link
# carries floor(n / 2) ceil(n / 2) messages of 1024 phits.
events() { echo 'Alltoall bytes=4096'; }
trace all 32
replay all '{family: rt, a: 4}'
has average_hops 'v * 31 > 95.999 && v * 31 < 96.001'
replay all '{family: rtt, a: 4}' --set 'routing={algorithm: dor}'
has average_hops 'v * 31 > 83.999 && v * 31 < 84.001'
trace line 9
replay line '{family: mesh, sizes: [9]}'
has average_hops 'v * 3 > 9.999 && v * 3 < 10.001'
cycles=$(sed -n 's/^  "time_cycles": \([0-9]*\),/\1/p' out)
has link_utilization_max "v * $cycles > 20479 && v * $cycles < 20481"
has time_cycles 'v >= 20480'

# A broadcast of 400 phits among six tasks on three endpoints of a line, two on each but not beside each
# other. Rank by rank (linear) four of five messages cross the network, and leave the root one after the
# other: 4 x 400 phits, and two links for the last. In two levels, two cross it.
events() { echo 'Bcast root=0 bytes=1600'; }
trace bcast 6
printf '%s\n' 0 1 2 0 1 2 >map.txt
replay bcast '{family: mesh, sizes: [3]}' --map 'file(map.txt)' --set mpi.bcast=linear
has local_messages 'v == 1'
has phits 'v == 4 * 400'
has time_cycles 'v >= 4 * 400 && v < 4 * 400 + 4'
replay bcast '{family: mesh, sizes: [3]}' --map 'file(map.txt)' --set mpi.bcast=two-level
has local_messages 'v == 3'
has phits 'v == 2 * 400'
has time_cycles 'v < 4 * 400'
# A chain of s segments over p tasks takes p - 1 + s - 1 segments, and a link and two ends each time.
trace chain 8
for segments in 1 4 16; do
    replay chain '{family: torus, sizes: [8]}' --set "mpi.bcast={algorithm: chain, segment: $((1600 / segments)) B}"
    has time_cycles "v >= (7 + $segments - 1) * 400 / $segments && v < (7 + $segments - 1) * (400 / $segments + 3)"
done
[ $failures -eq 0 ]
