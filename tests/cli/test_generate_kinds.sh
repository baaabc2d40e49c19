#!/bin/sh
# `vef generate`: messages, bytes, calls and times of each kind of workload against closed forms.
. tests/command.sh
set -u
. "$here/tests/cli/generate.sh"

# ---- collective ----
generated '{tasks: 12, workload: collective, call: Allreduce, bytes: 1 KiB, element: 4 B, iterations: 3, compute: 2.5 us}'
count 36 '^Allreduce bytes=1024 elements=256 gap=2500$'
calls $((12 * (2 + 3))) # Init, Finalize
takes 7500
generated '{tasks: 12, workload: collective, call: Gatherv, bytes: 10 B, root: 2, group: 4}'
count 12 '^Comm_split new=[123]$'
count 9 '^Gatherv comm=[123] root=2 bytes=10$'
count 3 '^Gatherv comm=[123] root=2 bytes=10 receives=10[*]4$'
count 1 '^comm 2 parent=0 by=Comm_split members=4-7$'

# Communicators made by their members alone. In groups of 16 an allreduce of 65 words takes 2 log2 16 messages of a member
# (reduce-scatter and allgather), a broadcast 15 in all, and a barrier log2 16 of a member: as many for each task however
# many tasks there are. A split of the world takes an allgather and the allreduce among all N tasks, of log2 N messages of
# a task each (recursive doubling; the allreduce of 16 tasks as above).
again '{tasks: 8, communicators: create-group, workload: collective, group: 4}'
count 8 '^Comm_create_group new=[12]$'
count 1 '^comm 2 parent=0 by=Comm_create_group members=4-7$'
bits=4
while [ $bits -le 12 ]; do
    tasks=$((1 << bits)) groups=$((1 << (bits - 4)))
    for made_by in create-group split; do
        generated "{tasks: $tasks, communicators: $made_by, workload: collective, call: Barrier, group: 16}"
        agree=8
        [ $made_by = split ] && [ $bits -gt 4 ] && agree=$bits
        expected=$((tasks * (agree + 4) + 15 * groups))
        [ $made_by = split ] && expected=$((expected + tasks * bits))
        vef 0 replay w.vef --net "$ideal" --set mpi.eager_threshold=1TB --json
        prints "\"messages\": $expected,"
    done
    bits=$((bits + 4))
done
refused '{tasks: 4, communicators: dup, workload: ring}' "unknown communicators 'dup': expected one of split, create-group"
generated '{tasks: 5, workload: collective, call: Reduce_scatter, bytes: 16 B}'
count 5 '^Reduce_scatter bytes=16 elements=10 receives=16[*]5$'
generated '{tasks: 1, workload: collective, call: Barrier}'
count 1 '^Barrier$'
for call in Bcast Reduce Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce_scatter_block Scan Exscan; do
    generated "{tasks: 7, workload: collective, call: $call, bytes: 24 B}"
    count 7 "^$call"
    takes 0
done
refused '{tasks: 4, workload: collective, call: Allreduc}' "unknown collective 'Allreduc': did you mean Allreduce?"
refused '{tasks: 4, workload: collective, call: Broadcast}' 'did you mean Bcast?'
refused '{tasks: 4, workload: collective, call: Reduce, root: 4}' 'root 4: out of range: expected 0 to 3'
refused '{tasks: 4, workload: collective, group: 3}' 'groups of 3 do not divide the 4 tasks'
refused '{tasks: 4, workload: collective, bytes: 12 B}' '12 bytes are not whole elements of 8 bytes'
refused '{tasks: 20000, workload: collective, call: Alltoallv}' 'a count for each of 400000000 pairs'


# ---- stencil ----
# Periodic: every task has a message in each direction. 8 x 4 x 2 tasks of 10 x 20 x 30 cells.
generated '{tasks: 64, workload: stencil, points: 7, grid: [8, 4, 2], block: [10, 20, 30], iterations: 2, compute: 3 us}'
messages $((2 * 64 * 6)) $((2 * 64 * 2 * 8 * (20 * 30 + 10 * 30 + 10 * 20)))
calls $((64 * (2 + 2 * (6 + 6 + 1))))
takes 6000
generated '{tasks: 64, workload: stencil, points: 27, grid: [8, 4, 2], block: [10, 20, 30], bytes_per_cell: 1 B, halo: 2}'
messages $((64 * 26)) $((64 * (2 * 2 * (600 + 300 + 200) + 4 * 4 * (10 + 20 + 30) + 8 * 8)))
count $((64 * 8)) 'Isend to=[0-9]+ bytes=8 '
count $((64 * 4)) 'Isend to=[0-9]+ bytes=120 '
# Not periodic: the neighbours that lie inside, by the product of the sides less the offset.
generated '{tasks: 64, workload: stencil, points: 7, grid: [8, 4, 2], message: 5 B, periodic: false}'
messages $((2 * (7 * 4 * 2 + 8 * 3 * 2 + 8 * 4 * 1))) $((5 * 2 * (7 * 4 * 2 + 8 * 3 * 2 + 8 * 4 * 1)))
generated '{tasks: 12, workload: stencil, points: 9, grid: [4, 3], block: [10, 20], periodic: false}'
messages $((2 * (3 * 3 + 4 * 2) + 4 * 3 * 2)) $((8 * (2 * (3 * 3 * 20 + 4 * 2 * 10) + 4 * 3 * 2)))
generated '{tasks: 12, workload: stencil, points: 5, grid: [4, 3], block: [10, 20]}'
messages $((4 * 12)) $((12 * 8 * (2 * 10 + 2 * 20)))
# Task 5 of 4 x 3 is at (1, 1).
[ "$(sed -n '/^task 5/,/^end/s/^Isend to=\([0-9]*\).*/\1/p' dump | sort -n | tr '\n' ' ')" = '1 4 6 9 ' ] || fail 'the neighbours of (1, 1)'
# A single task along an axis has no neighbours there; the most cubic grid; a single task has none at all.
generated '{tasks: 7, workload: stencil, points: 9, message: 1 KiB}'
messages 14 $((14 * 1024))
generated '{tasks: 1000, workload: stencil, points: 7, message: 1 B, periodic: false}'
messages $((6 * 9 * 100)) 5400
generated '{tasks: 24, workload: stencil, points: 7, message: 1 B, periodic: false}' # 4 x 3 x 2
messages $((2 * (3 * 6 + 2 * 8 + 12))) 92
generated '{tasks: 1, workload: stencil, points: 27, message: 1 B, compute: 1 us}'
messages 0 0
takes 1000
# With overlap, the computation lies between Isend and Waitall.
generated '{tasks: 3, workload: stencil, points: 5, message: 1 B, compute: 1 us, overlap: true}'
count 3 '^Waitall .*gap=1000$'
refused '{tasks: 64, workload: stencil, grid: [8, 4, 3], message: 1 B}' 'a place for each of the 64 tasks: expected sides of that product, such as \[4, 4, 4\]'
refused '{tasks: 64, workload: stencil, points: 5, grid: [4, 4, 4], message: 1 B}' 'grid has 3 numbers: expected 2'
refused '{tasks: 64, workload: stencil, grid: [-8, -4, 2], message: 1 B}' 'grid'
refused '{tasks: 64, workload: stencil, grid: [4294967295, 4294967295, 4294967295], message: 1 B}' 'a place for each'
refused '{tasks: 64, workload: stencil, points: 13, message: 1 B}' 'expected 5 or 9'
refused '{tasks: 64, workload: stencil}' 'missing key block'
refused '{tasks: 64, workload: stencil, block: [4, 4]}' 'block has 2 numbers: expected 3'
refused '{tasks: 64, workload: stencil, block: [4, 4, 1], halo: 2}' 'has no halo of 2'
refused '{tasks: 64, workload: stencil, block: [1000000000, 1000000000, 1000000000]}' 'more than 1 TiB'
# Imbalance: everybody waits for the slowest neighbour, and in the end for the slowest task.
generated '{tasks: 27, workload: stencil, message: 8 B, iterations: 50, compute: {time: 10 us, imbalance: 0.5, seed: 3}}'
slowest=$(awk -F'gap=' '/^task/ { sum = 0 } /gap=/ { sum += $2; if (sum > most) most = sum } END { print most }' dump)
vef 0 replay w.vef --net "$ideal" --json
prints "\"time_ns\": $slowest,"

# ---- ring ----
generated '{tasks: 5, workload: ring, bytes: 10 B, neighbours: 2, both: true, iterations: 3}'
messages $((3 * 5 * 4)) $((3 * 5 * 4 * 10))
calls $((5 * (2 + 3 * (4 + 4 + 1))))
count 15 'Isend to=[0-9]+ bytes=10 tag=4'
generated '{tasks: 2, workload: ring, both: true}'
messages 4 $((4 * 8192))
refused '{tasks: 1, workload: ring}' 'a ring of 1 tasks has no 1 neighbours'
refused '{tasks: 4, workload: ring, neighbours: 4}' 'expected more tasks'

# ---- random ----
generated '{tasks: 50, workload: random, messages: 40, bytes: 3 B, iterations: 2}'
messages $((2 * 50 * 40)) $((3 * 2 * 50 * 40))
calls $((50 * 2 + 2 * 50 * (40 + 40 + 1)))
# Uniform: of 2000 draws each of 49 receivers gets 40 on average, with a standard deviation of 6.3.
awk '/^task/ { me = $2 } /^Isend/ { sub(/to=/, "", $2); own += me == $2; if (!seen[$2]++) kinds++ }
    END { for (t in seen) bad += seen[t] < 2 * 8 || seen[t] > 2 * 72; exit own > 0 || bad > 0 || kinds < 50 }' dump || fail "$ran: not uniform"
generated '{tasks: 50, workload: random, pattern: permutation, messages: 4, bytes: 3 B}'
messages 200 600
awk '/^task/ { me = $2; n = 0 } /^Isend/ { sub(/to=/, "", $2); own += me == $2; seen[n++, $2]++ }
    END { for (m = 0; m < 4; m++) for (t = 0; t < 50; t++) bad += seen[m, t] != 1; exit own > 0 || bad > 0 }' dump || fail "$ran: no permutations"
takes 0
refused '{tasks: 1, workload: random}' 'nobody to send to'
refused '{tasks: 65536, workload: random, messages: 65536}' 'expected at most 268435456'

# ---- sweep ----
# An octant passes 5 + 3 - 2 tasks before the last begins its 6 blocks.
generated '{tasks: 15, workload: sweep, grid: [5, 3], block: [7, 8, 6], octants: 1, z_blocks: 3, angle_blocks: 2, compute: 10 us}'
takes $(((5 + 3 - 2 + 6) * 10000))
messages $((6 * (4 * 3 + 5 * 2))) $((6 * (4 * 3 * 8 + 5 * 2 * 7) * 2 * 3 * 8))
calls $((15 * 2 + 2 * 6 * (4 * 3 + 5 * 2)))
generated '{tasks: 15, workload: sweep, grid: [5, 3], message: 9 B, compute: 1 us}'
messages $((8 * (4 * 3 + 5 * 2))) $((9 * 8 * (4 * 3 + 5 * 2)))
count $((8 * 15)) 'gap=1000'
# Two octants of one corner follow each other without a gap.
generated '{tasks: 15, workload: sweep, grid: [5, 3], message: 9 B, octants: 2, compute: 1 us}'
takes $(((5 + 3 - 2 + 2) * 1000))
# Messages beyond the eager threshold do not lead to a deadlock.
generated '{tasks: 16, workload: sweep, message: 10 MB, iterations: 2}'
vef 0 replay w.vef --net "$ideal" --set mpi.eager_threshold=1KiB --json
prints '"stalled": null'
generated '{tasks: 1, workload: sweep, message: 1 B, compute: 1 us}'
takes 8000
refused '{tasks: 4, workload: sweep, block: [4, 4, 4], z_blocks: 3}' '3 blocks do not divide 4 planes'
refused '{tasks: 4, workload: sweep, block: [4, 4, 4], angle_blocks: 4}' '4 blocks do not divide 6 angles'
refused '{tasks: 4, workload: sweep}' 'missing key block'
refused '{tasks: 4, workload: sweep, octants: 9, message: 1 B}' 'octants'

# ---- transpose ----
# Rows of 4 tasks, columns of 3: from task to task (16 / 4) (24 / 4) (36 / 3) points, then (16 / 4) (24 / 3) (36 / 3).
generated '{tasks: 12, workload: transpose, grid: [4, 3], points: [16, 24, 36], compute: 1 us, iterations: 2}'
count 24 "^Alltoall comm=[123] bytes=$((4 * 6 * 12 * 16)) gap"
count 24 "^Alltoall comm=[4567] bytes=$((4 * 8 * 12 * 16)) gap"
calls $((12 * (2 + 2 + 2 * 2))) # two Comm_split
count 1 '^comm 2 parent=0 by=Comm_split members=4-7$'
count 1 '^comm 5 parent=0 by=Comm_split members=1-9/4$'
takes 6000
# The data of a task, less what stays, leaves it in each transpose: 16 24 36 / 12 points.
generated '{tasks: 12, workload: transpose, grid: [4, 3], points: [16, 24, 36], inverse: true, compute: 1 us}'
count 48 '^Alltoall'
takes 6000
generated '{tasks: 12, workload: transpose, decomposition: slab, points: [5, 24, 36], bytes_per_point: 8 B, compute: 1 us}'
count 12 "^Alltoall bytes=$((5 * 2 * 3 * 8)) gap=1000$"
takes 2000
refused '{tasks: 12, workload: transpose, grid: [4, 3], points: [18, 24, 36]}' '18 points along x are not divisible by the 4 tasks'
refused '{tasks: 12, workload: transpose, grid: [4, 3], points: [16, 16, 36]}' '16 points along y are not divisible by the 3 tasks'
refused '{tasks: 12, workload: transpose, points: [16, 24]}' 'points has 2 numbers: expected 3'
refused '{tasks: 12, workload: transpose}' "key 'points' is missing"
refused '{tasks: 12, workload: transpose, decomposition: slab, grid: [4, 3], points: [12, 12, 12]}' 'slabs have no grid'
refused '{tasks: 4, workload: transpose, points: [0, 24, 36]}' 'points'
refused '{tasks: 1, workload: transpose, points: [1000000000, 1000000000, 1000000000]}' 'more than 1 TiB'

# ---- bucket-sort ----
# Without skew each of four tasks gets 250 of 1000 keys of 4 bytes; with skew 1 shares of 12, 6, 4 and 3 of 25.
generated '{tasks: 4, workload: bucket-sort, keys: 1000, compute: 1 us}'
count 4 '^Allreduce bytes=4096 elements=1024 gap=1000$'
count 4 '^Alltoall bytes=4$'
calls $((4 * (2 + 3)))
count 4 '^Alltoallv sends=1000[*]4 receives=1000[*]4$'
generated '{tasks: 4, workload: bucket-sort, keys: 1000, skew: 1, bytes_per_key: 1 B, buckets: 0, bytes_per_count: 8 B}'
count 0 '^Allreduce'
count 4 '^Alltoall bytes=8$'
count 4 '^Alltoallv sends=480,240,160,120 receives'
[ "$(sed -n 's/^Alltoallv.*receives=//p' dump | tr '\n' ' ')" = '480*4 240*4 160*4 120*4 ' ] || fail "$ran: what tasks receive"
generated '{tasks: 7, workload: bucket-sort, keys: 100003, skew: 1.7, bytes_per_key: 1 B}'
sed -n 's/^Alltoallv sends=\([0-9,]*\) .*/\1/p' dump | tr , '\n' | awk '{ sum += $1 } END { exit sum != 7 * 100003 }' || fail "$ran: not all keys"
generated '{tasks: 1, workload: bucket-sort, keys: 0}'
refused '{tasks: 4, workload: bucket-sort}' "key 'keys' is missing"
refused '{tasks: 4, workload: bucket-sort, keys: -1}' 'keys'
refused '{tasks: 4, workload: bucket-sort, keys: 10000000000000}' 'out of range'
refused '{tasks: 20000, workload: bucket-sort, keys: 1}' 'pairs of tasks'

# ---- frontier ----
# 4000 edges of a task in levels of 1/8, 5/8 and 2/8, to 5 tasks each.
generated '{tasks: 5, workload: frontier, edges: 4000, profile: [1, 5, 2], compute: 2 us}'
[ "$(sed -n '/^task 3/,/^end/p' dump | tr '\n' '|')" = 'task 3|Init|Alltoallv sends=800*5 receives=800*5 gap=2000|Allreduce bytes=8 elements=1|Alltoallv sends=4000*5 receives=4000*5 gap=2000|Allreduce bytes=8 elements=1|Alltoallv sends=1600*5 receives=1600*5 gap=2000|Allreduce bytes=8 elements=1|Finalize|end finalized|' ] ||
    fail "$ran: the levels of a task"
calls $((5 * (2 + 3 * 2)))
takes 6000
# With a spread each pair stays within it, and both sides agree (vef check compares them).
generated '{tasks: 9, workload: frontier, edges: 9000, profile: [1], bytes_per_edge: 1 B, spread: 0.5}'
sed -n 's/^Alltoallv sends=\([0-9,]*\) .*/\1/p' dump | tr , '\n' |
    awk '{ n++; bad += $1 < 500 || $1 > 1500; low += $1 < 750; high += $1 > 1250 } END { exit n != 81 || bad > 0 || low < 5 || high < 5 }' || fail "$ran: not within the spread"
refused '{tasks: 8192, workload: frontier, edges: 10, spread: 0.5}' 'expected at most 268435456 numbers in an iteration, or spread 0'
refused '{tasks: 4, workload: frontier, edges: 10, profile: []}' 'expected 1 to 10000 levels'
refused '{tasks: 4, workload: frontier, edges: 10, profile: [0, 0]}' 'expected a share that is not 0'
refused '{tasks: 4, workload: frontier, edges: 10, profile: [-1]}' 'profile'

# ---- more tasks ----
# `vef scale` extrapolates the calls of a trace, and knows nothing of workloads: both give the same for more tasks.
scaled() {
    vef 0 generate "$1" -o small.vef --force --tasks 16
    vef 0 generate "$1" -o large.vef --force --tasks 64
    vef 0 scale small.vef --tasks 64 -o scaled.vef --force --check large.vef
    prints 'large.vef: equal to the extrapolation'
}
scaled '{workload: stencil, points: 5, block: [8, 8], iterations: 5, compute: 10 us, periodic: false}'
scaled '{workload: sweep, message: 800 B, iterations: 3, compute: 10 us}'
scaled '{workload: ring, both: true, iterations: 3, compute: 10 us}'

[ $failures -eq 0 ]
