#!/bin/sh
# Variants of vef as plug-ins: their own source files, compiled unchanged with the installed headers, have the results of the
# built-in ones, bit for bit: topologies, routings on any graph, that choose at their source, and that weigh at each hop; patterns;
# mappings.
set -u
. tests/command.sh

# again FILE ROW LIST TYPE: the plug-in ROW.so.
again() {
    cc -std=c17 -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC -fvisibility=hidden -I"$build/plugin" \
        -DSOURCE="\"$here/$1\"" -DROW="$2_here" -D"$2=$2_here" -DLIST="$3" -DTYPE="$4" "$here/tests/plugins/again.c" -o "$2.so" >out 2>&1 ||
        fail "compiling $1"
}
# equal ARGUMENTS...: the same documents of the built-in variant and of the plug-in. In an argument NET stands for the key
# `plugins`, and @ behind a name for "-again", or both for nothing.
equal() {
    : >built
    : >added
    for argument; do
        echo "$argument" | sed 's/NET//; s/@//g' >>built
        echo "$argument" | sed "s/NET/$plugins/; s/@/-again/g" >>added
    done
    for list in built added; do
        tr '\n' '\0' <$list | xargs -0 "$vef" >out 2>err || { cat err >>out; fail "$*"; }
        sed -e 's/-again//g' -e '/"plugins"/d' -e '/^  "network": "{/d' -e '/packet_hops_per_second/d' -e '/memory_bytes/d' out >$list.json
    done
    [ "$(wc -l <built.json)" -gt 20 ] || fail "$*: few lines"
    diff built.json added.json >out || fail "$*"
}

again netmodel/topology/cube_connected_cycles.c vef_topology_cube_connected_cycles topologies vef_topology_family
again netmodel/routing/graph/minimal_adaptive.c vef_routing_minimal_adaptive routings vef_routing_algorithm
again netmodel/routing/two_phase/ugal.c vef_routing_ugal_l routings vef_routing_algorithm
again netmodel/routing/dragonfly/par.c vef_routing_par routings vef_routing_algorithm
again netmodel/routing/hyperx/omniwar.c vef_routing_omniwar routings vef_routing_algorithm
again netmodel/traffic/patterns/hot_region.c vef_pattern_hot_region patterns vef_pattern_kind
again mappings/optimisers/greedy.c vef_mapping_greedy mappings vef_mapping_family
again mappings/grids/transpose.c vef_mapping_transpose mappings vef_mapping_family
VEF_PLUGINS=$(echo *.so | sed 's/ /:/g')
export VEF_PLUGINS
plugins="plugins: [$(echo *.so | sed 's/ /, /g')],"

"$vef" generate '{workload: stencil, points: 5, tasks: 24, block: [64, 64], iterations: 4, compute: 5 us}' -o stencil.vef >out 2>&1 || fail "generate"
equal topology '{NET topology: {family: cube-connected-cycles@, dimensions: 4}}' --json
equal load '{NET topology: {family: cube-connected-cycles@, dimensions: 3}}' --rate 0.2 --max-cycles 8192 --json
equal load '{NET topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: minimal-adaptive@}}' --rate 0.5 --max-cycles 8192 --json
equal load '{NET topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: ugal-l@, detours: 2}}' --pattern group-shift --rate 0.3 --max-cycles 8192 --json
equal load '{NET topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: par@}}' --pattern group-shift --rate 0.3 --max-cycles 8192 --json --threads 2
equal load '{NET topology: {family: hyperx, sizes: [4, 4]}, routing: {algorithm: omniwar@}}' --rate 0.6 --max-cycles 8192 --json
equal load '{NET topology: {family: torus, sizes: [4, 4]}}' --pattern 'hot-region@' --rate 0.2 --max-cycles 8192 --json
equal replay stencil.vef --net '{NET topology: {family: cube-connected-cycles@, dimensions: 3}}' --map 'greedy@' --json
equal replay stencil.vef --net '{NET topology: {family: torus, sizes: [6, 4]}}' --grid 4x6 --map 'transpose@' --json
# Proven, too, though without what the variants claim of themselves.
for net in 'topology: {family: dragonfly, a: 2, h: 1}, routing: {algorithm: ugal-l-again}' 'topology: {family: dragonfly, a: 2, h: 1}, routing: {algorithm: par-again}' \
    'topology: {family: hyperx, sizes: [3, 3]}, routing: {algorithm: omniwar-again}' \
    'topology: {family: cube-connected-cycles-again, dimensions: 3}, routing: {algorithm: minimal-adaptive-again}'; do
    vef 0 verify "{$plugins $net}"
    prints 'free of deadlock'
done
[ $failures -eq 0 ]
