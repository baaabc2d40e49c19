#!/bin/sh
# `vef replay --timeline`: against what `vef replay --json --per-task` reports of the same replay, with
# times of a ping-pong that follow by hand. timeline_check.py checks every file against the format.
. tests/command.sh
set -u
: "${MPIEXEC:=mpiexec.mpich}"
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
command -v python3 >/dev/null || { skip 'timelines: no python3'; exit 0; }

cat >compare.py <<'END'
"""compare.py TIMELINE REPORT CYCLE_NS: a whole timeline, and the report of its replay, agree."""
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
report, cycle_ns = json.load(open(sys.argv[2])), float(sys.argv[3])
groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
last_ns = max(round(e["ts"] * 1000) for e in events if e["ph"] == "E")
assert last_ns == int(report["time_ns"]), (last_ns, report["time_ns"])
open_slices, spent, ends = collections.defaultdict(list), collections.Counter(), {"s": {}, "f": {}}
pieces, calls, arrows = collections.Counter(), 0, 0
for e in events:
    if e["ph"] == "M" or e["ph"] == "C":
        continue
    track, at_ns = (e["pid"], e["tid"]), round(e["ts"] * 1000)
    if e["ph"] == "B":
        open_slices[track].append((e["cat"], at_ns))
        calls += e["cat"] in ("MPI", "region")
    elif e["ph"] == "E":
        category, since_ns = open_slices[track].pop()
        calls += category == "region"
        spent[track, category] += at_ns - since_ns
        pieces[track, category] += 1
    elif e["ph"] == "i":
        calls += 1
    else:
        ends[e["ph"]][e["id"]] = at_ns, track
assert calls == report["events"], (calls, report["events"])
# Where a replay ends by itself, every message is received, and no earlier than it is sent.
assert len(ends["s"]) == report["messages"], (len(ends["s"]), report["messages"])
for number, (left_ns, track) in ends["s"].items():
    assert ends["f"][number][0] >= left_ns, (number, left_ns, ends["f"][number])
assert not any("receive is not in" in name for name in groups.values()), groups
# Rounded down at both ends, a slice is wrong by less than 1 ns.
threaded = any("." in name for name in names.values())
for number, task in enumerate(report["task"] if not threaded else []):
    track = next(t for t, name in names.items() if name == f"task {number}")
    for category, key in (("computation", "computing_cycles"), ("outside", "outside_cycles"),
                          ("overhead", "overhead_cycles"), ("waiting", "waiting_cycles"),
                          ("communicating", "communicating_cycles")):
        difference = spent[track, category] - task[key] * cycle_ns
        assert abs(difference) <= pieces[track, category] + 1e-6, (track, category, difference, task)
END

# timeline STATUS TRACE ARGUMENTS...: leaves counts in out.
timeline() {
    wanted=$1
    trace=$2
    shift 2
    vef "$wanted" replay "$trace" --timeline out.json --json --per-task "$@"
    mv err said
    mv out report.json
    python3 "$here/tests/cli/timeline_check.py" out.json >out 2>err || fail "$ran: timeline"
    mv said err
}
# whole CYCLE_NS TRACE ARGUMENTS...: everything is in the timeline, and the report is that without one.
whole() {
    cycle_ns=$1
    shift
    timeline 0 "$@"
    python3 compare.py out.json report.json "$cycle_ns" >python.out 2>&1 || fail "$ran: $(tail -n 1 python.out)"
    mv report.json timed.json
    vef 0 replay "$@" --json --per-task
    cmp -s out timed.json || fail "$ran: --timeline changes the report"
}

# A cycle lasts 32 ns. 25 phits one hop away: 1 + 25; 100 cycles of computation; one phit back: 1 + 1.
. "$here/tests/replay/ping_pong.sh"
# With names to escape, a region around the calls of task 0, and a mark.
sed -i -e 's,^tasks 2,&\napplication "<b>\\"x\\"",' -e 's,^Send to=1,Region_begin name="there \& back" gap=0\n&,' \
    -e 's,^Recv from=1.*,&\nRegion_end name="there \& back" gap=0\nMark name="half" gap=0,' ping.txt
vef 0 assemble ping.txt -o ping.vef
whole 32 ping.vef --net pair.yaml
at() { grep -q "$1" out.json || fail "ping-pong: no $1"; }
at '"ph":"s",.*"tid":1,"ts":0.000,.*"id":1}'
at '"ph":"f",.*"tid":2,"ts":0.832,.*"id":1,'
at '"ph":"B",.*"tid":2,"ts":0.832,"cat":"computation"'
at '"ph":"s",.*"tid":2,"ts":4.032,.*"id":2}'
at '"ph":"f",.*"tid":1,"ts":4.096,.*"id":2,'
at '"ph":"B",.*"tid":1,"ts":0.000,"cat":"waiting"'
at '"ph":"B",.*"tid":1,"ts":4.032,"cat":"communicating"'
at '"ph":"i",.*"tid":1,"ts":4.096,.*"name":"half"'
# The same with a rendezvous: the arrow still leaves at the send. A cycle of 0.8 ns: 25600 / 32 = 800.
whole 32 ping.vef --net pair.yaml --eager-threshold 50B
at '"ph":"s",.*"tid":1,"ts":0.000,.*"id":1}'
whole 0.8 ping.vef --net pair.yaml --set 'link.bandwidth=40 Gbit/s'

# Links, in intervals of 8 cycles: 25 phits keep 0 -> 1 busy in all of the second.
timeline 0 ping.vef --net pair.yaml --sample 256ns
grep -q '"ph":"C",.*"ts":0.256,"name":"utilization_max","args":{"value":1}}' out.json || fail "samples"
[ "$(grep -c '"name":"utilization_mean"' out.json)" -eq 16 ] || fail "128 cycles are 16 samples"

# Replays that stop: a receive without a send; a limit of time; one task.
sed 's/^Recv from=1 .*//; s/^Recv from=0 bytes=100 ordinal=0/Recv from=0 bytes=100 ordinal=7/' ping.txt >stuck.txt
vef 0 assemble stuck.txt -o stuck.vef
timeline 1 stuck.vef --net pair.yaml
prints 'tracks=3 .*arrows=1$'
at '"name":"not received"'
timeline 1 ping.vef --net pair.yaml --time-limit 1us
prints 'arrows=1$'
printf 'vef-trace 1\ntasks 1\n' >alone.txt
vef 0 assemble alone.txt -o alone.vef
timeline 0 alone.vef --net '{model: ideal}'
prints 'tracks=1 calls=0 .*arrows=0'

# A ring of 16 tasks, 100 steps: with both protocols, costs of hosts, other models, and bounds.
awk 'BEGIN { print "vef-trace 1\ntasks 16"
    for (t = 0; t < 16; t++) {
        print "task", t
        for (i = 0; i < 100; i++)
            printf "Irecv from=%d gap=60\nSend to=%d bytes=%d gap=20\nWait requests=%d time=20\n", (t + 15) % 16, (t + 1) % 16, 8 + i, i } }' >ring.txt
vef 0 assemble ring.txt -o ring.vef
torus=$here/examples/networks/rt-4.yaml
whole 32 ring.vef --net "$torus"
whole 32 ring.vef --net "$torus" --eager-threshold 100B --send-overhead 200ns --receive-overhead 300ns
whole 32 ring.vef --net '{model: ideal}'
timeline 0 ring.vef --net "$torus"
mv out.json all.json
for size in 400000 100000 40000; do
    timeline 0 ring.vef --net "$torus" --sample 10us --max-size ${size}B
    says '--max-size: written are the calls entered before .* calls are left out'
    found=$(wc -c <out.json)
    [ "$found" -le $size ] && [ "$found" -ge $((size / 2)) ] || fail "--max-size $size: $found bytes"
    # No call entered at the cut or later; of each task all calls entered before it.
    python3 - "$(sed -n 's/.*entered before \([0-9.]*\) s; \([0-9]*\) of.*/\1 \2/p' err)" >python.out 2>&1 <<'END' || fail "$ran: $(tail -n 1 python.out)"
import json, sys
cut_s, left_out = sys.argv[1].split()
cut_ns = round(float(cut_s) * 1e9)
def entered(path):
    return sorted((e["tid"], round(e["ts"] * 1000), e["name"]) for e in json.load(open(path))["traceEvents"]
                  if e["ph"] == "B" and e["cat"] == "MPI")
found, all_calls = entered("out.json"), entered("all.json")
expected = [call for call in all_calls if call[1] < cut_ns]
assert found == expected, (len(found), len(expected), len(all_calls))
assert len(all_calls) - len(found) == int(left_out)
END
done

timeline 0 ring.vef --net "$torus" --max-size 500B
prints 'tracks=16 calls=0 .*arrows=0$'
says 'the names of the tracks alone exceed it'

# Refused, and nothing left behind.
vef 2 replay ping.vef --net pair.yaml --max-size 1MB
says '--max-size: expected with --timeline'
vef 2 replay ping.vef --net pair.yaml --timeline none.json --sample 1ns
vef 2 replay ping.vef --net pair.yaml --timeline none/none.json
[ ! -e none.json ] || fail "something that failed left its output"

# Captured: messages of all kinds, collectives, threads, regions.
for program in 'cg -n 256 -d 8 -i 1' 'sort -n 20000 -i 3'; do
    example=${program%% *}
    # shellcheck disable=SC2086 # a list of words
    vef 0 capture -o $example.vef "$MPIEXEC" -n 4 "$build/examples/"$program
    whole 32 $example.vef --net "$torus"
    whole 32 $example.vef --net "$torus" --eager-threshold 0B
done

[ $failures -eq 0 ]
