#!/bin/sh
# `vef topology` from the outside: figures that papers print, its forms of output, and what it refuses.
set -u
. tests/command.sh

# has KEY VALUE: the last run printed this member, in JSON.
has() { grep -qE "^ *\"$1\": $2,?\$" out || fail "$ran: no \"$1\": $2"; }
# near KEY VALUE: the member differs from VALUE by less than 1e-9 of it.
near() {
    sed -n "s/^ *\"$1\": \([-0-9.e]*\),\{0,1\}\$/\1/p" out |
        awk -v wanted="$2" '{ d = $1 - wanted; if (d < 0) d = -d; ok = d <= 1e-9 * wanted } END { exit !ok }' ||
        fail "$ran: \"$1\" is not $2"
}
# sound: the last run printed JSON, as far as brackets, commas and quotes go.
sound() {
    awk '
        { text = text $0 "\n" }
        END {
            gsub(/\\./, "", text); gsub(/"[^"]*"/, "s", text); gsub(/[ \n]/, "", text)
            gsub(/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|true|false|null/, "s", text)
            do {
                before = text
                gsub(/\{(s:[sv](,s:[sv])*)?\}/, "v", text); gsub(/\[([sv](,[sv])*)?\]/, "v", text)
            } while (text != before)
            exit text != "v"
        }' out || fail "$ran: what it prints is not JSON"
}

# Camara et al., TPDS 2010: RT(16) and RTT(16), 32x16 routers.
cat >rtt.yaml <<'END'
topology:
  family: rtt
  a: 16
routing: {algorithm: of somebody else}
END
vef 0 topology rtt.yaml --json
sound
has family '"rtt"'
grep -q '"a": 16' out || fail 'the parameters'
has routers 512
has endpoints 512
has degree_min 4
has degree_max 4
has links 1024
has diameter 16
has average_distance 10.65625
has axis_bisection_links 64
has network_cost 64
near link_utilization 1
near throughput_bound 0.375366568914956
grep -q '"distribution": \[1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 31\]' out ||
    fail 'the distribution of RTT(16): 1, 4d, 2a - 1'
vef 0 topology rtt.yaml --set topology.family=rt --json
has diameter 24
has average_distance 12
has axis_bisection_links 32
near link_utilization 0.75
near throughput_bound 0.25
vef 0 topology rtt.yaml --set endpoints_per_router=2 --json
has endpoints 1024
near throughput_bound 0.187683284457478
vef 0 topology '{topology: {family: torus, sizes: [8, 8, 8]}, endpoints_per_router: 4}' --json
has endpoints 2048
has average_distance 6
has axis_bisection_links 128
vef 0 topology '{family: mesh, sizes: [4, 4]}' --json
has axis_bisection_links 4
has degree_min 2
has average_distance 2.5
has vertex_symmetric '"no"'
has edge_symmetric '"no"'

# For people, the same figures with more digits than the papers print.
vef 0 topology '{family: rtt, a: 16}'
for line in '^{family: rtt, a: 16}$' 'routers  *512  32x16' 'diameter  *16' 'average  *10.65625' \
    'link utilization  *1.00000' 'throughput bound  *0.37537' 'axis bisection  *64' 'edge-symmetric  *yes'; do
    prints "$line"
done
vef 0 topology '{family: mesh, sizes: [4, 4]}'
prints 'least degree  *2'
prints 'edge-symmetric  *no'

# As rows.
vef 0 topology rtt.yaml --csv
[ "$(wc -l <out)" -eq 2 ] || fail 'CSV of other than two lines'
prints '^family,parameters,routers,endpoints,degree_min,degree_max,links,'
prints '^rtt,"{family: rtt, a: 16}",512,512,4,4,1024,'
vef 0 topology '{family: rtt, a: 4}' --distances --csv
[ "$(tr '\n' ' ' <out)" = "distance,routers,share,cumulated 0,1.00000,0.031250,0.031250 1,4.00000,0.125000,0.156250 \
2,8.00000,0.250000,0.406250 3,12.00000,0.375000,0.781250 4,7.00000,0.218750,1.000000 " ] || fail 'the distances of RTT(4)'
vef 0 topology '{family: rtt, a: 4}' --distances
prints 'distance  *routers'

# Each figure is explained.
vef 0 list topology
sed -n '/^Figures/,/^$/s/^  \([a-z_]*\) .*/\1/p' out >keys
[ -s keys ] || fail 'no figures are listed'
while read -r key; do
    grep -q "\`$key\`" "$here/docs/topology.md" || fail "docs/topology.md does not say what $key is"
done <keys

# Between two routers of the rectangular torus 8x4: (4, 2) is opposite to (0, 0), C(6, 2) paths by each of
# the four ways around.
for pair in 0,0:4,2 '(0, 0) (4, 2)' 0:20 0,20 '0 20'; do
    vef 0 topology '{family: rt, a: 4}' --between "$pair"
    prints 'router 20 (4, 2)'
    prints 'distance  *6'
    prints 'minimal paths  *60'
    prints 'routing records  *4'
    prints '^ *4 x+, 2 y-$'
done
vef 0 topology '{family: rt, a: 4}' --between 0:3 --json
sound
has distance 3
has minimal_paths 1
has 'x[+]' 3
vef 0 topology '{family: rt, a: 4}' --between 5:5
prints '^ *stay$'

# Every family there is, by the example that is listed with it.
ln -s "$here/examples" examples
"$vef" list networks | sed -n 's/^  example: //p' >examples-listed
[ "$(wc -l <examples-listed)" -eq "$("$vef" list networks | grep -c '^topology: family:')" ] ||
    fail 'not every family is listed with an example'
while read -r example; do
    for form in --csv --distances --sharing=paths --dot; do
        vef 0 topology "$example" "$form"
        [ -s out ] || fail "$ran prints nothing"
    done
    vef 0 topology "$example" --json
    sound
    has family "\"$(echo "$example" | sed 's/^{family: \([^,}]*\).*/\1/')\""
done <examples-listed

# Numbers of routers that the parameters say.
printf '0 1\n1 2\n2 0\n2 3\n' >links.txt
while read -r routers network; do
    vef 0 topology "{family: $network}" --no-loads --json
    has routers "$routers"
done <<'END'
12 torus, sizes: [4, 3]
12 mesh, sizes: [4, 3]
32 rt, a: 4
32 rtt, a: 4
16 pt, a: 2
16 ptt, a: 2
16 pdtt, a: 2
16 diagonal-mesh, sizes: [4, 4]
25 diagonal-torus, sizes: [5, 5]
16 king-mesh, sizes: [4, 4]
25 king-torus, sizes: [5, 5]
32 hypercube, dimensions: 5
24 lattice, sizes: [6, 4], shifts: [[], [3]]
144 ibt, sizes: [12, 12], bypass_dimensions: 2, lengths: [4]
128 twin-torus, sizes: [4, 4, 4]
24 cube-connected-cycles, dimensions: 3
27 de-bruijn, symbols: 3, length: 3
32 barrel-shifter, bits: 5
7 complete, routers: 7
48 kary-ntree, k: 4, n: 3
4 edges, file: links.txt
END

# Pictures.
vef 0 topology '{family: rtt, a: 4}' --layout trellis
prints 'sqrt(5)'
vef 0 topology '{family: rtt, a: 4}' --layout trellis --dot
prints '^graph '
[ "$(grep -c -- ' -- ' out)" -eq 64 ] || fail 'the 64 links of RTT(4) for Graphviz'

# What cannot be what was meant.
echo 'model: ideal' >ideal.yaml
vef 2 topology ideal.yaml && says 'ideal has no topology'
vef 2 topology none.yaml && says none.yaml
vef 2 topology && says 'an operand is missing'
vef 2 topology '{family: rtt}' && says "'a'"
vef 2 topology '{family: tt, a: 4}' && says 'rtt'
vef 2 topology '{family: rtt, a: 4' && says 'operand:'
vef 2 topology '{family: rtt, a: 1}' && says 'from 2'
printf 'topology: {family: rtt, a: 4}\nrouters: 8\n' >key.yaml
vef 2 topology key.yaml && says "key.yaml:2:1"
printf 'link: {bandwidth: 1 Gbit/s}\n' >empty.yaml
vef 2 topology empty.yaml && says 'the key topology is missing'
vef 2 topology rtt.yaml --json --csv && says 'not both'
vef 2 topology rtt.yaml --between 0:1 --dot && says "not both"
vef 2 topology rtt.yaml --dot --csv && says "not as CSV"
vef 2 topology rtt.yaml --svg a.svg && says "goes with --layout"
vef 2 topology rtt.yaml --layout trefoil && says trellis
vef 2 topology rtt.yaml --sharing nobody && says 'paths'
vef 2 topology rtt.yaml --no-loads --sharing paths && says 'leaves out'
vef 2 topology rtt.yaml --between 0:512 && says '0 to 511'
vef 2 topology rtt.yaml --between 0,16:1,1 && says 'coordinate 1 is 16; 0 to 15'
vef 2 topology rtt.yaml --between 1,2,3:4,5 && says '3 coordinates'
for pair in '' 5 5: :5 a:b 1:2:3 '(1, 2' 1,2,3; do
    vef 2 topology rtt.yaml --between "$pair" && says 'two routers are wanted'
done
[ $failures -eq 0 ]
