#!/bin/sh
# `vef generate`: counts, bytes and times against closed forms.
. tests/command.sh
set -u

# of KEY: a value of `vef info --json` of made.vef.
of() { "$vef" info made.vef --json | sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p"; }
# makes MESSAGES BYTES CALLS WORKLOAD: what the point-to-point messages of a workload are.
makes() {
    vef 0 generate "$4" -o made.vef --force
    [ "$(of messages) $(of message_bytes) $(of mpi_calls)" = "$1 $2 $3" ] ||
        fail "$4: $(of messages) messages of $(of message_bytes) bytes in $(of mpi_calls) calls instead of $1, $2, $3"
    vef 0 check made.vef
}

# Stencils. A block of 64 x 32 cells of 8 bytes: 32 x 8 bytes along the first dimension, 64 x 8 along the second, two
# neighbours in each. Calls: Init, Finalize, and for each iteration a receive and a send for each neighbour and a Waitall.
makes $((16 * 4 * 10)) $((16 * 10 * 2 * (256 + 512))) $((16 * (2 + 10 * 9))) \
    '{workload: stencil, tasks: 16, cells: [64, 32], iterations: 10}'
# All 26 neighbours of 27 tasks: 2 faces each of 8x8, 8x4 and 8x4 cells, 4 edges each of 8, 8 and 4, 8 corners.
makes $((27 * 26)) $((27 * 8 * (2 * (8 * 4 + 8 * 4 + 8 * 8) + 4 * (8 + 8 + 4) + 8))) $((27 * (2 + 2 * 26 + 1))) \
    '{workload: stencil, tasks: 27, cells: [8, 8, 4], neighbours: all}'
# Without wrap-around, 3 x 4 tasks: 2 x (2 x 4) and 2 x (3 x 3) messages along the axes, 2 x 2 x (2 x 3) along the diagonals.
makes $((16 + 18 + 24)) $((16 * 5 + 18 * 10 + 24)) $((12 * 3 + 2 * 58)) \
    '{workload: stencil, tasks: 12, grid: [3, 4], cells: [10, 5], cell: 1 B, neighbours: all, periodic: false}'
# A halo of 2 layers: 2 x 5 and 2 x 10 cells; corners of 2 x 2.
makes 58 $((16 * 10 + 18 * 20 + 24 * 4)) $((12 * 3 + 2 * 58)) \
    '{workload: stencil, tasks: 12, grid: [3, 4], cells: [10, 5], cell: 1 B, neighbours: all, periodic: false, halo: 2}'
# Two tasks in a ring exchange two messages in each direction; along a dimension of one task there are none.
makes 4 $((4 * 7)) $((2 * (2 + 4 + 1))) '{workload: stencil, tasks: 2, cells: [3, 7], cell: 1 B, grid: [2, 1]}'
makes 0 0 2 '{workload: stencil, tasks: 1, cells: [3, 7]}'

# Sweeps over 3 x 4 tasks: 2 x 4 + 3 x 3 messages for each block and corner.
makes $((17 * 5 * 4)) $((17 * 5 * 4 * 100)) $((12 * 2 + 2 * 17 * 5 * 4)) \
    '{workload: sweep, tasks: 12, grid: [3, 4], blocks: 5, bytes: 100 B}'
# From one corner the last task ends block b after (3 - 1) + (4 - 1) + b stages of 1 ms: 10 of 5 blocks.
vef 0 generate '{workload: sweep, tasks: 12, grid: [3, 4], blocks: 5, corners: 1, bytes: 0 B, compute: 5 ms}' -o made.vef --force
vef 0 replay made.vef --net '{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' --json
prints '"time_ns": 10000000'

# Collectives: 3 rounds of 2 iterations, of 8 elements of 4 bytes.
makes 0 0 $((5 * (2 + 3 * (2 + 1)))) \
    '{tasks: 5, repeat: 3, steps: [{workload: collective, operation: allreduce, bytes: 32 B, element: 4 B, iterations: 2},
      {workload: collective, operation: bcast, bytes: 1 KiB, root: 4}]}'
vef 0 dump made.vef
[ "$(grep -c '^Allreduce bytes=32 elements=8' out)" -eq 30 ] || fail 'the Allreduces'
[ "$(grep -c '^Bcast root=4 bytes=1024' out)" -eq 15 ] || fail 'the Bcasts'

# Transposes of 24 x 48 x 24 points of 16 bytes by 2 x 4 tasks: a task has 55296 bytes, of which each of 4 tasks of its
# row gets a quarter, and each of 2 of its column a half. By slabs of 8 tasks, an eighth.
vef 0 generate '{workload: transpose, tasks: 8, points: [24, 48, 24], grid: [2, 4]}' -o made.vef --force
vef 0 check made.vef
vef 0 dump made.vef
[ "$(grep '^Alltoall' out | sort | uniq -c | tr -s ' ')" = ' 4 Alltoall comm=1 bytes=13824
 4 Alltoall comm=2 bytes=13824
 2 Alltoall comm=3 bytes=27648
 2 Alltoall comm=4 bytes=27648
 2 Alltoall comm=5 bytes=27648
 2 Alltoall comm=6 bytes=27648' ] || fail "the transposes of pencils: $(grep '^Alltoall' out | sort | uniq -c)"
grep -q '^comm 2 parent=0 by=Comm_split members=4-7$' out && grep -q '^comm 4 parent=0 by=Comm_split members=1,5$' out ||
    fail 'rows and columns'
vef 0 generate '{workload: transpose, tasks: 8, points: [24, 48, 24], layout: slab}' -o made.vef --force
"$vef" dump made.vef | grep -q '^Alltoall bytes=6912' || fail 'the transposes of slabs'

# Training: 12 tasks as 2 tensor x 2 data x 3 stages, 5 micro-batches of 1 x 16 x 32 numbers of 2 bytes: 1024 bytes of
# activations. Each of 4 pipelines sends 2 x 5 messages forward and back. A task reduces activations 4 times for each of
# 2 layers and 5 micro-batches, and the gradients of 2 layers, 12 x 32 x 32 x 2 / 2 bytes each.
makes $((4 * 2 * 5 * 2)) $((80 * 1024)) $((12 * (2 + 1 + 40 + 2) + 2 * 80)) \
    '{workload: training, tasks: 12, layers: 6, hidden: 32, sequence: 16, micro_batches: 5, tensor: 2, pipeline: 3}'
vef 0 dump made.vef
[ "$(grep -c '^Iallreduce .*bytes=12288 elements=6144' out)" -eq 24 ] || fail 'the gradients'
[ "$(grep -c '^Allreduce .*bytes=1024 elements=512' out)" -eq 480 ] || fail 'the activations'
# No more than P - p forward passes are under way in stage p: it sends so many before it receives a gradient.
vef 0 generate '{workload: training, tasks: 3, layers: 3, hidden: 100, sequence: 10, micro_batches: 7, pipeline: 3, element: 0 B, flop_rate: 1e9}' -o made.vef --force
vef 0 dump made.vef
for stage in 0 1; do
    awk -v task=$stage '/^task/ { on = $2 == task } on && /^Isend/ && !/ tag=1/ { sent++ } on && /^Recv.* tag=1/ { print sent; exit }' out
done >stages
[ "$(tr '\n' ' ' <stages)" = '3 2 ' ] || fail "forward passes under way: $(cat stages)"
# The bubble of 1F1B: (m + P - 1) times a forward and a backward pass, 24 x 10 x 100^2 + 4 x 10^2 x 100 operations and twice
# as many, 2.44 ms at 1e9 a second and 4.88 ms.
vef 0 replay made.vef --net '{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' --json
prints "\"time_ns\": $(((7 + 3 - 1) * 3 * 2440000))\$\|\"time_ns\": $(((7 + 3 - 1) * 3 * 2440000)),"

# Permutations: each task sends and receives as many messages as there are rounds, none to itself.
makes $((9 * 4 * 2)) $((9 * 4 * 2 * 50)) $((9 * (2 + 2 * (4 + 4 + 1)))) \
    '{workload: exchange, tasks: 9, rounds: 4, bytes: 50 B, iterations: 2}'
vef 0 dump made.vef
awk '/^task/ { task = $2 } /^Irecv/ { n[task]++ } /^(Irecv|Isend)/ { split($2, of, "="); if (of[2] == task) own++ }
    END { for (t in n) if (n[t] != 8) bad++; exit bad || own }' out || fail 'the receives of permutations'
makes $((9 * 4)) $((9 * 4 * 1024)) $((9 * 3 + 2 * 36)) '{workload: exchange, tasks: 9, rounds: 4, partners: random}'

# A bucket sort of 1000 keys of 8 bytes by 3 tasks, with shares 1, 1/2, 1/3 of 11/6: up to 545.45, 818.18 and 1000 keys.
vef 0 generate '{workload: bucket-sort, tasks: 3, keys: 1000, key: 8 B, skew: 1}' -o made.vef --force
vef 0 check made.vef
vef 0 dump made.vef
[ "$(grep -c '^Alltoallv sends=4360,2184,1456 ' out)" -eq 3 ] && grep -q '^Alltoallv .*receives=2184\*3' out || fail 'the keys'
[ "$(grep -c '^Allreduce bytes=12 elements=3' out)" -eq 3 ] && [ "$(grep -c '^Alltoall bytes=4' out)" -eq 3 ] || fail 'the counts'

# Computation: the roofline, imbalance and variation. 2e6 operations at 1e9 a second take 2 ms; 40 MB at 10 GB/s, 4 ms.
computes() {
    vef 0 generate "{workload: collective, operation: barrier, tasks: 64, iterations: 4, $2}" -o made.vef --force
    "$vef" dump made.vef | sed -n 's/^Barrier.*gap=\([0-9]*\).*/\1/p' | awk -v low=$3 -v high=$4 -v mean=$1 '
        { n++; sum += $1; if ($1 < low || $1 > high) bad++; seen[$1] }
        END { for (i in seen) kinds++; print n, kinds; exit n != 256 || bad || sum / n < 0.97 * mean || sum / n > 1.03 * mean }' >out ||
        fail "the computation of $2"
    kinds=$(cut -d ' ' -f 2 out)
}
computes 2000000 'flops: 2e6, flop_rate: 1e9' 2000000 2000000
computes 4000000 'flops: 2e6, flop_rate: 1e9, memory: 40 MB' 4000000 4000000
computes 2500000 'flops: 2e6, flop_rate: 1e9, compute: 500 us' 2500000 2500000
computes 1000000 'compute: 1 ms, imbalance: 0.1' 900000 1100000
[ "$kinds" -gt 60 ] && [ "$kinds" -le 128 ] || fail "imbalance: $kinds times of 64 tasks" # each is rounded down or up
computes 1000000 'compute: 1 ms, variation: 0.1' 900000 1100000
[ "$kinds" -gt 200 ] || fail "variation: $kinds times of 256 iterations"
vef 0 generate '{workload: collective, operation: barrier, tasks: 64, compute: 1 ms, imbalance: 0.1}' -o one.vef
vef 0 generate '{workload: collective, operation: barrier, tasks: 64, compute: 1 ms, imbalance: 0.1}' -o same.vef
vef 0 generate '{workload: collective, operation: barrier, tasks: 64, compute: 1 ms, imbalance: 0.1, seed: 2}' -o other.vef
cmp -s one.vef same.vef || fail 'one seed gives two traces'
! cmp -s one.vef other.vef || fail 'two seeds give one trace'

# From a file, with --set.
cat >file.yaml <<'YAML'
tasks: 4
steps:
  - workload: stencil
    cells: [4, 4]
YAML
vef 0 generate file.yaml --set tasks=6 -o file.vef
prints '^file.vef: 6 tasks, '

# ---- what is refused ----

refused() {
    vef 2 generate "$2" -o bad.vef
    says "$1"
    [ ! -e bad.vef ] || fail "$1: left a trace"
}
refused "workload:1:[0-9]*: unknown workload 'stensil': did you mean stencil" '{workload: stensil, tasks: 4}'
refused "missing key 'workload'" '{tasks: 4}'
refused 'grid of 20 tasks: expected the 16 of the workload' '{workload: stencil, tasks: 16, cells: [4, 4], grid: [4, 5]}'
refused 'grid of [0-9]* tasks: expected' '{workload: stencil, tasks: 16, cells: [4, 4, 4], grid: [16777216, 16777216, 16777216]}'
refused 'grid: expected 2 dimensions, not 3' '{workload: sweep, tasks: 8, grid: [2, 2, 2]}'
refused 'cells: expected two or three dimensions, not 1' '{workload: stencil, tasks: 16, cells: [4]}'
refused 'root 4: expected a task below 4' '{workload: collective, operation: reduce, tasks: 4, root: 4}'
refused '33 bytes: expected a multiple of the element of 8 bytes' '{workload: collective, operation: scan, tasks: 4, bytes: 33 B}'
refused '12 tasks: expected a multiple of tensor x pipeline, 8' '{workload: training, tasks: 12, layers: 4, hidden: 8, tensor: 2, pipeline: 4}'
refused '6 layers: expected a multiple of the 4 stages' '{workload: training, tasks: 12, layers: 6, hidden: 8, pipeline: 4}'
refused 'one task: expected two' '{workload: exchange, tasks: 1}'
refused '20000 tasks: expected at most 16384' '{workload: bucket-sort, tasks: 20000, keys: 5}'
refused 'layers: expected a whole number from 1' '{workload: training, tasks: 4, layers: 0, hidden: 8}'
refused 'points: expected multiples of the 2 rows' '{workload: transpose, tasks: 8, points: [25, 48, 24], grid: [2, 4]}'
refused 'points: expected multiples of the 8 tasks' '{workload: transpose, tasks: 8, points: [25, 48, 24], layout: slab}'
refused "unknown key 'blockz': did you mean blocks" '{workload: sweep, tasks: 4, blockz: 3}'
refused 'tasks: expected a whole number from 1' '{workload: sweep, tasks: 0}'
refused 'blocks: expected a whole number from 1' '{workload: sweep, tasks: 4, blocks: 0}'
refused 'steps: expected a list of steps' '{tasks: 4, steps: []}'
refused 'a step: expected a mapping' '{tasks: 4, steps: [sweep]}'
refused "unknown key 'tasks'" '{tasks: 4, steps: [{workload: sweep, tasks: 4}]}'
vef 2 generate none.yaml -o bad.vef
says 'none.yaml'
vef 2 generate file.yaml -o file.vef
says 'file.vef exists'

[ $failures -eq 0 ]
