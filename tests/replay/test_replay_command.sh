#!/bin/sh
# `vef replay`: traces written by hand, their times by hand, the forms of results, exit statuses, and
# what is refused with which words.
set -u
. tests/command.sh

# replay STATUS ARGUMENTS...: runs vef replay and expects that exit status.
replay() {
    wanted=$1
    shift
    vef "$wanted" replay "$@"
}
# has KEY VALUE: a key at the top level of the JSON printed last.
has() {
    found=$(sed -n "s/^  \"$1\": \(.*\)\$/\1/p" out | sed 's/,$//')
    [ "$found" = "$2" ] || fail "$ran: $1 is '$found' instead of '$2'"
}

cat >ideal.yaml <<'END'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
END
. "$here/tests/replay/ping_pong.sh"
sed 's/^Recv from=1 .*//; s/^Recv from=0 bytes=100 ordinal=0/Recv from=0 bytes=100 ordinal=7/' ping.txt >stuck.txt
sed 's/^tasks 2/tasks 3/; s/members=0-1/members=0-2/' ping.txt >three.txt
printf 'task 2\nInit gap=0 time=0\nFinalize gap=0 time=0\n' >>three.txt
for name in ping stuck three; do
    "$vef" assemble -o $name.vef $name.txt >out 2>err || fail "assembling $name.txt"
done

# 25 phits one hop away: 1 + 25; 100 cycles of computation; one phit back: 1 + 1. 128 x 32 ns.
replay 0 ping.vef --net pair.yaml --json
has time_cycles 128
has time_ns 4096
has messages 2
has packets 3
has average_hops 1
has stalled null
has tasks 2
prints '"configuration": {'
prints '"sizes": \[2\]'
prints '"queue_packets": [0-9]'
prints '"bandwidth": "1 Gbit/s"'
prints '"set": \[\]'
prints '"eager_bytes": 65536'
# The packets have 16, 9 and 1 phits. The first takes 1 + 15 cycles from its entry; the second enters
# with it and waits 16 for the link: 16 + 1 + 8; the third 1 + 0. (16 + 25 + 1) / 3.
has latency_mean_cycles 14
replay 0 ping.vef --net ideal.yaml --json
has time_ns 3200
replay 0 ping.vef --net pair.yaml --json --compute-scale 0
has time_cycles 28
# By rendezvous: request and clearance of 32 bytes, 9 cycles each.
replay 0 ping.vef --net pair.yaml --json --eager-threshold '99 B'
has time_cycles 146
replay 0 ping.vef --net pair.yaml --json --eager-threshold '99 B' --control-bytes '4 B'
has time_cycles 132
replay 0 ping.vef --net pair.yaml --json --send-overhead '320 ns' --receive-overhead '64 ns'
has time_cycles 152
replay 0 ping.vef --net pair.yaml --json --set 'link.delay_cycles=4'
has time_cycles 134
replay 0 ping.vef --net pair.yaml --json --per-task
prints '"computing_cycles": 100'

# What calls outside of the trace took passes as it was, whatever the processor; two barriers, the one
# beside 64 ns of work, the other of a thread beside its task's 320 ns.
cat >outside.txt <<'END'
vef-trace 1
tasks 2
task 0
Init
Ibarrier gap=10 outside=1000
Wait requests=0 gap=64
Finalize gap=320 entered=8
thread 1
Barrier gap=5 entered=6 left=7
task 1
Init
Ibarrier gap=10
Wait requests=0 gap=64
Barrier
Finalize
END
"$vef" assemble -o outside.vef outside.txt >out 2>err || fail "assembling outside.txt"
replay 0 outside.vef --net ideal.yaml --json --per-task
has time_cycles 1394
prints '"outside_cycles": 1000'
prints '"outside": true'
replay 0 outside.vef --net ideal.yaml --json --compute-scale 0
has time_cycles 1000
replay 0 outside.vef --net ideal.yaml --json --per-task --no-outside
has time_cycles 394
prints '"outside": false'
replay 0 outside.vef --net ideal.yaml
prints '^approximations  *2 threads had a processor each'
prints '^  *2 non-blocking'
prints '^  *1e-06 s in calls that are not in the trace passed as recorded$'
prints '^outside  *0.0  *500.0  *1000.0$'
replay 0 outside.vef --net ideal.yaml --csv --per-task
prints '^task,computing_ns,computing_cycles,outside_ns,outside_cycles,.*,bytes_sent,trace,mapping,network,set$'
prints '^0,394,394,1000,1000,.*,outside.vef,identity,ideal.yaml,$'

replay 0 ping.vef --net pair.yaml
prints 'execution time  *4096 ns (0.000004096 s), 128 cycles$'
prints '^computing  *0.0  *1600.0  *3200.0$'
replay 0 ping.vef --net pair.yaml --csv
prints '^ping.vef,identity,4096.000,128,8,2,104,0,3,1,'
replay 0 ping.vef --net pair.yaml --csv --per-task
prints '^1,3200,100,'
# The link from router 0 to 1 carries 25 phits in 128 cycles, the one back 1.
replay 0 ping.vef --net pair.yaml --csv
prints ',0.101562,0.195312,"router 0, x+",,pair.yaml,$'
prints ',busiest_link,stalled,network,set$'
replay 0 ping.vef --net pair.yaml --csv --set packet.phits=16 --set link.delay_cycles=1 --seed 3
prints ',pair.yaml,packet.phits=16; link.delay_cycles=1; seed=3$'
replay 0 ping.vef --net pair.yaml
prints 'link utilisation  *10.156 % of the time on average, 19.531 % at most (router 0, x+)'
prints 'network  *router, mesh of 2 routers, mapping identity'
# From router (0, 0) of 3x2 to (2, 1), x first: (1, 0) is crossed, then y+ at (2, 0).
printf '3\n5\n' >two.map
replay 0 ping.vef --net pair.yaml --set 'topology={family: mesh, sizes: [3, 2]}' --map 'file(two.map)' --json
has busiest_link '"router (0, 1), x+"'
has busiest_router 3
has busiest_port 0
replay 0 ping.vef --net pair.yaml --set 'topology={family: mesh, sizes: [3, 2]}'
prints 'network  *router, mesh of 3x2 routers'
replay 0 ping.vef --net ideal.yaml --json
has busiest_link null
replay 0 ping.vef --net pair.yaml --map 'file(two.map)' --set 'topology={family: lattice, sizes: [6], generators: [[1], [2]]}' --json
has busiest_link '"router 3, +(2)"'
# The configuration in a result gives, as a network file, the same result.
for choice in 'topology={family: rtt, a: 4}' 'topology={family: lattice, sizes: [4, 4], shifts: [[], [2]], wrap: [1, 1]}' \
    'router={arbiter: oldest, queue_packets: 9, injection_queues: 4, ejection_ports: 2, transit_first: false}' \
    'link={bandwidth: 10.3 Gbit/s, phit: 3 B, delay_cycles: 7, credit_delay_cycles: 2}' \
    'endpoints_per_router=4' 'packet.phits=5' 'mpi={preset: mpich, eager_threshold: 99 B, bcast: scatter-ring}' \
    'host={send_overhead: 64 ns, compute_scale: 0.3, outside: false}'; do
    replay 0 ping.vef --net pair.yaml --set "$choice" --seed 99 --json
    prints "\"set\": \[\"$(echo "$choice" | sed 's/[][]/\\&/g')\", \"seed=99\"\]"
    grep -v -e '"network"' -e '"set"' -e '"defaults"' out >first
    { echo '{' && sed -n '/^  "configuration": {/,/^  }/p' out | sed 1d; } >back.yaml
    replay 0 ping.vef --net back.yaml --json
    grep -v -e '"network"' -e '"set"' -e '"defaults"' out | cmp -s first - || fail "the configuration of $choice gives another result"
done
replay 0 ping.vef --net pair.yaml --json --seed 7
prints '"seed": 7'
replay 0 --help
prints '--eager-threshold'
prints 'vef list mappings'
prints 'vef list networks'

# Stalls: status 1, the cause on stderr and in the result.
replay 1 stuck.vef --net pair.yaml --json
has stalled '"no-send"'
says 'task 1, event 1 (MPI_Recv), waits for message 7 from task 0'
replay 1 ping.vef --net pair.yaml --json --time-limit '1 us'
has stalled '"time-limit"'
replay 1 ping.vef --net pair.yaml --time-limit '1 us'
prints 'stalled  *time-limit'

# What is not understood: status 2, and what would be right.
replay 2 three.vef --net pair.yaml
says 'three.vef has 3 tasks, but the network pair.yaml 2 endpoints'
says 'endpoints_per_router=2,'
replay 0 three.vef --net pair.yaml --set endpoints_per_router=2
replay 2
replay 2 ping.vef
says 'missing TRACE or --net'
replay 2 --net pair.yaml
says 'missing TRACE'
replay 2 ping.vef --net nowhere.yaml
says 'nowhere.yaml'
replay 2 nowhere.vef --net pair.yaml
says 'nowhere.vef'
replay 2 pair.yaml --net pair.yaml
says 'pair.yaml'
replay 2 ping.vef --net pair.yaml --map nonsense
says 'nonsense'
replay 2 ping.vef --net pair.yaml --set router.nothing=1
says 'nothing'
replay 2 ping.vef --net pair.yaml --eager-threshold 64
replay 2 ping.vef --net pair.yaml --compute-scale -1
replay 2 ping.vef --net pair.yaml --compute-scale x
replay 2 ping.vef --net pair.yaml --seed x
replay 2 ping.vef --net pair.yaml --send-overhead '1e30 s'
says 'an overhead is too large'
replay 2 ping.vef --net pair.yaml --json --csv
replay 2 ping.vef --net pair.yaml --eagr
says '--eager-threshold'
replay 2 ping.vef --net pair.yaml --json=1
replay 2 ping.vef --net
replay 2 ping.vef ping.vef --net pair.yaml

# A broadcast of 64 bytes in the network: 16 phits, from a corner of a king mesh two hops to the other.
{
    printf 'vef-trace 1\ntasks 9\ncomm 0 members=0-8\n'
    for task in 0 1 2 3 4 5 6 7 8; do
        printf 'task %s\nInit gap=0 time=0\nBcast root=0 bytes=64 gap=0 time=0\nFinalize gap=0 time=0\n' $task
    done
} >bcast.txt
"$vef" assemble -o bcast.vef bcast.txt >out 2>err || fail "assembling bcast.txt"
king='{topology: {family: king-mesh, sizes: [3, 3]}, link: {phit: 4 B, delay_cycles: 1}}'
replay 0 bcast.vef --net "$king" --json --hardware-broadcast
has time_cycles 18
has messages 1
# Three routers are one hop away, five are two.
has average_hops 1.625
prints '"hardware_broadcast": true'
replay 0 bcast.vef --net "$king" --json
has messages 8
prints '"hardware_broadcast": false'
replay 2 bcast.vef --net '{family: rtt, a: 4}' --hardware-broadcast
says 'king-mesh and king-torus'

# Algorithms of collectives: messages and bytes as the literature counts them, among 8 and 6 ranks. An
# allreduce of n = 8000 bytes takes each rank log2 p messages of n by recursive doubling, and 2 log2 p of
# 2n(p-1)/p in all by reduce-scatter and allgather; an allgather of blocks of 1000 bytes p-1 messages of one
# block in a ring, and log2 p of p-1 blocks in all by recursive doubling.
for ranks in 8 6; do
    {
        printf 'vef-trace 1\ntasks %s\n' $ranks
        for task in $(seq 0 $((ranks - 1))); do
            printf 'task %s\nInit\nAllreduce bytes=8000 elements=1000\nAllgather bytes=1000\nFinalize\n' "$task"
        done
    } >all$ranks.txt
    "$vef" assemble -o all$ranks.vef all$ranks.txt >out 2>err || fail "assembling all$ranks.txt"
done
# moves MESSAGES BYTES ARGUMENTS...: what a replay of all8.vef sends.
moves() {
    messages=$1 bytes=$2
    shift 2
    replay 0 all8.vef --json "$@"
    has messages "$messages"
    has message_bytes "$bytes"
}
doubling=$((8 * 3 * 8000)) halves=$((8 * 2 * 7 * 1000)) blocks=$((8 * 7 * 1000))
moves $((24 + 56)) $((doubling + blocks)) --net '{model: ideal, mpi: {allreduce: recursive-doubling, allgather: ring}}'
has approximations '""'
prints '"allreduce": "recursive-doubling"'
prints '"allgather": "ring"'
prints '"alltoall": "auto"'
# Eight tasks call both once.
for used in Allreduce:recursive-doubling Allgather:ring; do
    tr -d ' \n' <out | grep -qF "{\"call\":\"${used%:*}\",\"algorithm\":\"${used#*:}\",\"task_calls\":8}" ||
        fail "no calls of $used"
done
cat >machine.yaml <<'END'
model: ideal
mpi:
  preset: mpich
  allreduce: recursive-doubling
  eager_threshold: 1 KiB
host: {send_overhead: 100 ns}
END
moves $((24 + 24)) $((doubling + blocks)) --net machine.yaml
prints '"eager_threshold": "1 KiB"'
prints '"eager_bytes": 1024'
prints '"send_overhead": "100 ns"'
# The command line wins over the file, and what comes later over what came earlier.
moves $((48 + 24)) $((halves + blocks)) --net machine.yaml --set mpi.allreduce=none --set mpi.allreduce=auto
moves $((48 + 24)) $((halves + blocks)) --net machine.yaml --set mpi.allreduce=reduce-scatter-allgather
moves $((24 + 24)) $((doubling + blocks)) --net machine.yaml --eager-threshold '2 KiB' --set 'mpi.eager_threshold=3 KiB'
prints '"eager_bytes": 3072'
moves $((24 + 24)) $((doubling + blocks)) --net machine.yaml --set 'mpi.eager_threshold=3 KiB' --eager-threshold '2 KiB'
prints '"eager_bytes": 2048'
prints '"set": \["mpi.eager_threshold=3 KiB", "mpi.eager_threshold=2 KiB"\]'
# Options are short for keys.
replay 0 ping.vef --net pair.yaml --json --eager-threshold '99 B' --control-bytes '4 B' --compute-scale 2 \
    --no-outside --poll-gap '2 us' --send-overhead '320 ns' --receive-overhead '64 ns' --reduce-cost 0.5
grep -v -e '"set"' -e '"network"' -e '"defaults"' out >options
replay 0 ping.vef --json --net '{topology: {family: mesh, sizes: [2]}, routing: {algorithm: dor},
    mpi: {eager_threshold: 99 B, control_bytes: 4 B},
    host: {compute_scale: 2, outside: false, poll_gap: 2 us, send_overhead: 320 ns, receive_overhead: 64 ns, reduce_cost: 0.5}}'
grep -v -e '"set"' -e '"network"' -e '"defaults"' out | cmp -s - options || fail "options and keys give other results"
replay 0 bcast.vef --net "$king" --json --set mpi.bcast=hardware
has messages 1
has time_cycles 18
# Among 6 recursive doubling cannot gather (each counts), and its allreduce folds two ranks.
replay 0 all6.vef --net '{model: ideal}' --json --set mpi.allgather=recursive-doubling --set mpi.allreduce=recursive-doubling
has messages $((2 + 4 * 2 + 2 + 6 * 3))
has approximations '"6 collectives used an algorithm of the preset, since the chosen one does not support them"'

# What is wrong in these sections is refused by every command that reads the file.
sed 's/recursive-doubling/none/' machine.yaml >wrong.yaml
for command in 'replay all8.vef --net wrong.yaml' 'load wrong.yaml --rate 0.1' 'topology wrong.yaml' \
    'verify wrong.yaml' 'map --tasks 8 --net wrong.yaml'; do
    # shellcheck disable=SC2086 # several words
    vef 2 $command
    says "wrong.yaml:4:14: mpi: unknown allreduce 'none': expected one of auto, "
done
for wrong in "mpi.preset=other:unknown preset 'other': expected one of mpich, openmpi" "mpi.compute_scale=1:did you mean host.compute_scale" \
    "host.scale=1:did you mean compute_scale" "mpi=3:expected keys and values" "eager_threshold=1 B:did you mean mpi" \
    "mpi.eager_threshold=64:64 KiB" "host.compute_scale=-1:compute_scale: expected a number of at least 0"; do
    replay 2 all8.vef --net ideal.yaml --set "${wrong%%:*}"
    says "${wrong#*:}"
done
vef 0 topology '{topology: {family: torus, sizes: [4, 2]}, mpi: {allreduce: auto}, host: {}}'
vef 0 verify '{topology: {family: torus, sizes: [4, 2]}, mpi: {allreduce: auto}, host: ~}'

# A trace cut in its last block: still told what is missing, never a crash.
size=$(wc -c <ping.vef)
for kept in 10 $((size / 2)) $((size - 5)); do
    head -c "$kept" ping.vef >cut.vef
    "$vef" replay cut.vef --net pair.yaml >out 2>err
    status=$?
    [ $status -eq 1 ] || [ $status -eq 2 ] || fail "a trace cut after $kept bytes: status $status"
    [ -s err ] || fail "a trace cut after $kept bytes: says nothing"
    [ $status -ne 1 ] || grep -q 'trace incomplete' out || fail "a trace cut after $kept bytes: replays as if whole"
done
[ ! -c /dev/full ] || { "$vef" replay ping.vef --net pair.yaml >/dev/full 2>err && fail "a full disk is not told"; }

# More tasks than endpoints, by a file that puts all on one: what they send then stays within it.
awk 'BEGIN { print "vef-trace 1\ntasks 40"; for (t = 0; t < 40; t++)
    printf "task %d\nInit\nSend to=%d bytes=1000 gap=3200\nRecv from=%d\nFinalize\n", t, (t + 1) % 40, (t + 39) % 40 }' >ring.txt
vef 0 assemble ring.txt -o ring.vef
awk 'BEGIN { for (t = 0; t < 40; t++) print 1 }' >one.map
replay 0 ring.vef --net pair.yaml --map 'file(one.map)' --json
has tasks 40
has messages 40
has local_messages 40
has time_cycles 100
replay 2 ring.vef --net pair.yaml
says "ring.vef has 40 tasks, but the network pair.yaml 2 endpoints: expected a larger topology, --set endpoints_per_router=20, --map block with host.cores, or a mapping file(PATH)"

# How busy links are: 100 bytes and 4 are 25 phits one way and one back, over the two links of the pair, in intervals of ten cycles.
replay 0 ping.vef --net pair.yaml --sample 320ns --csv
[ "$(awk -F, 'NR > 1 { phits += 2 * $3 * ($2 - begin); begin = $2; most += $4 > 1 } END { printf "%.3f %d", phits, most }' out)" = "26.000 0" ] ||
    fail "samples: $(cat out)"
[ "$(awk -F, 'NR == 3 { print $1, $2 }' out)" = "640 20" ] || fail "intervals: $(cat out)"
replay 0 ping.vef --net pair.yaml --sample 320ns --json
grep -q '"samples": \[' out && grep -q '"end_cycles": 10,' out || fail "samples in JSON: $(cat out)"
# Every link of the run: 25 phits leave router 0, and one leaves router 1.
replay 0 ping.vef --net pair.yaml --json
cycles=$(sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out)
replay 0 ping.vef --net pair.yaml --per-link --csv
[ "$(awk -F, -v cycles="$cycles" 'NR > 1 { printf "%d-%d %.2f ", $1, $3, $4 * cycles }' out)" = "0-1 25.00 1-0 1.00 " ] ||
    fail "every link: $(cat out)"
# Beside the ten busiest links of --explain the list has all 64; their mean and greatest are those of the run.
replay 0 ping.vef --net '{topology: {family: torus, sizes: [4, 4]}}' --per-link --explain --once --json
awk '/^  "(links|per_link)"/ { list = $1 } /"link_utilization_(mean|max)"/ { of[$1] = $2 + 0 }
    /^      "utilization"/ && list ~ /per/ { n++; sum += $2; if ($2 + 0 > most) most = $2 + 0 }
    /^      "utilization"/ && list ~ /links/ && ++hot == 1 { hottest = $2 + 0 }
    function near(a, b) { return a - b < 1e-6 && b - a < 1e-6 }
    END { exit !(n == 64 && hot >= 1 && hot <= 10 && most > 0 && near(most, hottest) &&
        near(sum / n, of["\"link_utilization_mean\":"]) && near(most, of["\"link_utilization_max\":"])) }' out ||
    fail "links of --per-link and of --explain: $(cat out)"
replay 2 ping.vef --net pair.yaml --sample 1ns
says "expected at least a cycle, 32 ns"
replay 2 ping.vef --net ideal.yaml --sample 1us
says "networks of model ideal have no links to sample"
replay 2 ping.vef --net ideal.yaml --plot links.svg
says "networks of model ideal have no links to draw"
for tables in '--sample 1us --per-task' '--sample 1us --per-link' '--per-link --per-task' '--per-link --explain'; do
    # shellcheck disable=SC2086 # options
    replay 2 ping.vef --net pair.yaml $tables --csv
    says "not supported together with --csv"
done
replay 2 ping.vef --net ideal.yaml --per-link
says "--per-link: networks of model ideal have no links"
replay 2 ping.vef --net pair.yaml --plot links.gif
says "expected a name that ends in .svg, .pdf or .png"
for net in pair.yaml '{topology: {family: torus, sizes: [2, 2, 2]}}' '{topology: {family: kary-ntree, k: 2, n: 2}}' \
    '{topology: {family: dragonfly, a: 2, h: 1}}' '{topology: {family: slim-fly, q: 5}}' '{topology: {family: slim-fly, q: 11}}'; do
    replay 0 ping.vef --net "$net" --sample 100ns --plot links.svg
    grep -q 'share of the time' links.svg && grep -q 'busiest link' links.svg || fail "the picture for $net"
done
grep -q 'the most loaded first' links.svg || fail "many routers"

[ $failures -eq 0 ]
