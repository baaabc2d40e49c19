#!/bin/sh
# Rails from the outside: traffic within a rail crosses one switch, other traffic three, in synthetic loads and in a program
# whose nodes have an interface on each rail.
set -u
. tests/command.sh

tree='topology: {family: xgft, m: [4, 4], w: [1, 4]}, rails: 4'
for row in '1 2' '3 2' '4 0' '8 0'; do
    set -- $row
    vef 0 load "{$tree, routing: {algorithm: d-mod-k}}" --rate 0.5 --max-cycles 6000 --pattern "{pattern: shift, by: $1}" --json
    grep -q "\"average_hops\": $2," out || fail "shift by $1: expected $2 hops"
done
vef 0 verify "{$tree}"
prints '^free of deadlock'

# Four nodes of four tasks, each task with an interface of its own: in a grid of 4 x 4 tasks half of the messages stay in a node, and the
# others go to the same interface of the next node. Without rails these cross a spine.
vef 0 generate '{tasks: 16, workload: stencil, grid: [4, 4], points: 5, message: 64 KiB}' -o stencil.vef
for row in '4 0' '1 2'; do
    set -- $row
    vef 0 replay stencil.vef --net "{$tree, host: {nics: 4, cores: 4}}" --set rails=$1 --json
    grep -q "\"average_hops\": $2," out || fail "$1 rails: expected $2 hops"
done

# Four nodes of four accelerators on a switch: of the 15 messages of a broadcast over a tree of nodes 3 leave a node, to the
# accelerator of the same number, in 2 hops. By the root alone 12 do: to its own rail in 2 hops, from rail to rail in 4, or with
# forwarding inside the node of the root in 2. The default knows the nodes, too.
nodes='topology: {family: nodes, accelerators: 4, rails: 4, of: {family: xgft, m: [4, 4], w: [1, 4]}}, routing: {algorithm: planes}'
vef 0 generate '{tasks: 16, workload: collective, call: Bcast, bytes: 8 B}' -o bcast.vef
for row in 'two-level own 0.4' 'auto own 0.4' 'linear own 2.8' 'linear source 1.6' 'linear destination 1.6'; do
    set -- $row
    vef 0 replay bcast.vef --net "{$nodes}" --set routing.nic=$2 --set mpi.bcast=$1 --json
    awk -v hops="$3" -F'[:,]' '/"average_hops"/ { ok = $2 - hops < 1e-9 && hops - $2 < 1e-9 } END { exit !ok }' out ||
        fail "Bcast $1, interfaces $2: expected $3 hops: $(grep average_hops out)"
done
[ $failures -eq 0 ]
