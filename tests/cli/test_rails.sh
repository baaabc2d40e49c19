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
[ $failures -eq 0 ]
