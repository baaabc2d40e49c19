#!/bin/sh
# Verdicts of `vef study` and `vef compare` where the best, the difference and its cause are known by construction.
set -u
. tests/command.sh

# cells COLUMN FILE: the cells of a column of a CSV file without quoted commas before it.
cells() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$2"; }
# about NUMBER WANTED: within one percent.
about() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b * 0.99 && a < b * 1.01) }' || fail "$1 instead of $2"; }
lines() { wc -l <"$1/results.jsonl"; }

# Tasks 0 and 1 compute for 1 ms and send a megabyte to tasks 2 and 3, 1 ms at 8 Gbit/s. Along a row both cross its middle link.
cat >pairs.txt <<'END'
vef-trace 1
tasks 4
task 0
Init
Send gap=1000000 to=2 bytes=1000000 ordinal=0
Finalize
task 1
Init
Send gap=1000000 to=3 bytes=1000000 ordinal=0
Finalize
task 2
Init
Recv from=0 ordinal=0
Finalize
task 3
Init
Recv from=1 ordinal=0
Finalize
END
{
    printf 'vef-trace 1\ntasks 2\n'
    for task in 0 1; do
        printf 'task %d\nInit\n' $task
        for round in 0 1 2 3 4 5 6 7 8 9; do
            [ $task -eq 1 ] || printf 'Send to=1 bytes=8 ordinal=%d\nRecv from=1 ordinal=%d\n' $round $round
            [ $task -eq 0 ] || printf 'Recv from=0 ordinal=%d\nSend to=0 bytes=8 ordinal=%d\n' $round $round
        done
        echo Finalize
    done
} >rounds.txt
for trace in pairs rounds; do vef 0 assemble $trace.txt -o $trace.vef; done
cat >row.yaml <<'END'
topology: {family: mesh, sizes: [4]}
routing: {algorithm: dor}
link: {bandwidth: 8 Gbit/s, delay: 100 ns, phit: 8 B}
packet: {phits: 16}
END
printf '0\n3\n1\n2\n' >apart.txt

# ---- causes ----

# beats PERCENT WHY: that the last comparison says.
beats() {
    about "$(sed -n 's/.* beats .* by \([0-9.]*\) % in time (one run each, so no interval: .*/\1/p' out)" "$1"
    prints ": $2 on the critical path "
    [ "$(grep -c ' beats .*on the critical path.*on the critical path' out)" -eq 0 ] || fail 'more than one cause'
}
vef 0 compare row.yaml --vary link.bandwidth='4 Gbit/s,8 Gbit/s' --trace pairs.vef --map 'file(apart.txt)'
beats 50 serialisation # 1 + 2 ms instead of 1 + 1
prints '^row (link.bandwidth 8 Gbit/s) beats row (link.bandwidth 4 Gbit/s)'
prints 'serialisation on the critical path 1 instead of 2 ms (50 instead of 66.7 %)'
vef 0 compare row.yaml --vary host.compute_scale=3,1 --trace pairs.vef --map 'file(apart.txt)'
beats 100 computing
vef 0 compare row.yaml --vary link.delay='10 us,1 us' --trace rounds.vef
beats 900 latency
vef 0 compare row.yaml row.yaml --trace pairs.vef
prints '^row and row are equal (one run each)\.$'
vef 0 compare row.yaml --trace pairs.vef --json
grep -q '"verdict"' out && fail 'a verdict on one network'
cat >pairs.yaml <<'END'
traces: pairs.vef
networks: row.yaml
mappings: {shared: identity, apart: file(apart.txt)}
seeds: 1:3
END
vef 0 study pairs.yaml --plan
prints '^6 points, 6 to run, and 2 to explain the verdict: '
vef 0 study pairs.yaml -o pairs
prints '^pairs: apart beats shared by [0-9.]* % in time (exactly: all 3 seeds give the same): contention on the critical path '
about "$(cells difference_percent pairs/verdict.csv | tail -n 1)" 50 # 1 + 2 ms, since the link carries both

# ---- the runs that explain are results like others ----

[ "$(lines pairs)" -eq 8 ] && [ "$(wc -l <pairs/results.csv)" -eq 7 ] || fail "$(lines pairs) lines"
[ "$(grep -c '"--explain", "--once".*"causes_ns": {' pairs/results.jsonl)" -eq 2 ] || fail 'explanations'
cp pairs/verdict.csv wanted.csv
vef 0 study pairs.yaml -o pairs
[ "$(lines pairs)" -eq 8 ] || fail 'explained again'
sed -i '$d' pairs/results.jsonl # as if it was interrupted before the last one
vef 0 study pairs.yaml -o pairs --tables
grep -q 'on the critical path' pairs/verdict.csv && fail 'half an explanation'
[ "$(lines pairs)" -eq 7 ] || fail '--tables ran a point'
vef 0 study pairs.yaml -o pairs --no-wait
[ "$(lines pairs)" -eq 8 ] || fail 'not explained after an interruption'
cmp -s pairs/verdict.csv wanted.csv || fail "another verdict: $(cat pairs/verdict.csv)"
for n in 1 2; do "$vef" study pairs.yaml -o both >both.$n 2>&1 & done
wait
[ "$(lines both)" -eq 8 ] && cmp -s both/verdict.csv wanted.csv || fail "two processes: $(cat both.1 both.2)"
sed -i 's/1:3/[3, 1, 2]/' pairs.yaml
vef 0 study pairs.yaml -o pairs
cmp -s pairs/verdict.csv wanted.csv || fail "seeds in another order: $(cat pairs/verdict.csv)"
echo 'verdict: {explain: false}' >>pairs.yaml
vef 0 study pairs.yaml -o quick
[ "$(lines quick)" -eq 6 ] || fail 'explained without need'
prints 'apart beats shared by .* (exactly: all 3 seeds give the same)\.$'

# ---- intervals from paired seeds; t = 4.302653 for two degrees of freedom ----

cat >load.yaml <<'END'
run: load
networks: {torus: '{topology: {family: torus, sizes: [4, 4]}}', mesh: '{topology: {family: mesh, sizes: [4, 4]}}'}
rates: [0.1, 0.2]
seeds: 1:3
precisions: 0.05
END
vef 0 study load.yaml -o load --csv
sed 's/"[^"]*"/-/' out >plain.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["rate"] == 0.2 { value[$at["network"], $at["seed"]] = $at["latency_mean_ns"] }
    END { for (s = 1; s <= 3; s++) { d[s] = log(value["mesh", s] / value["torus", s]); sum += d[s] / 3 }
        for (s = 1; s <= 3; s++) squares += (d[s] - sum) ^ 2
        half = 4.302653 * sqrt(squares / 2 / 3)
        printf "%.5f %.5f %.5f\n", 100 * (exp(sum) - 1), 100 * (exp(sum - half) - 1), 100 * (exp(sum + half) - 1) }' plain.csv >wanted
awk -F, '$3 == 2 { printf "%.5f %.5f %.5f\n", $6, $7, $8 }' load/verdict.csv >found
awk 'NR == FNR { split($0, a); next } { for (i = 1; i <= 3; i++) if ((a[i] - $i) ^ 2 > 1e-6) exit 1 }' wanted found ||
    fail "interval: $(cat wanted load/verdict.csv)"

# ---- what cannot run is named, and not tried again; new inputs are ----

cat >refused.yaml <<'END'
traces: [pairs.vef]
networks: {row: row.yaml, short: {file: row.yaml, set: {topology.sizes: '[2]'}}}
mappings: {plain: identity, listed: file(places.txt)}
END
vef 1 study refused.yaml --plan
prints '^4 points, 2 to run, .*; 2 cannot run$'
prints '^point 3 and 1 others cannot run: pairs.vef has 4 tasks, but the network 2 endpoints: '
vef 1 study refused.yaml -o refused
says '^vef study: 2 of 4 points cannot run (--plan names them); point 3: pairs.vef has 4 tasks'
prints '^4 points: 1 done, 0 stalled, 0 failed, 3 cannot run, 0 without result'
[ "$(cells state refused/results.csv | tr '\n' ' ')" = 'done refused refused refused ' ] || fail "states: $(cat refused/results.csv)"
before=$(lines refused)
vef 1 study refused.yaml -o refused
says '^vef study: 3 of 4 points cannot run'
[ "$(lines refused)" -eq "$before" ] || fail 'a refused point ran again'
VEF_LIMITS=tasks=9999999 "$vef" study refused.yaml -o refused >out 2>err
[ "$(lines refused)" -eq $((before + 1)) ] || fail 'a refused point did not run again with another limit'
cp apart.txt places.txt
vef 1 study refused.yaml -o refused
prints '^4 points: 2 done, 0 stalled, 0 failed, 2 cannot run'
prints '^pairs: row (listed) beats row (plain) by '

# ---- vef compare of replays with several seeds: means, and the verdict that a study of the same runs gives ----
vef 0 generate '{tasks: 16, workload: random, messages: 4, bytes: 4 KiB, iterations: 3}' -o random.vef
for family in torus mesh; do echo "topology: {family: $family, sizes: [4, 4]}" >$family.yaml; done
vef 0 compare torus.yaml mesh.yaml --trace random.vef --seeds 3,5,8 --csv
cp out compared.csv
for family in torus mesh; do
    for seed in 3 5 8; do
        vef 0 replay random.vef --net $family.yaml --seed $seed --json
        sed -n 's/^  "time_ns": \([0-9.]*\),*/\1/p' out
    done | awk '{ sum += $1 } END { printf "%.0f\n", sum / 3 }'
done >wanted
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") column = i; next } { printf "%.0f\n", $column }' compared.csv >found
cmp -s wanted found || { paste wanted found >out; fail "means of three seeds"; }
printf 'traces: random.vef\nnetworks: [torus.yaml, mesh.yaml]\nseeds: [3, 5, 8]\n' >same.yaml
vef 0 study same.yaml -o same
sed -n 's/^random: //p' out | sed 's/:.*//' >wanted
vef 0 compare torus.yaml mesh.yaml --trace random.vef --seeds 3,5,8
grep -Fq "$(cat wanted)" out || fail "the verdict of a study: $(cat wanted)"
vef 2 compare torus.yaml mesh.yaml --trace random.vef --seeds 3,3
says 'seed 3 is given twice'
[ $failures -eq 0 ]
