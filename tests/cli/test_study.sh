#!/bin/sh
# `vef study`: the points of a study file, their results and summaries against closed forms, and what it refuses.
# Resuming, several processes and damage are in test_study_resume.sh.
set -u
. tests/command.sh

# column NAME FILE: the cells of a column of a CSV file without quoted commas.
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$2"; }

# ---- combinations, ranges, references; RT(a) has diameter 3a/2 and average distance 3a/4, RTT(a) diameter a ----

mkdir study
cat >study/tori.yaml <<'END'
# Rectangular tori and twisted ones, of three sizes.
run: topology
networks:
  rt: '{family: rt, a: $a}'
  rtt: '{family: rtt, a: ${a}}'
vary: {a: 4:8:2}
summary: {base: {network: rt}, measure: diameter}
END
vef 0 study study/tori.yaml --plan --csv
[ "$(column state out | sort | uniq -c | tr -s ' ')" = ' 6 to run' ] || fail 'the plan'
vef 0 study study/tori.yaml -o tori
prints '^6 points: 6 done, 0 stalled, 0 failed, 0 without result'
[ "$(column diameter tori/results.csv | tr '\n' ' ')" = '6 9 12 4 6 8 ' ] || fail "diameters: $(cat tori/results.csv)"
[ "$(column a tori/results.csv | tr '\n' ' ')" = '4 6 8 4 6 8 ' ] || fail 'the variable'
[ "$(column diameter_relative tori/summary.csv | tr '\n' ' ')" = '1 0.666667 ' ] || fail "the summary: $(cat tori/summary.csv)"
[ "$(column points tori/summary.csv | tr '\n' ' ')" = '3 3 ' ] || fail 'points of the summary'
# One line per result, with the configuration that it is of.
[ "$(wc -l <tori/results.jsonl)" -eq 6 ] || fail 'lines'
[ "$(grep -c '"result": {.*"diameter": .*"family": "rt\|"result": {"family": "rtt*".*"diameter": ' tori/results.jsonl)" -eq 6 ] ||
    fail "results: $(head -c 600 tori/results.jsonl)"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
for line in open("tori/results.jsonl"): assert json.loads(line)["state"] == "done"' || fail 'not JSON lines'
fi
# The tables of what is there, without running the rest.
sed 's/4:8:2/4:12:2/' study/tori.yaml >study/more.yaml
vef 0 study study/more.yaml -o tori --tables --csv
[ "$(wc -l <out)" -eq 7 ] || fail 'a table of what is finished'
vef 2 study study/more.yaml -o tori --tables --plan
# Nothing is run again, and a result is found by content: another file and a network file instead of a text.
echo 'topology: {family: rt, a: 4} # a comment' >study/rt4.yaml
cat >study/other.yaml <<'END'
run: topology
networks: {rt4: rt4.yaml, rtt5: {topology: {family: rtt, a: 5}}}
END
vef 0 study study/other.yaml -o other
echo '# and another comment' >>study/rt4.yaml
vef 0 study study/other.yaml -o other
[ "$(wc -l <other/results.jsonl)" -eq 2 ] || fail 'a comment ran a point again'
echo 'topology: {family: rt, a: 6}' >study/rt4.yaml
vef 0 study study/other.yaml -o other --csv
[ "$(column diameter out | tr '\n' ' ')" = '9 5 ' ] || fail "a changed file: $(cat out)"
sed -i 's/^networks:.*/networks: [rt4.yaml]/' study/other.yaml
vef 0 study study/other.yaml -o other --csv
[ "$(column network out)" = rt4 ] || fail 'the name of a file'

# The axis of a setting has the unit of its values, a relative one has none.
cat >study/units.yaml <<'END'
run: load
networks: ['{topology: {family: torus, sizes: [4]}}']
set: {link.delay: [100 ns, 1 us]}
rates: 0.1
precisions: 0.1
summary: {base: {link.delay: 100 ns}}
charts:
  - {name: delay, kind: curves, x: link.delay, y: latency_mean_cycles, relative: true}
  - {name: load, kind: bars, x: link.delay, y: accepted_load}
END
vef 0 study study/units.yaml -o units
for text in 'delay:link.delay (ns)' 'delay:latency mean relative to 100 ns' 'load:accepted load (phits/cycle/endpoint)'; do
    sed 's,</*tspan[^>]*>,,g' "units/${text%%:*}.svg" | grep -qF ">${text#*:}<" || fail "units/${text%%:*}.svg lacks '${text#*:}'"
done

# ---- parts, exceptions, settings, equal points ----

cat >study/parts.yaml <<'END'
run: topology
networks: [{topology: {family: torus, sizes: [4, 4]}}]
parts:
  - set: {topology.sizes: [[4, 4], [8, 4]]}
  - set: {topology: {sizes: [[8, 4], [8, 8], [16, 16]]}}
    patterns: [tornado]
except: [{topology.sizes: '[16, 16]'}]
END
vef 0 study study/parts.yaml -o parts --csv
cp out parts.csv
[ "$(awk -F'"' 'NR > 1 { print $4 }' parts.csv | tr '\n' ';')" = '[4, 4];[8, 4];[8, 4];[8, 8];' ] || fail "parts: $(cat parts.csv)"
cat >study/equal.yaml <<'END'
run: topology
networks: {a: '{family: rt, a: 4}', b: '{family: rt, a: 4}', c: {topology: {family: rt, a: $a}}}
vary: {a: [4, 5]}
END
vef 0 study study/equal.yaml -o equal
prints '^2 points: 2 done'
[ "$(wc -l <equal/results.jsonl)" -eq 2 ] || fail 'equal points ran twice'
[ "$(wc -l <equal/results.csv)" -eq 7 ] || fail 'equal points in the table'

# ---- bounds of traffic: the usual measure is theirs; half the way round rings of 8 and 16, either way: 2 / 4 and 2 / 8 ----

cat >study/bounds.yaml <<'END'
run: topology
networks: {ring: '{family: torus, sizes: [$n]}', row: '{family: mesh, sizes: [$n]}'}
patterns: [bit-complement]
vary: {n: [8, 16]}
precisions: 0.01
summary: {base: {network: row}}
charts: [{name: order, kind: curves, x: n, y: throughput_bound_dimension_order, series: network}]
END
vef 0 study study/bounds.yaml -o bounds
# Rows: all n / 2 endpoints of a half send over the middle link: 2 / n. Rings: each half of them has its own link.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["network"] == "ring" { exit !(++seen && $at["throughput_bound_relative"] > 1.98 && $at["throughput_bound_relative"] < 2.02 &&
        $at["points"] == 2 && $at["left_out"] == 0) } END { if (!seen) exit 1 }' bounds/summary.csv || fail "bounds: $(cat bounds/summary.csv)"
[ "$(column throughput_bound_dimension_order bounds/results.csv | tr '\n' ' ')" = '0.5 0.25 0.25 0.125 ' ] ||
    fail "dimension order: $(cat bounds/results.csv)"

# ---- loads and replays give the numbers of vef load and vef replay ----

echo 'topology: {family: torus, sizes: [4, 4]}' >study/torus.yaml
cat >study/load.yaml <<'END'
run: load
networks: [torus.yaml]
patterns: [{pattern: local, alpha: 0.5}]
rates: [0.1, 0.4]
seeds: 7:8
precisions: 0.05
charts: [{name: curve, kind: curves, x: rate, y: latency_mean_cycles, series: network}]
END
vef 0 study study/load.yaml -o load
for rate in 0.1 0.4; do
    for seed in 7 8; do
        vef 0 load study/torus.yaml --pattern '{pattern: local, alpha: 0.5}' --rate $rate --seeds 1 --seed $seed --precision 0.05 --json
        sed -n 's/^ *"latency_mean_cycles": \([0-9.]*\).*/\1/p' out | head -n 1
    done
done >alone
sed 's/"[^"]*"/-/' load/results.csv >plain.csv
column latency_mean_cycles plain.csv | cmp -s - alone || fail "loads: $(cat load/results.csv alone)"
for text in torus 'rate (phits/cycle/endpoint)' 'latency mean (cycles)'; do
    grep -qF ">$text<" load/curve.svg || fail "the chart lacks $text"
done
if command -v rsvg-convert >/dev/null; then [ -s load/curve.png ] || fail "the chart as PNG"; fi
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nSend to=1 bytes=4000 ordinal=0\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >pair.txt
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stall.txt
"$vef" assemble pair.txt -o study/pair.vef && "$vef" assemble stall.txt -o study/stall.vef || fail 'assembling'
echo '3 4' | tr ' ' '\n' >study/places.txt
cat >study/replay.yaml <<'END'
traces: [pair.vef, stall.vef, none.vef]
networks: [torus.yaml]
mappings: [identity, file(places.txt), nonsense]
seeds: 1:2
END
vef 1 study study/replay.yaml --plan
prints '^18 points, 8 to run, and 6 to explain the verdict: .*; 10 cannot run$'
prints '^point 13 and 5 others cannot run: .*none.vef.*No such file'
vef 1 study study/replay.yaml -o replay
prints '^18 points: 4 done, 4 stalled, 0 failed, 10 cannot run'
says '10 of 18 points cannot run (--plan names them); point 5: '
prints 'none.vef: No such file'
prints "unknown mapping 'nonsense'"
prints 'stalled: .*no-send'
for map in identity 'file(study/places.txt)'; do
    vef 0 replay study/pair.vef --net study/torus.yaml --map "$map" --json
    sed -n 's/^ *"time_ns": \([0-9]*\).*/\1/p' out
done >alone
awk -F, '$2 == "pair" && $5 == 1 && /,done,/ { print }' replay/results.csv | sed 's/^[^"]*done,,//' | cut -d, -f1 | cmp -s - alone ||
    fail "replays: $(cat replay/results.csv alone)"
# The places are content too: other ones are another point; what cannot run waits for its inputs.
sed s/4000/8000/ pair.txt >larger.txt
vef 0 assemble larger.txt -o study/none.vef
echo '5 9' | tr ' ' '\n' >study/places.txt
vef 1 study study/replay.yaml -o replay
prints '^18 points: 8 done, 4 stalled, 0 failed, 6 cannot run'

# ---- peaks: the greatest accepted load of each curve, and its ratio ----

cat >study/peak.yaml <<'END'
run: load
networks: {torus: torus.yaml, mesh: {file: torus.yaml, set: {topology.family: mesh}}}
patterns: [bit-complement]
rates: [0.05, 0.9]
seeds: [1]
precisions: 0.05
summary: {measure: accepted_load, base: {network: torus}, peak: [rate]}
charts: [{name: peaks, kind: bars, x: network, y: accepted_load, series: [], relative: true}]
END
vef 0 study study/peak.yaml -o peak
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { value = $at["accepted_load"]; if (value > most[$at["network"]]) most[$at["network"]] = value }
    END { printf "torus %.5f\nmesh %.5f\n", 1, most["mesh"] / most["torus"] }' peak/results.csv >wanted
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "%s %.5f\n", $at["network"], $at["accepted_load_peak_relative"] }' peak/summary.csv | cmp -s - wanted ||
    fail "peaks: $(cat wanted peak/summary.csv)"

# ---- the examples: every point can run, once the traces are there ----

for study in "$here"/examples/studies/*.yaml; do
    "$vef" study "$study" --plan --csv >out # 1 without the traces
    grep 'cannot run' out | grep -v '\(traces\/.*\|cg\|fft3d\).*: No such file' && fail "$study"
done

# ---- usage and errors: nothing is run ----

refuses() { # refuses MESSAGE: study.yaml, written by the caller
    vef 2 study study/bad.yaml -o bad
    says "$1"
    [ ! -e bad ] || fail "$ran made its folder"
}
write() { printf '%s\n' "$@" >study/bad.yaml; }
write 'run: topology' 'networks: [torus.yaml]' 'maps: [identity]'
refuses "study/bad.yaml:3:1: unknown key 'maps'"
write 'run: load' "networks: ['{topology: {family: torus, sizes: [4, 4]}}']" 'rates: 0.1' 'set: {router.quue_packets: [2, 4]}'
refuses "^vef study: study/bad.yaml:4:7: network {topology: {family: torus, sizes: \[4, 4\]}}: router: unknown key 'quue_packets': did you mean queue_packets"
write 'run: topology' 'networks: [torus.yaml]' 'set: {topology: {sizes: [[4, 4], [8, 8]], a: 4}}'
refuses "^vef study: study/bad.yaml:3:43: network torus.yaml: topology torus: unknown key 'a'"
write 'run: load' 'networks: {a: torus.yaml, b: {file: torus.yaml, set: {mpi.foo: 3}}}' 'rates: 0.1'
refuses "^vef study: study/bad.yaml:2:1: network torus.yaml: mpi: unknown key 'foo'"
write 'run: topology' 'networks: []'
refuses 'study/bad.yaml:2:11: network: empty list: expected at least one value'
write 'run: topology' 'networks:'
refuses 'network: expected a value'
write 'run: topology' 'patterns: [tornado]'
refuses "missing key 'networks'"
write 'run: dance' 'networks: [torus.yaml]'
refuses "unknown kind of points 'dance'"
write 'run: load' 'networks: [torus.yaml]' 'rates: 0.5:0.1'
refuses 'not a range'
write 'run: topology' 'networks: [torus.yaml, torus.yaml]'
refuses 'is listed twice'
write 'run: topology' "networks: ['{family: rt, a: \$b}']" 'vary: {a: [4]}'
refuses '\$b: no such axis: expected one of: a'
write 'run: topology' 'networks: [torus.yaml]' 'summary: {base: {network: rt}}'
refuses "base: no point has network 'rt'"
write 'run: topology' 'networks: [torus.yaml]' 'summary: {measure: speed}'
refuses "unknown figure 'speed'"
write 'run: topology' 'networks: [torus.yaml]' 'vary: {a: 1:1000, b: 1:1000, c: 1:2}'
refuses '2000000 points of a study: out of range: expected at most 50000, or --limit points=2000000'
chart="kind: bars, x: network, y: diameter"
write 'run: topology' 'networks: [torus.yaml]' "charts: [{name: ../x, $chart}]"
refuses "study/bad.yaml:3:17: charts: name '../x': charts are written to the folder of the results: expected the name .*, without '/'"
write 'run: topology' 'networks: [torus.yaml]' "charts: [{name: a, $chart}, {name: a, $chart}]"
refuses "charts: name 'a' is listed twice"
write 'run: topology' 'networks: [torus.yaml]' "charts: [{$chart}]"
refuses "charts: key 'name' is missing: the name"
write 'run: topology' 'networks: [torus.yaml]' 'charts: [{name: a, kind: pie, x: network, y: diameter}]'
refuses "study/bad.yaml:3:26: charts: unknown kind 'pie': expected one of bars, curves"
write 'run: topology' 'networks: [torus.yaml]' 'charts: [{name: a, kind: bars, x: network, y: diameter, serie: network}]'
refuses "unknown key 'serie': did you mean series?"
write 'networks: [torus.yaml]'
refuses "missing key 'traces'"
write 'run: topology' 'networks: [torus.yaml]' 'except: [{network: torus}]'
refuses 'no point is left'
write '- run'
refuses 'expected a study'
vef 2 study none.yaml -o bad
says "cannot open 'none.yaml': No such file"
vef 2 study study/tori.yaml
says 'missing option -o DIR'
vef 2 study study/tori.yaml -o study/tori.yaml
says 'Not a directory'
vef 2 study study/tori.yaml -o bad --jobs 0
says "expected a whole number from 1 to"
[ $failures -eq 0 ]
