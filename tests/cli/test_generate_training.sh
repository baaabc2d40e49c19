#!/bin/sh
# `vef generate`, workload training: calls, bytes, order and time of training steps against the formulas of the papers
# (docs/generate.md).
. tests/command.sh
set -u
. "$here/tests/cli/generate.sh"

# 3D: 2 x 2 x 2 tasks. Activations of a micro-batch: 2 samples of 16 tokens of 64 values of 2 bytes.
activation=$((2 * 16 * 64 * 2))
generated '{tasks: 8, workload: training, tp: 2, pp: 2, dp: 2, layers: 4, hidden: 64, sequence: 16, micro_batch: 2, micro_batches: 3, buckets: 2}'
# Four sums of activations in a layer, of 2 layers of a stage, for 3 micro-batches, in 8 tasks.
count $((4 * 2 * 3 * 8)) "^Allreduce comm=[1234] bytes=$activation elements=$((activation / 2))\$"
# Half of the 12 h^2 parameters of each of 2 layers, 2 bytes each, in 2 buckets.
count $((2 * 8)) "^Iallreduce comm=[5678] bytes=$((12 * 64 * 64 / 2 * 2 * 2 / 2)) elements=$((12 * 64 * 64 / 2 * 2 / 2))"
count $((3 * 4)) "^Isend to=[0-9]+ bytes=$activation tag=1"
count $((3 * 4)) "^Isend to=[0-9]+ bytes=$activation tag=2"
messages $((3 * 4 * 2)) $((3 * 4 * 2 * activation))
# Init, Finalize, two Comm_split, the sums, a Waitall in each task; two calls for each message.
calls $((8 * (2 + 2 + 4 * 2 * 3 + 2 + 1) + 2 * 24))
# Ranks: tensor fastest, then data, then the pipeline.
count 1 '^comm 1 parent=0 by=Comm_split members=0-1$'
count 1 '^comm 5 parent=0 by=Comm_split members=0,2$'
count 1 '^comm 8 parent=0 by=Comm_split members=5,7$'
sed -n '/^task 1$/,/^end/p' dump | grep -q '^Isend to=5 .*tag=1' || fail 'task 1 sends its activations to task 5'
takes 0

# Pipelines: (m + p - 1) (tf + tb) for m micro-batches in p stages: the bubble is (p - 1) of m + p - 1 parts.
for shape in '1 1' '1 5' '2 1' '4 2' '4 4' '4 9' '6 12'; do
    set -- $shape
    for schedule in 1f1b gpipe; do
        generated "{tasks: $1, workload: training, pp: $1, layers: 12, hidden: 8, sequence: 4, micro_batches: $2, schedule: $schedule, forward: 7 us, backward: 15 us}"
        takes $((($2 + $1 - 1) * 22000))
    done
done
# Micro-batches whose activations a stage holds: at most p - stage, with GPipe all.
held() {
    awk -v p=4 '/^task/ { stage = $2; n = most = 0 }
        stage == 0 ? /^Isend/ : /^Recv.*tag=1/ { if (++n > most) most = n }
        stage == 0 ? /^Recv/ : /^Isend.*tag=2/ { n-- }
        /^end/ { printf "%d ", most }' dump
}
generated '{tasks: 4, workload: training, pp: 4, layers: 4, hidden: 8, sequence: 4, micro_batches: 8}'
[ "$(held)" = '4 3 2 1 ' ] || fail "$ran: stages hold $(held)"
generated '{tasks: 4, workload: training, pp: 4, layers: 4, hidden: 8, sequence: 4, micro_batches: 8, schedule: gpipe}'
[ "$(held)" = '8 8 8 8 ' ] || fail "$ran: stages hold $(held)"
# Stage 1 of 1F1B: two forward passes, then a forward and a backward one in turn, then the backward ones left.
generated '{tasks: 4, workload: training, pp: 4, layers: 4, hidden: 8, sequence: 4, micro_batches: 4}'
[ "$(sed -n '/^task 1$/,/^end/s/^Recv.*tag=\([12]\).*/\1/p' dump | tr -d '\n')" = 11121222 ] || fail "$ran: not 1F1B"

# Operations: forward 24 b s h^2 + 4 b s^2 h in a layer, backward twice that: 6 for each parameter and token but for the
# second term. On 1 Gflop/s: b 2, s 16, h 64 and 3 layers.
forward=$((3 * (24 * 2 * 16 * 64 * 64 + 4 * 2 * 16 * 16 * 64)))
generated '{tasks: 2, workload: training, dp: 2, layers: 3, hidden: 64, sequence: 16, micro_batch: 2, batch: 8, compute: {flops_per_s: 1e9}, optimizer: 5 us}'
takes $((2 * 3 * forward + 5000))
generated '{tasks: 2, workload: training, tp: 2, layers: 3, hidden: 64, sequence: 16, micro_batch: 2, compute: {flops_per_s: 1e9}}'
takes $((3 * forward / 2))

# Gradients are summed beside the last backward pass: a bucket after each of 3 layers, of which the last is not hidden.
generated '{tasks: 2, workload: training, dp: 2, layers: 3, hidden: 64, sequence: 16, buckets: 3, bytes_per_gradient: 4 B, forward: 3 us}'
sed -n '/^task 1$/,/^end/s/^Iallreduce comm=1 bytes=\([0-9]*\) .*gap=\([0-9]*\).*/\1 \2/p' dump | tr '\n' '|' >out
[ "$(cat out)" = '196608 5000|196608 2000|196608 2000|' ] || fail "$ran: buckets"
# Buckets have all parameters, whether or not these are divisible: 12 h^2 of 2 layers in 7.
generated '{tasks: 2, workload: training, dp: 2, layers: 2, hidden: 5, sequence: 3, buckets: 7, bytes_per_gradient: 1 B}'
[ "$(sed -n 's/^Iallreduce comm=1 bytes=\([0-9]*\) .*/\1/p' dump | awk '{ sum += $1 } END { print NR, sum }')" = "14 $((2 * 2 * 12 * 25))" ] || fail "$ran: parameters"

# Experts: of 8, each of 2 tasks has 4; tokens go to 2 of them and return, forward and backward. The 4 h^2 of attention
# are summed over all 4 replicas, the 8 h^2 of each expert over the 2 that have it.
generated '{tasks: 4, workload: training, dp: 4, ep: 2, experts: 8, top_k: 2, layers: 3, hidden: 64, sequence: 16, compute: {flops_per_s: 1e9}}'
count $((4 * 3 * 4)) "^Alltoall comm=[23] bytes=$((2 * 16 * 64 * 2 / 2))"
count 4 "^Iallreduce comm=1 bytes=$((3 * 4 * 64 * 64 * 2)) "
count 4 "^Iallreduce comm=[45] bytes=$((3 * 8 * 64 * 64 * 4 * 2)) "
count 1 '^comm 2 parent=0 by=Comm_split members=0-1$'
count 1 '^comm 4 parent=0 by=Comm_split members=0,2$'
takes $((3 * 3 * (40 * 16 * 64 * 64 + 4 * 16 * 16 * 64))) # 8 + 2 x 16
# Unequal experts: of 100 tokens of a micro-batch four experts get 48, 24, 16 and 12 (skew 1), the most frequent one being
# the last one in the next layer: 2 tasks with two experts each get 72 and 28 in the first layer, 40 and 60 in the second.
# A task sends as much as it gets back, in both passes.
generated '{tasks: 2, workload: training, dp: 2, ep: 2, experts: 4, layers: 2, hidden: 10, sequence: 100, bytes_per_element: 1 B, expert_skew: 1, compute: {flops_per_s: 1e9}}'
for task in 0 1; do
    sed -n "/^task $task\$/,/^end/s/^Alltoallv comm=1 \(sends=[0-9,*]* receives=[0-9,*]*\).*/\1/p" dump | tr '\n' '|'
done >out
one='sends=720,280 receives=720*2|sends=720*2 receives=720,280|' two='sends=400,600 receives=400*2|sends=400*2 receives=400,600|'
other_one='sends=720,280 receives=280*2|sends=280*2 receives=720,280|' other_two='sends=400,600 receives=600*2|sends=600*2 receives=400,600|'
[ "$(cat out)" = "$one$two$two$one$other_one$other_two$other_two$other_one" ] || fail "$ran: tokens of experts"
# Experts compute for the tokens that they get: 144 and 120 of 100 tokens in the task that all wait for.
takes $((3 * (2 * (8 * 100 * 100 + 4 * 100 * 100 * 10) + (144 + 120) * 16 * 100)))
# Two steps in a row, with random times.
again '{tasks: 8, workload: training, tp: 2, pp: 2, dp: 2, layers: 4, hidden: 64, sequence: 16, micro_batches: 3, buckets: 2, iterations: 2, compute: {flops_per_s: 3e12, distribution: normal}}'

# Sequence parallelism: instead of each sum an Allgather and a Reduce_scatter_block of parts, and backward the input once
# more, beside the computation; stages exchange parts.
part=$((activation / 2))
generated '{tasks: 4, workload: training, tp: 2, pp: 2, layers: 4, hidden: 64, sequence: 16, micro_batch: 2, micro_batches: 3, sequence_parallel: true}'
count 0 '^Allreduce'
count $((4 * 2 * 3 * 4)) "^Allgather comm=[12] bytes=$part"
count $((4 * 2 * 3 * 4)) "^Reduce_scatter_block comm=[12] bytes=$part elements=$((activation / 2))"
count $((2 * 2 * 3 * 4)) "^Iallgather comm=[12] bytes=$part"
messages $((3 * 2 * 2)) $((3 * 2 * 2 * part))
# Experts get parts of the tokens, which are gathered where they are.
generated '{tasks: 4, workload: training, tp: 2, dp: 2, ep: 2, experts: 2, top_k: 2, layers: 1, hidden: 64, sequence: 16, sequence_parallel: true}'
count $((4 * 4)) "^Alltoall comm=[0-9]* bytes=$((2 * 16 * 64 * 2 / 2 / 2))"
count $((4 * 2)) "^Allgather comm=[0-9]* bytes=$((2 * 16 * 64 * 2 / 2))"
count $((4 * 2)) "^Allgather comm=[0-9]* bytes=$((16 * 64 * 2 / 2))"

# Context parallelism: of 4 parts of a sequence keys and values (x bytes) make 3 hops forward; backward 3 again, and their
# gradients 4. Scores and projections are divided, gradients summed over all tasks.
x=$((2 * 2 * 16 / 4 * 64 * 2))
generated '{tasks: 4, workload: training, cp: 4, layers: 3, hidden: 64, sequence: 16, micro_batch: 2, compute: {flops_per_s: 1e9}}'
messages $((4 * 3 * (3 + 5))) $((4 * 3 * 10 * x))
count $((4 * 3 * (3 + 3))) "^Isend to=[0-3] bytes=$x tag=3"
count $((4 * 3 * 2)) "^Isend to=[0-3] bytes=$((2 * x)) tag=3"
count 4 "^Iallreduce comm=1 bytes=$((3 * 12 * 64 * 64 * 2))"
takes $((3 * forward / 4))
sed -n '/^task 3$/,/^end/p' dump | grep -q '^Isend to=0 ' || fail 'task 3 hands its keys to task 0'
# A key and a value for 4 heads: a quarter of them, and of their parameters.
generated '{tasks: 4, workload: training, tp: 2, cp: 2, layers: 1, hidden: 64, sequence: 16, kv_groups: 4}'
count $((4 * (1 + 1 + 2))) "^Isend to=[0-3] bytes=$((2 * 16 / 2 * 64 / 2 / 4 * 2)) tag=3"
count 4 "^Iallreduce comm=[34] bytes=$((21 * 64 * 64 / 2)) " # 2 + 2 / 4 + 8 times h^2, half in each task

# ZeRO: with stage 1 a task receives and sends (n - 1) / n of its gradients, then of the parameters; with stage 3 of the
# parameters of each layer twice and of the gradients once in every micro-batch.
stage=$((3 * 12 * 64 * 64))
generated '{tasks: 4, workload: training, dp: 4, layers: 3, hidden: 64, sequence: 16, micro_batches: 2, buckets: 3, sharding: optimizer}'
count $((4 * 3)) "^Ireduce_scatter_block comm=1 bytes=$((stage / 3 / 4 * 2)) elements=$((stage / 3))"
count $((4 * 3)) "^Allgather comm=1 bytes=$((stage / 3 / 4 * 2))"
count 0 '^Iallreduce'
generated '{tasks: 4, workload: training, dp: 4, layers: 3, hidden: 64, sequence: 16, micro_batches: 2, sharding: full, forward: 3 us, backward: 6 us}'
count $((4 * 2 * 2 * 3)) "^Iallgather comm=1 bytes=$((stage / 3 / 4 * 2))"
count $((4 * 2 * 3)) "^Ireduce_scatter_block comm=1 bytes=$((stage / 3 / 4 * 2)) elements=$((stage / 3))"
# The next layer is on its way while one computes.
sed -n '/^task 1$/,/^Ired/p' dump | sed -n 's/ comm=.*//; s/ gap=.*//; /^Wait\|^I[ar]/p' | tr '\n' '|' >out
prefetched='Iallgather|Wait requests=0|Iallgather|Wait requests=1|Iallgather|Wait requests=2|'
[ "$(cat out)" = "$prefetched"'Iallgather|Wait requests=3|Iallgather|Ireduce_scatter_block|' ] || fail "$ran: $(cat out)"
takes 18000
# Parts that do not divide the parameters are rounded up.
generated '{tasks: 3, workload: training, dp: 3, layers: 1, hidden: 5, sequence: 4, sharding: full}'
count 6 "^Iallgather comm=1 bytes=$((2 * 100))"

model='layers: 4, hidden: 64, sequence: 16'
refused "{tasks: 3, workload: training, cp: 3, $model}" 'a sequence of 16: expected a multiple of the tasks that divide it, 3'
refused "{tasks: 32, workload: training, tp: 32, sequence_parallel: true, $model}" 'a multiple of the tasks that divide it, 32'
refused "{tasks: 2, workload: training, dp: 2, sharding: full, buckets: 2, $model}" 'with sharding full every layer has one'
refused "{tasks: 2, workload: training, tp: 2, experts: 2, expert_skew: 1, sequence_parallel: true, $model}" 'not supported with expert_skew'
refused "{tasks: 2, workload: training, tp: 2, kv_groups: 3, $model}" 'kv_groups 3: expected a divisor of hidden / tp, 32'
refused "{tasks: 8, workload: training, tp: 2, pp: 2, $model}" 'tp 2 x cp 1 x pp 2 x dp 1 is not the number of tasks, 8'
refused "{tasks: 8, workload: training, tp: 1048576, pp: 1048576, dp: 1048576, $model}" 'is not the number of tasks, 8'
refused "{tasks: 3, workload: training, pp: 3, $model}" '4 layers are not divisible by the 3 stages'
refused "{tasks: 3, workload: training, tp: 3, $model}" 'hidden 64 is not divisible by the 3 tasks'
refused '{tasks: 1, workload: training, layers: 0, hidden: 64, sequence: 16}' 'layers'
refused '{tasks: 1, workload: training, hidden: 64, sequence: 16}' "key 'layers' is missing"
refused "{tasks: 4, workload: training, dp: 4, ep: 2, $model}" 'missing key experts'
refused "{tasks: 4, workload: training, dp: 4, ep: 3, experts: 3, $model}" 'dp 4 is not divisible by ep 3'
refused "{tasks: 4, workload: training, dp: 4, ep: 2, experts: 3, $model}" '3 experts are not divisible by ep 2'
refused "{tasks: 4, workload: training, dp: 4, experts: 3, top_k: 4, $model}" 'expected at most 3'
refused "{tasks: 4, workload: training, dp: 4, expert_skew: 1, $model}" 'missing key experts'
refused "{tasks: 4, workload: training, dp: 4, experts: 4, top_k: 2, expert_skew: 3, $model}" 'an expert would get 27 of 16 tokens'
refused "{tasks: 4, workload: training, dp: 4, batch: 6, $model}" 'expected a multiple of dp x micro_batch, 4'
refused "{tasks: 4, workload: training, dp: 4, batch: 8, micro_batches: 3, $model}" 'expected one of the two keys'
refused "{tasks: 4, workload: training, dp: 4, compute: 5 us, $model}" 'time: not supported with workload training'
refused '{tasks: 1, workload: training, layers: 4, hidden: 1048576, sequence: 16777216}' 'expected a smaller model'

[ $failures -eq 0 ]
