#!/bin/sh
# `vef topology --routes`, `routing: {ties: alternate}`, and the static routes that bench/cluster/build.sh makes of both.
set -u
. tests/command.sh

routes() { # NETWORK
    vef 0 topology "$1" --routes --csv
    cp out routes.csv
}
# loads COUNT LOAD: so many links (in one direction) carry the paths of exactly so many pairs.
loads() {
    awk -F, -v count="$1" -v load="$2" 'NR > 1 && $5 != "" { n[$4 "," $5]++ }
        END { for (l in n) c += n[l] == load; exit c != count }' routes.csv ||
        fail "$ran: expected $1 links with $2 pairs each"
}

torus='{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: dor, ties: alternate}, link: {bandwidth: 10 Mbit/s}}'
routes "$torus"
# 16 x 15 pairs; x first, then y, no more than two hops along either; 16 x 16 x 2 hops on average, evenly on 64 links.
[ "$(awk -F, '$5 == "" && NR > 1' routes.csv | wc -l)" = 240 ] || fail 'a pair is missing'
awk -F, 'NR == 1 { next }
    $3 == 0 { turned = x = y = 0 }
    $5 == 0 || $5 == 1 { x++; wrong += turned }
    $5 == 2 || $5 == 3 { y++; turned = 1 }
    $5 == "" {
        dx = ($2 - $1 + 16) % 4; dy = (int($2 / 4) - int($1 / 4) + 4) % 4
        wrong += x != (dx > 2 ? 1 : dx) || y != (dy > 2 ? 1 : dy) || $4 != $2
    }
    $8 != "" && $8 != 10000000 { wrong++ }
    END { exit wrong > 0 }' routes.csv || fail 'a path is not dimension order'
loads 64 8
routes '{topology: {family: torus, sizes: [16]}, routing: {algorithm: dor, ties: alternate}}'
loads 32 32 # 16 x (1 + 1 + ... + 7 + 7 + 8) hops on 32 links
vef 0 verify "$torus"
prints '^free of deadlock'
vef 2 topology "$torus" --set routing.ties=drawn --routes
says 'routing dor has several routes from endpoint 0 to endpoint 2'
vef 2 topology '{topology: {family: xgft, m: [4, 4], w: [1, 2]}, routing: {algorithm: nca-adaptive}}' --routes
says 'several routes'
vef 2 topology "$torus" --set routing.algorithm=dimension --routes

# The plan of a cluster: followed by its routing tables and rules alone, from each endpoint to each other one, as vef says.
# follow FOLDER: a line for each hop of each pair: source destination router port.
follow() {
    awk '
        FILENAME ~ /links$/ {
            split($5, a, "-"); split($16, b, "-")
            if ($3 ~ /^p/) { peer[a[2], $3] = b[2]; peer[b[2], $14] = a[2] }
            next
        }
        { n = split(FILENAME, part, "."); ns = part[n] }
        ns ~ /^e/ && $1 == "address" && $5 == "eth0" { sub("/32", "", $3); host[substr(ns, 2)] = $3 }
        ns !~ /^r/ { next }
        $1 == "route" && $6 == "table" { table[ns, $7] = $5; next }
        $1 == "route" { sub("/32", "", $3); via[ns, $3] = $5 }
        $1 == "rule" { rule[ns, $4, $6] = $8 }
        END {
            for (ns_e in via)
                if (via[ns_e] ~ /^e/) { split(ns_e, x, SUBSEP); at[substr(via[ns_e], 2)] = x[1] }
            for (s = 0; s in host; s++)
                for (d = 0; d in host; d++) {
                    if (s == d) continue
                    for (ns = at[s]; hops < 99; hops++) {
                        dev = (ns, host[s], host[d]) in rule ? table[ns, rule[ns, host[s], host[d]]] : via[ns, host[d]]
                        if (dev !~ /^p/) break
                        print s, d, substr(ns, 2), substr(dev, 2)
                        ns = peer[ns, dev]
                    }
                    hops = 0
                    if (dev != "e" d) print s, d, "lost at", ns
                }
        }' "$1"/batch/links "$1"/batch/ip.*
}
# Destination-based, then with routes that depend on the source.
for network in "$torus" '{topology: {family: lattice, sizes: [4, 4], shifts: [[], [2]]}, routing: {algorithm: dor, ties: alternate}}' \
    '{topology: {family: xgft, m: [4, 4], w: [1, 2]}, routing: {algorithm: d-mod-k}}' \
    '{topology: {family: xgft, m: [4, 4], w: [1, 2]}, routing: {algorithm: s-mod-k}}' '{topology: {family: star, endpoints: 5}}'; do
    rm -rf plan
    sh "$here/bench/cluster/build.sh" --plan "$vef" test "$network" plan >out 2>err || fail "$network: no plan"
    follow plan >followed
    awk -F, 'NR > 1 && $5 != "" { print $1, $2, $4, $5 }' plan/routes.csv | cmp -s - followed || fail "$network: other paths"
    [ -s followed ] || [ "$network" = '{topology: {family: star, endpoints: 5}}' ] || fail "$network: nothing followed"
done
grep -q '^rule add from' plan/batch/ip.r0 && fail 'a star needs no rules'

# Only for root.
as_nobody=
[ "$(id -u)" != 0 ] || as_nobody='setpriv --reuid=65534 --clear-groups'
if $as_nobody sh -c : 2>/dev/null; then
    $as_nobody sh -s build run <"$here/bench/cluster/cluster.sh" >out 2>err
    [ $? = 2 ] || fail 'cluster.sh runs without root'
    says 'need root'
else
    skip 'cluster.sh without root: no setpriv'
fi
[ $failures -eq 0 ]
