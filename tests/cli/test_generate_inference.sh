#!/bin/sh
# `vef generate`, workload inference: calls, bytes, order and time against the formulas of docs/generate.md.
. tests/command.sh
set -u
. "$here/tests/cli/generate.sh"

# Tensor parallelism: two sums in a layer for each pass; a prefill of 3 requests of 16 tokens, then 4 more tokens each.
generated '{tasks: 2, workload: inference, tp: 2, layers: 5, hidden: 64, prompt: 16, output: 5, batch: 3}'
count $((2 * 2 * 5)) "^Allreduce comm=1 bytes=$((3 * 16 * 64 * 2)) "
count $((2 * 2 * 5 * 4)) "^Allreduce comm=1 bytes=$((3 * 64 * 2)) "
messages 0 0

# Operations on 1 Gflop/s, of attention 8 h^2 for a token and 4 h for each token that it attends to, of the MLP 16 h^2.
layer=$((24 * 64 * 64)) # for each new token
prefill=$((16 * layer + 4 * 16 * 16 * 64))
decode=$((layer + 4 * 17 * 64 + layer + 4 * 18 * 64))
generated '{tasks: 1, workload: inference, layers: 2, hidden: 64, prompt: 16, output: 3, compute: {flops_per_s: 1e9}}'
takes $((2 * (prefill + decode)))
# Bytes, on 1 GB/s: 12 h^2 parameters of 2 bytes, and 2 h values for each token so far. Both: what takes longer.
parameters=$((12 * 64 * 64 * 2)) token=$((2 * 64 * 2))
generated '{tasks: 1, workload: inference, layers: 2, hidden: 64, prompt: 16, output: 3, compute: {bytes_per_s: 1e9}}'
takes $((2 * (3 * parameters + (16 + 17 + 18) * token)))
generated '{tasks: 1, workload: inference, layers: 2, hidden: 64, prompt: 16, output: 3, compute: {flops_per_s: 1e9, bytes_per_s: 1e9}}'
takes $((2 * (prefill + decode)))
generated '{tasks: 1, workload: inference, layers: 2, hidden: 64, prompt: 16, output: 3, compute: {flops_per_s: 8e9, bytes_per_s: 1e9}}'
takes $((2 * (prefill / 8 + 2 * parameters + (17 + 18) * token)))

# A pipeline of 2 stages: activations go on, numbers of tokens back, which each step of the decode needs.
generated '{tasks: 2, workload: inference, pp: 2, layers: 2, hidden: 64, prompt: 16, output: 3, batch: 6, groups: 2}'
count 2 "^Isend to=1 bytes=$((3 * 16 * 64 * 2)) tag=1"
count 4 "^Isend to=1 bytes=$((3 * 64 * 2)) tag=1"
count 4 "^Isend to=0 bytes=$((3 * 4)) tag=2"
# With two groups both stages work: a prefill of both in 3 passes of a layer.
generated '{tasks: 2, workload: inference, pp: 2, layers: 2, hidden: 64, prompt: 16, output: 1, batch: 2, groups: 2, compute: {flops_per_s: 1e9}}'
takes $((3 * prefill))

# Experts: tokens go to 2 of 8 and return; a task reads those of its 4 that a token needs, of one token 2.
generated '{tasks: 2, workload: inference, dp: 2, ep: 2, experts: 8, top_k: 2, layers: 3, hidden: 64, prompt: 16, output: 2, compute: {bytes_per_s: 1e9}}'
count $((2 * 2 * 3)) "^Alltoall comm=1 bytes=$((2 * 16 * 64 * 2 / 2))"
count $((2 * 2 * 3)) "^Alltoall comm=1 bytes=$((2 * 64 * 2 / 2))"
takes $((3 * (2 * parameters / 3 + (4 + 2) * 2 * parameters / 3 + (16 + 17) * token)))

# Tasks 0 and 1 prefill, 2 and 3 decode: keys and values of a layer follow its pass, a quarter of them with 4 heads for each.
generated '{tasks: 4, workload: inference, pp: 2, layers: 6, hidden: 64, kv_groups: 4, prompt: 16, output: 4, batch: 3, disaggregated: true}'
count 3 "^Isend to=2 bytes=$((3 * 2 * 16 * 64 / 4 * 2)) tag=3"
count 3 "^Isend to=3 bytes=$((3 * 2 * 16 * 64 / 4 * 2)) tag=3"
count 3 '^Isend to=2 bytes=12 tag=2 '
sed -n '/^task 1$/,/^end/s/^\(Isend to=[0-9]\).*tag=\(.\).*/\1 \2/p' dump | tr '\n' '|' >out
[ "$(cat out)" = 'Isend to=3 3|Isend to=3 3|Isend to=3 3|Isend to=2 2|' ] || fail "$ran: $(cat out)"
# Answers of one token need no decode.
generated '{tasks: 4, workload: inference, pp: 2, layers: 6, hidden: 64, prompt: 16, output: 1, disaggregated: true}'
messages 1 $((16 * 64 * 2))
again '{tasks: 8, workload: inference, tp: 2, pp: 2, layers: 4, hidden: 64, prompt: 16, output: 4, disaggregated: true, iterations: 2, compute: {flops_per_s: 3e12, distribution: normal}}'

model='layers: 4, hidden: 64, prompt: 16, output: 4'
refused "{tasks: 3, workload: inference, disaggregated: true, $model}" 'disaggregated: 3 tasks: expected an even number'
refused "{tasks: 4, workload: inference, tp: 2, $model}" 'tp 2 x cp 1 x pp 1 x dp 1 is not the number of tasks, 4'
refused "{tasks: 1, workload: inference, batch: 3, groups: 2, $model}" 'groups 2: expected a divisor of the batch, 3'
refused "{tasks: 3, workload: inference, dp: 3, ep: 3, experts: 3, $model}" 'not divisible by ep 3'
refused '{tasks: 1, workload: inference, layers: 4, hidden: 1048576, prompt: 16777216, output: 1}' 'expected a smaller model'

[ $failures -eq 0 ]
