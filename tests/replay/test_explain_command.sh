#!/bin/sh
# `vef replay --explain`: documents, tables and text of a ping-pong whose times follow by hand, what a
# replay that stops still explains, and that nothing else of the report changes.
set -u
. tests/command.sh

. "$here/tests/replay/ping_pong.sh"
sed 's/^Recv from=1 .*//; s/^Recv from=0 bytes=100 ordinal=0/Recv from=0 bytes=100 ordinal=7/' ping.txt >stuck.txt
printf 'vef-trace 1\ntasks 1\ncomm 0 members=0\ntask 0\nInit gap=0 time=0\nFinalize gap=3200 time=0\n' >alone.txt
for name in ping stuck alone; do
    vef 0 assemble -o $name.vef $name.txt
done

# A cycle lasts 32 ns. 25 phits one hop away: 1 + 25; 100 cycles of computation; one phit back: 1 + 1.
vef 0 replay ping.vef --net pair.yaml
cp out plain.txt
vef 0 replay ping.vef --net pair.yaml --json
cp out plain.json
vef 0 replay ping.vef --net pair.yaml --explain
head -n "$(wc -l <plain.txt)" out | cmp -s - plain.txt || fail "$ran: begins with another report"
prints '^critical path  *4096 ns, 128 cycles; 3 pieces, 2 of them messages$'
prints '^computing  *3200.0  *39.06  *3200.0  *78.12$'
prints '^late sender  *4032.0  *49.22  *0.0  *0.00$'
prints '^router 0, x+  *0\.1953  *25  *0 -> 1 (100 %)$'
vef 0 replay ping.vef --net pair.yaml --explain --csv
prints '^task,end_ns,end_cycles,computing_ns,computing_cycles,outside_ns,outside_cycles,'
prints '^1,4032,126,3200,100,0,0,'
prints '^late_sender,4032,126,0.492188,0,0,0.000000$'
prints '^Recv,896,28,0.218750$'
# On other machines, as below.
prints '^ideal network,3200,1.2800,3200,1.2800$'

# Twice the bandwidth: 1 + 13 cycles there. Half the latency: phits of 2 B and cycles of 16 ns, 1 + 50
# there, 1 + 2 back. From the path: 13 cycles of 26 phits less; 1 of 2 cycles of latency less.
if command -v python3 >/dev/null; then
    vef 0 replay ping.vef --net pair.yaml --explain --json
    python3 - >python.out 2>&1 <<'END' || fail "$ran: $(cat python.out)"
import json
found, plain = json.load(open("out")), json.load(open("plain.json"))
explain, links = found.pop("explain"), found.pop("links")
assert found == plain, "the rest of the report differs"
path = {part["cause"]: part for part in explain["critical_path"]}
assert sum(part["path_share"] for part in path.values()) == 1
assert {cause: part["path_cycles"] for cause, part in path.items()} == {
    "computing": 100, "latency": 2, "serialisation": 26}, path
for task in explain["tasks"]:
    assert sum(task["causes"].values()) == task["end_cycles"], task
    assert task["end_cycles"] + task["imbalance_cycles"] == 128, task
nothing = dict.fromkeys(explain["tasks"][0]["causes"], 0)
assert explain["tasks"][0]["causes"] == {
    **nothing, "late_sender": 126, "latency": 1, "serialisation": 1}, explain["tasks"][0]
assert explain["tasks"][1]["causes"] == {
    **nothing, "computing": 100, "latency": 1, "serialisation": 25}
assert [(e["machine"], e["predicted_ns"], e["simulated_ns"]) for e in explain["what_if"]] == [
    ("ideal_network", 3200, 3200), ("double_bandwidth", 115 * 32, 116 * 32),
    ("half_latency", 127 * 32, 3200 + 54 * 16), ("double_cpu", 78 * 32, 78 * 32)]
assert [(l["router"], l["port"], l["utilization"], l["phits"], l["pairs"]) for l in links] == [
    (0, 0, 25 / 128, 25, 1), (1, 1, 1 / 128, 1, 1)], links
assert links[0]["tasks"] == [{"from": 0, "to": 1, "phits": 25}]
assert links[1]["tasks"] == [{"from": 1, "to": 0, "phits": 1}]
END
    # One replay alone: no simulated effects, and links without tasks.
    vef 0 replay ping.vef --net pair.yaml --explain --once --json
    python3 - >python.out 2>&1 <<'END' || fail "$ran: $(cat python.out)"
import json
found = json.load(open("out"))
assert [e["simulated_ns"] for e in found["explain"]["what_if"]] == [None] * 4
assert [e["predicted_ns"] for e in found["explain"]["what_if"]] == [3200, 3680, 4064, 2496]
assert len(found["links"]) == 2 and "tasks" not in found["links"][0]
END
else
    skip 'documents: no python3'
fi

# A replay that stops explains what it has done, and one of a task without messages is all computation.
vef 1 replay stuck.vef --net pair.yaml --explain --json
prints '"stalled": "no-send"'
prints '"critical_path": \['
vef 0 replay alone.vef --net pair.yaml --explain
prints '^computing  *3200.0  *100.00  *3200.0  *100.00$'
vef 0 replay alone.vef --net '{model: ideal}' --explain --json
prints '"links": \[\]'
# A packet that has no half is not simulated, with the reason.
vef 0 replay ping.vef --net pair.yaml --set packet.phits=15 --explain
prints '^double bandwidth: not simulated: phits 15: cannot be halved$'
vef 2 replay ping.vef --net pair.yaml --once
says '--once: expected with --explain'

[ $failures -eq 0 ]
