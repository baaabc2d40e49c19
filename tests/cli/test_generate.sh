#!/bin/sh
# `vef generate`: files, steps, computation and bad input of all workloads, and what is in the header.
. tests/command.sh
set -u
. "$here/tests/cli/generate.sh"

refused '{workload: collective}' "key 'tasks' is missing"
refused '{tasks: 4}' "key 'workload' is missing"
refused '{tasks: 0, workload: collective}' 'expected a whole number from 1 to 16777216'
refused '{tasks: 4, workload: collectiv}' "unknown workload 'collectiv': did you mean collective?"
refused '{tasks: 4, workload: collective, sise: 4}' "unknown key 'sise'"
refused '{tasks: 4, workload: collective, bytes: -4 B}' 'bytes'
refused '{tasks: 4, workload: collective, bytes: 2 TB}' 'bytes'
refused '{tasks: 4, workload: collective, iterations: 0}' 'iterations'
refused '{tasks: 4, steps: []}' 'expected a list of 1 to 1000 steps'
refused '{tasks: 4, steps: [4]}' 'expected a mapping such as'
refused '{tasks: 4, steps: [{workload: collective, tasks: 4}]}' "unknown key 'tasks'"
refused '{tasks: 4, workload: collective, compute: {flops: 1e9}}' 'missing key flops_per_s'
refused '{tasks: 4, workload: collective, compute: {time: 1 us, bytes: 8, bytes_per_s: 1e9}}' 'expected either time, or flops'
refused '{tasks: 4, workload: collective, compute: {distribution: uniform, spread: 1.5}}' 'expected at most 1'
refused '{tasks: 4, workload: collective, compute: -1 us}' 'time'
vef 2 generate missing.yaml -o w.vef --force
says "cannot open 'missing.yaml'"
printf 'tasks: 4\nworkload: collective\nroot: 4\ncall: Bcast\n' >w.yaml
vef 2 generate w.yaml -o w.vef --force
says '^vef generate: w.yaml:3:7: collective: root 4'
vef 0 generate w.yaml -o w.vef --force --tasks 5 --set iterations=2
prints '^w.vef: 5 tasks, 20 events, 0 messages$' # with Init and Finalize
vef 2 generate w.yaml -o w.vef --tasks 5
says 'exists'
# Steps, in order, repeated; computation of the root holds where a step has none. Roofline: the longer of 8 and 5 us.
generated '{tasks: 3, repeat: 2, compute: {flops: 8e3, flops_per_s: 1e9, bytes: 1e4, bytes_per_s: 2e9}, steps: [{workload: collective, call: Bcast, iterations: 2}, {workload: collective, call: Barrier, compute: 1 us}]}'
[ "$(sed -n '/^task 1/,/^end/p' dump | tr '\n' '|')" = 'task 1|Init|Bcast bytes=8 gap=8000|Bcast bytes=8 gap=8000|Barrier gap=1000|Bcast bytes=8 gap=8000|Bcast bytes=8 gap=8000|Barrier gap=1000|Finalize|end finalized|' ] ||
    fail "$ran: not the steps in their order"
takes 34000
# Random times: mean, standard deviation and distribution function at ln 2 times the mean (10 us), and other times with
# another seed. Standard errors of 40,000 times, the exponential ones: 0.5 % of the mean, 0.7 % of the deviation, 0.0025. The
# deviations are 0.5 / sqrt 3, 0.49 (0.5, cut off at 0), 0.5 and 1 of the mean; the distribution functions 0.386 / 2,
# Phi(-0.307 / 0.5), Phi((ln ln 2 + v / 2) / sqrt v) for v = ln 1.25, and 1 / 2.
distributed() {
    awk -F'gap=' -v deviation="$1" -v below="$2" '/^Allreduce/ { x = $2 / 1e4; n++; sum += x; squares += x * x; low += x < log(2) }
        function off(a, b) { return a > b ? a - b : b - a }
        END { mean = sum / n; print n, mean, sqrt(squares / n - mean * mean), low / n
              exit n != 40000 || off(mean, 1) > 0.03 || off(sqrt(squares / n - mean * mean) / deviation, 1) > 0.04 || off(low / n, below) > 0.013 }' dump >out
}
while read -r distribution deviation below; do
    generated "{tasks: 8, workload: collective, iterations: 5000, compute: {time: 10 us, distribution: $distribution, spread: 0.5}}"
    distributed $deviation $below || fail "$ran: times"
    cp dump before
    generated "{tasks: 8, workload: collective, iterations: 5000, compute: {time: 10 us, distribution: $distribution, spread: 0.5, seed: 2}}"
    grep -v '^options' dump | sed 's/.*gap/gap/' >one
    grep -v '^options' before | sed 's/.*gap/gap/' | cmp -s - one && fail "$ran: no other times with another seed"
done <<'END'
uniform 0.2887 0.1931
normal 0.49 0.2697
lognormal 0.5 0.2947
exponential 1 0.5
END
# Times are those of the task and phase, whatever else the workload has: communicators, tasks, other seeds between.
gaps() { sed -n "/^task $1\$/,/^end/s/.*gap=//p" dump; }
random='compute: {time: 10 us, distribution: normal}'
generated "{tasks: 12, workload: collective, iterations: 6, $random}"
gaps 5 >whole
gaps 4 | cmp -s - whole && fail "$ran: tasks with equal times"
generated "{tasks: 6, workload: collective, group: 3, iterations: 6, $random}"
gaps 5 | cmp - whole || fail "$ran: other times in groups"
generated "{tasks: 6, repeat: 3, steps: [{workload: collective, $random}, {workload: ring, compute: {time: 10 us, distribution: normal, seed: 2}}]}"
[ "$(gaps 5 | sort -u | wc -l)" -eq 6 ] || fail "$ran: steps with equal times"
# A large one, within 400 MB of addresses.
if ! ldd "$vef" | grep -q libasan; then
    (ulimit -v 400000 && exec "$vef" generate '{tasks: 65536, workload: stencil, message: 8 B}' -o w.vef --force) >out 2>err || fail '65,536 tasks in 400 MB'
    prints "^w.vef: 65536 tasks, $((65536 * (6 + 6 + 3))) events, $((65536 * 6)) messages\$"
fi
# Imbalance: no factor is beyond its bounds.
generated '{tasks: 1000, workload: collective, iterations: 2, compute: {time: 10 us, imbalance: 0.25}}'
awk -F'gap=' '/^task/ { first = "" }
    /gap=/ { if (first == "") first = $2; if ($2 < 7500 || $2 > 12500 || $2 - first > 1 || first - $2 > 1) bad++; low += $2 < 8000; high += $2 > 12000 }
    END { exit bad > 0 || low < 100 || high < 100 }' dump || fail "$ran: factors of tasks"

# The workload in the header gives the same trace.
again '{tasks: 6, repeat: 3, steps: [{workload: collective, call: Scatterv, group: 3}, {workload: collective, compute: {flops: 3e7, flops_per_s: 7e9, distribution: lognormal, imbalance: 0.1, seed: 5}}]}'

# Steps with equal groups share communicators.
generated '{tasks: 12, steps: [{workload: collective, group: 4}, {workload: collective, group: 3}, {workload: collective, group: 4, call: Bcast}, {workload: transpose, points: [12, 12, 12], grid: [4, 3]}]}'
count 11 '^comm [0-9]+ parent=0' # 3 of 4 tasks, 4 of 3, 4 columns; rows are those of 4
count 36 '^Comm_split'
count 12 '^Bcast comm=[123] '
# What no counter holds.
refused '{tasks: 2, workload: sweep, message: 1 TiB, octants: 1, z_blocks: 65536, iterations: 1000}' 'more than 2^63 bytes'
refused '{tasks: 4, workload: collective, compute: 1000000 s, iterations: 1000000}' 'more than 2^63 ns'
refused '{tasks: 4, workload: ring, iterations: 1000000, repeat: 1001}' '1001000000 iterations: expected at most 1000000000'
# The examples.
for file in "$here"/examples/workloads/*.yaml; do
    vef 0 generate "$file" -o w.vef --force
    vef 0 check w.vef
    prints ': no fault'
done
[ -f "$file" ] || fail 'no examples'

[ $failures -eq 0 ]
