#!/bin/sh
# `vef replay --timeline`: parts of it, arrows of one-sided operations and of broadcasts by the network, and with
# --explain. Times follow by hand from the network: a message of n phits takes hops + n cycles of 32 ns.
. tests/command.sh
set -u
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
command -v python3 >/dev/null || { skip 'timelines: no python3'; exit 0; }

# timeline TRACE ARGUMENTS...: leaves counts in out.
timeline() {
    trace=$1
    shift
    vef 0 replay "$trace" --timeline out.json "$@"
    mv out report
    mv err said
    python3 "$here/tests/cli/timeline_check.py" out.json >out 2>err || fail "$ran: timeline"
    mv said err
}
# at TASK PHASE TIME [WORDS]: the track has an event of that phase and time.
at() {
    grep -q "\"ph\":\"$2\",\"pid\":${pid:-1},\"tid\":$(($1 + 1)),\"ts\":$3,.*${4:-}" out.json || fail "$ran: no $*"
}
# counts NUMBER PATTERN
counts() {
    found=$(grep -c "$2" out.json)
    [ "$found" -eq "$1" ] || fail "$ran: $found of $2 instead of $1"
}

cat >line.yaml <<'END'
topology: {family: mesh, sizes: [4]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 64}
END

# A lock, which is free: a request of 2 phits there, 3 cycles, and back. The data, 25 phits: 26 cycles, and back 3.
# Both wait for no call of task 1, which computes. The answer to a Get of 10 phits takes 11.
cat >lock.txt <<'END'
vef-trace 1
tasks 2
comm 0 members=0-1
comm 1 parent=0 by=Win_create members=0-1
task 0
Win_lock comm=1 peers=1
Put target=1 bytes=100 comm=1
Win_unlock comm=1 peers=1
Win_lock comm=1 peers=1 gap=3200
Get target=1 bytes=40 comm=1
Win_unlock comm=1 peers=1
Finalize
task 1
Finalize gap=10000
END
vef 0 assemble lock.txt -o lock.vef
timeline lock.vef --net line.yaml --control-bytes 8B
prints '^drawn=12 .*calls=8 .*arrows=12$' # there and back: two locks, a Put, a Get, two unlocks
at 0 s 0.000
pid=3 at 1 B 0.096 'MPI_Win_lock of task 0'
at 0 f 0.192
at 0 s 0.192
pid=3 at 1 B 1.024 'MPI_Put of task 0'
pid=3 at 1 s 1.024
at 0 f 1.120
at 0 f 1.312
pid=3 at 1 f 4.800
pid=3 at 1 B 4.800 'MPI_Get of task 0'
at 0 f 5.152
# The same without time in the network: still every arrow leaves before it enters.
timeline lock.vef --net '{model: ideal}'
prints '^drawn=12 .*arrows=12$'

# What Win_post sends, and Win_complete, enters the track of the task that it is for.
cat >post.txt <<'END'
vef-trace 1
tasks 2
comm 0 members=0-1
comm 1 parent=0 by=Win_create members=0-1
task 0
Win_start comm=1 peers=1
Put target=1 bytes=100 comm=1
Win_complete comm=1 peers=1
Finalize
task 1
Win_post comm=1 peers=0 gap=320
Win_wait comm=1 peers=0
Finalize
END
vef 0 assemble post.txt -o post.vef
timeline post.vef --net line.yaml --control-bytes 8B
prints '^drawn=4 .*arrows=4$'
at 1 s 0.320
at 0 f 0.416
pid=3 at 1 f 1.248
at 0 f 1.344
at 0 s 1.344
at 1 f 1.440
# On one node operations take no time.
timeline post.vef --net line.yaml --control-bytes 8B --set endpoints_per_router=2 --set host.cores=2 --map block
says '1 of 1 one-sided operations without arrows: between tasks of one node they take no time'
prints 'arrows=0$'

# A broadcast of 10 phits, at 10 cycles: there h + 10 cycles later. Task 2 comes at 100 cycles.
cat >broadcast.txt <<'END'
vef-trace 1
tasks 4
task 0
Bcast root=0 bytes=40 gap=320
task 1
Bcast root=0 bytes=40
task 2
Bcast root=0 bytes=40 gap=3200
task 3
Bcast root=0 bytes=40
END
vef 0 assemble broadcast.txt -o broadcast.vef
timeline broadcast.vef --net line.yaml --hardware-broadcast
prints '^drawn=3 .*calls=4 .*arrows=3$'
[ "$(grep -c '"ph":"s",.*"tid":1,"ts":0.320,' out.json)" -eq 3 ] || fail "three arrows leave the root"
at 1 f 0.672
at 2 f 3.200
at 3 f 0.736
timeline broadcast.vef --net line.yaml --hardware-broadcast --tasks 0-1
prints '^drawn=1 .*tracks=2 calls=2 .*arrows=1$'
says '2 ends of messages without an arrow'

# Parts. Four tasks, each 100 steps: 3,200 ns of computation, a message of one phit to the next one, 2 cycles (the
# way back from the last one: 4). Step k of task 0 is in region "step", entered k times.
awk 'BEGIN { print "vef-trace 1\ntasks 4"
    for (t = 0; t < 4; t++) {
        print "task", t
        for (k = 0; k < 100; k++)
            printf "Region_begin name=\"step\"\nIrecv from=%d gap=3200\nSend to=%d bytes=4\nWait requests=%d\nRegion_end name=\"step\"\n", (t + 3) % 4, (t + 1) % 4, k
    } }' >steps.txt
vef 0 assemble steps.txt -o steps.vef
timeline steps.vef --net line.yaml
prints 'tracks=4 calls=1200 regions=400 computations=400 arrows=400$'
# Steps 10 to 19: 3 calls in each, of 4 tasks.
timeline steps.vef --net line.yaml --region step:10-19
prints '^drawn=40 tracks=4 calls=120 regions=40 computations=40 arrows=40$'
# Of task 1 alone, whose peers are outside: its 10 sends and 10 receives.
timeline steps.vef --net line.yaml --region step:10-19 --tasks 1
prints 'tracks=1 calls=30 regions=10 computations=10 arrows=0$'
says '20 ends of messages without an arrow'
timeline steps.vef --net line.yaml --between Wait:3-5
prints 'calls=28 ' # from the third Wait to the fifth: 7 calls
# The first 3,200 ns: computation only, of which 1,000 ns are shown; the calls are entered at 3,200 ns.
timeline steps.vef --net line.yaml --time 500ns-1500ns
prints 'calls=0 regions=4 computations=4 arrows=0$'
counts 4 '"ph":"B",.*"ts":0.500,.*"name":"computation"'
counts 4 '"ph":"E",.*"ts":1.500,"name":"computation"'
counts 4 '"ph":"B",.*"ts":0.500,.*"name":"step"' # resumed: entered at 0
timeline steps.vef --net line.yaml --time 0ns-3201ns
prints 'calls=12 ' # every task's Irecv, Send and Wait are entered at 3,200 ns
# Parts and the whole have the same calls at the same times, and the report is that without a timeline.
timeline steps.vef --net line.yaml --region step:40- --time 150us-200us
cp report part.report
cp out.json part.json
timeline steps.vef --net line.yaml
cmp -s report part.report || fail "a part changes the report"
python3 - <<'END' >python.out 2>&1 || fail "a part and the whole: $(tail -n 1 python.out)"
import json
def calls(path):
    return [(e["tid"], e["ts"], e["name"], e["args"]["event"]) for e in json.load(open(path))["traceEvents"]
            if e["ph"] == "B" and e["cat"] == "MPI"]
# The 40th region begins with event 39 * 5 of its task.
expected = [c for c in calls("out.json") if 150 <= c[1] < 200 and c[3] >= 39 * 5]
assert expected and sorted(calls("part.json")) == sorted(expected), (len(calls("part.json")), len(expected))
END
# A window that holds nothing: 100 steps take 100 * 3,200 ns and the messages.
timeline steps.vef --net line.yaml --time 1s-2s
prints 'tracks=4 calls=0 regions=0 computations=0 arrows=0$'
says 'the timeline is empty: no call meets the conditions; the tasks. simulated times reach from 0 to 0.0003'
timeline steps.vef --net line.yaml --region step:40- --max-size 20kB
says 'calls are left out'
[ "$(wc -c <out.json)" -le 20000 ] || fail "--max-size"

# What is refused leaves nothing behind.
for wrong in --region:solve --between:Allgather --tasks:4 --time:2s-1s; do
    vef 2 replay steps.vef --net line.yaml --timeline none.json "${wrong%:*}" "${wrong#*:}"
done
vef 2 replay steps.vef --net line.yaml --tasks 1
says 'expected with --timeline'
[ ! -e none.json ] || fail "something that failed left its output"

# With --explain: the timeline and the explanation are those that each has alone.
vef 0 replay steps.vef --net line.yaml --explain --json
mv out explained.json
timeline steps.vef --net line.yaml
mv out.json alone.json
timeline steps.vef --net line.yaml --explain --json
cmp -s out.json alone.json || fail "--explain changes the timeline"
cmp -s report explained.json || fail "--timeline changes the explanation"
vef 0 replay steps.vef --net line.yaml --timeline out.json --explain --once --sample 10us --plot plot.svg
[ -s plot.svg ] || fail "--timeline with --plot"
grep -q '"ph":"C"' out.json || fail "--timeline with --explain and --sample"

# One task; no messages; no collectives: `steps` and `broadcast` have one kind each.
printf 'vef-trace 1\ntasks 1\ntask 0\nInit\nFinalize gap=64\n' >alone.txt
vef 0 assemble alone.txt -o alone.vef
timeline alone.vef --net line.yaml --tasks 0 --time 32ns-
prints 'tracks=1 calls=1 regions=0 computations=1 arrows=0$'
counts 1 '"ph":"B",.*"ts":0.032,.*"name":"computation"'

[ $failures -eq 0 ]
