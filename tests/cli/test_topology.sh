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

# What it costs: a fat tree of switches of 8 ports, 80 of them with 128 endpoints and as many cables on each of three
# levels, all of 2 m and 1 + 2 x 2 EUR; a switch costs 100 + 8 x 10, an interface 7.
cat >fat-tree.yaml <<'END'
topology: {family: xgft, m: [4, 4, 8], w: [1, 4, 4]}
link: {length: 2 m}
cost:
  currency: EUR
  bandwidth: 1 Gbit/s
  switch: {price: 100, port_price: 10, power_w: 20, port_power_w: 2}
  nic: {price: 7, power_w: 1}
  copper: {price: 1, price_per_metre: 2}
END
vef 0 topology fat-tree.yaml
prints '^cost$'
prints '^  switch ports  *640  '
prints '^  cables  *384  '
prints '^  length of all cables  *768.00  m$'
prints '^  price  *17216.00  EUR$'
prints '^  price per endpoint  *134.50  EUR$'
prints '^  power per endpoint  *23.50  W$'
prints '^  endpoint  *copper  *2  *128  *640.00  *0.00$'
vef 0 topology fat-tree.yaml --json
sound
has price 17216
has price_of_switches 14400
has price_of_nics 896
has currency '"EUR"'
has port_price 10
vef 0 topology fat-tree.yaml --set cost.nic.price=0 --csv
prints ',price,price_per_endpoint,power_w,power_per_endpoint_w,'
prints ',640,384,768,16320,127.5,3008,23.5,'
vef 0 topology '{family: torus, sizes: [4, 4]}'
prints '^cost, at default prices'
# The section is checked by all commands, and used by none that simulates.
vef 2 topology fat-tree.yaml --set cost.nic.prise=0
says 'did you mean price?'
vef 2 load fat-tree.yaml --set cost.switch.port=0 --rate 0.1
says 'cost.switch: unknown key .port.: did you mean .* or ports?'

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

# Axes are called as ports are; networks that are no grid are cut by the partitioner as well, where there is one.
while IFS='|' read -r axis network; do
    vef 0 topology "{family: $network}" --json
    has axis "\"$axis\""
done <<'END'
x|twin-torus, sizes: [4, 4, 4]
y|mesh, sizes: [4, 6]
d3|torus, sizes: [2, 2, 2, 4]
d0|hypercube, dimensions: 5
cube d0|cube-connected-cycles, dimensions: 3
first symbol|de-bruijn, symbols: 2, length: 6
END
vef 0 topology '{family: mesh, sizes: [4, 6]}'
prints "axis bisection *4  links, the fewest across an axis: y$"
prints "bisection *4  links, exact$"
vef 0 topology '{family: mesh, sizes: [4, 8]}'
grep -q "^  bisection" out && fail 'a large grid is cut by the partitioner though nobody asked'
# A king mesh of 5 by 4: the fewest links between halves are 11 (test_bisection.c compares with all cuts).
vef 0 topology '{family: king-mesh, sizes: [5, 4]}'
prints 'axis bisection *13  links, the fewest across an axis: y$'
prints 'unequal axis cut *10  links, the fewest across an axis: x (8 and 12 endpoints)$'
prints 'bisection *11  links, exact$'
prints 'effective bisection .*, of the bisection$'
# Of de Bruijn's words of 6 bits the half with bit 0 first has 63 links to the others, and any order may do better;
# the smaller cut is the one that the effective bisection is of.
vef 0 topology '{family: de-bruijn, symbols: 2, length: 6}'
prints 'axis bisection  *63  links'
if grep -q "^  bisection  *none" out; then
    prints "^  bisection  *none  .*Scotch"
else
    prints "^  bisection  *[1-5][0-9]  links, an upper bound by Scotch"
    prints "effective bisection .*, of the bisection$"
fi

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
16384 rdt, size: 128
256 srt, bits: 4
32 hybrid-fat-tree, levels: 5
4 edges, file: links.txt
END

# Pictures.
vef 0 topology '{family: rtt, a: 4}' --layout trellis
prints 'sqrt(5)'
vef 0 topology '{family: rtt, a: 4}' --layout trellis --dot
prints '^graph '
[ "$(grep -c -- ' -- ' out)" -eq 64 ] || fail 'the 64 links of RTT(4) for Graphviz'

# Times, sizes and lengths in cycles, of 64 B / 25 GB/s = 2.56 ns. Folded rings of 16 have 2 links of one place and 14 of
# two, in each of 16 rows and columns: 1.6 m and 2.2 m along x, 2.8 m and 4.6 m along y. Delays are 10 ns, 4 cycles, and 5
# ns/m: 8, 11 and 14 ns are 4, 5 and 6 cycles; on the longer cable 110 ns, 43 cycles, and 23 ns, 9 cycles.
cat >cables.yaml <<'END'
topology: {family: torus, sizes: [16, 16]}
router: {delay: 200 ns}
packet: {mtu: 4 KiB, header: 30 B}
link:
  bandwidth: 200 Gbit/s
  delay: 10 ns
  layout: {name: folded, pitch: 0.6 m, row_pitch: 1.8 m, slack: 1 m}
  cables: [{up_to: 3 m}, {delay: 110 ns, bandwidth: 100 Gbit/s}]
END
vef 0 topology cables.yaml --resolved --csv
tr -d '"' <out >rows
cat >expected <<'END'
class,cable,links,bandwidth,length,delay_cycles,credit_delay_cycles,cycles_per_phit,queue_phits,round_trip_phits
x,up to 3 m,256,200 Gbit/s,1.6 m to 2.2 m,8 to 9,4 to 5,1,325,156 to 158
y,up to 3 m,32,200 Gbit/s,2.8 m,10,6,1,325,160
y,longer,224,100 Gbit/s,4.6 m,52,9,2,325,136
END
cmp -s rows expected || fail 'the links of cables.yaml'
vef 0 topology cables.yaml --resolved
prints '^cycle  *2.56 ns, 390.625 MHz$'
prints '^phit  *64 B$'
prints '^packet  *65 phits: payload 4 KiB, header 30 B$'
prints '^router delay  *79 cycles, 202.24 ns$'
vef 0 topology cables.yaml --resolved --set router.queue_packets=2
prints '^warning: router.queue_packets'
vef 0 topology cables.yaml --resolved --json
sound
has phit_bytes 64
has payload_bytes 4096
has header_bytes 30
prints '"cable": "longer"'
prints '"delay_per_metre": "5 ns"'
# Router 0 had two links along x, of 1.6 m and 2.2 m, and along y one of 2.8 m and one of 4.6 m.
vef 0 topology cables.yaml --resolved --set 'failures.routers=[0]' --csv
[ "$(sed 1d out | tr -d '"' | cut -d, -f1-3 | tr '\n' ' ')" = 'x,up to 3 m,254 y,up to 3 m,31 y,longer,223 ' ] ||
    fail "links that are left: $(cat out)"
vef 0 topology cables.yaml --resolved --set 'failures.routers=[0]'
prints '^down  *1 of 256 routers, 4 of 512 links, 1 of 256 endpoints$'
vef 0 topology cables.yaml --resolved --set 'failures.routers=[0]' --json
prints '"links_lost": 4'
vef 2 topology cables.yaml --resolved --dot && says 'not supported together'
vef 2 topology cables.yaml --resolved --set routing.algorithm=up && says 'up-down'
vef 2 topology rtt.yaml --set model=ideal --resolved && says 'ideal has no topology'

# What cannot be what was meant.
echo 'model: ideal' >ideal.yaml
vef 2 topology ideal.yaml && says 'ideal has no topology'
vef 2 topology none.yaml && says none.yaml
vef 2 topology && says 'missing NET.yaml'
vef 2 topology '{family: rtt}' && says "'a'"
vef 2 topology '{family: tt, a: 4}' && says 'rtt'
vef 2 topology '{family: rtt, a: 4' && says "'{family: rtt, a: 4':"
vef 2 topology '{family: rtt, a: 1}' && says 'from 2'
printf 'topology: {family: rtt, a: 4}\nrouters: 8\n' >key.yaml
vef 2 topology key.yaml && says "key.yaml:2:1"
printf 'link: {bandwidth: 1 Gbit/s}\n' >empty.yaml
vef 2 topology empty.yaml && says 'missing key topology'
vef 2 topology rtt.yaml --json --csv && says 'not supported together'
vef 2 topology rtt.yaml --between 0:1 --dot && says "not supported together"
vef 2 topology rtt.yaml --svg a.svg && says '--svg: expected with --layout$'
vef 2 topology rtt.yaml --top 3 && says '--top: expected with --best$'
vef 2 topology rtt.yaml --sharing paths --dot && says '--sharing and --dot: not supported together$'
vef 2 topology rtt.yaml --distances --json --dot && says 'not supported together'
vef 2 topology rtt.yaml --layout trefoil && says trellis
vef 2 topology rtt.yaml --sharing nobody && says 'paths'
vef 2 topology rtt.yaml --no-loads --sharing paths && says '--sharing and --no-loads: not supported together'

# An option that says nothing to what is shown is not passed over.
while read -r option modes; do
    for mode in $modes; do
        case $mode in
        --best=*) vef 2 topology "$mode" "$option" ;;
        *) vef 2 topology rtt.yaml "$mode" "$option" ;;
        esac
        says "^vef topology: ${option%%=*}\( and ${mode%%=*}: not supported together\|: expected with --[a-z]*\)$"
    done
done <<'END'
--sharing=paths --between=0:1 --dot --layout=trellis --best=lattice --distances
--partition --between=0:1 --dot --layout=trellis --best=lattice --distances
--no-loads --between=0:1 --dot --layout=trellis --best=lattice
--set=topology.a=4 --best=lattice
--csv --between=0:1 --dot
--json --dot
--svg=a.svg --between=0:1 --dot --distances --best=lattice
--by=average --between=0:1 --dot --layout=trellis --distances
--top=3 --between=0:1 --dot --layout=trellis --distances
END
[ ! -e a.svg ] || fail 'a picture that was refused'
# The distances as JSON are all the figures, and take what those take.
vef 0 topology rtt.yaml --distances --json --sharing records
has sharing '"records"'
vef 0 topology rtt.yaml --distances --no-loads
prints 'distance  *routers'

# Parameters and files that no network can be built of: the key, or the line of the file; why; what is accepted.
printf '0 1\nendpoints 0 0\n' >one.txt
printf '0 1\n1 2\n2 2\n' >loop.txt
printf '0 1\n1 0\n' >twice.txt
printf '0 1\n1 3\n' >gap.txt
printf '0 1\n2 3\n' >pieces.txt
printf '0 1000000000000000000\n' >huge.txt
: >nothing.txt
printf '\177ELF\001\002' >binary.txt
while IFS='|' read -r network said; do
    vef 2 topology "{family: $network}"
    says "$said"
done <<'END'
torus, sizes: [0, 4]|sizes: expected a list such as \[2, 3\] of whole numbers from 2 to 16777216; found '0'
mesh, sizes: [1, 4]|from 2 to 16777216; found '1'
torus, sizes: []|sizes: 0 dimensions: out of range: expected 1 to 24
torus, sizes: [65536, 65536]|sizes: more than 16777216 routers: expected fewer or smaller sizes
king-torus, sizes: [16777216, 16777216]|sizes: more than 16777216 routers: expected fewer or smaller
diagonal-torus, sizes: [4]|sizes: a list of 1: expected two dimensions, such as \[8, 8\]
rtt, a: 1|a: expected a whole number from 2 to 2896; found '1'
pdtt, a: 204|from 2 to 203
hypercube, dimensions: 25|from 1 to 24
lattice, sizes: [4, 4], generators: [[0, 0], [1, 0]]|number 0 leads from every router to itself: expected one
lattice, sizes: [4, 4], wrap: [2, 0]|such as \[1, 1\] of whole numbers from 0 to 1; found '2'
ibt, sizes: [13, 12], bypass_dimensions: 2, lengths: [4]|dimension 0 of 13 routers.*the nearest: 12 or 14
ibt, sizes: [12, 12], bypass_dimensions: 2, lengths: [5]|a bypass of 5 .*the nearest: 4 or 6
ibt, sizes: [65536, 65536], bypass_dimensions: 1, lengths: [4]|more than 16777216 routers: expected fewer or smaller
twin-torus, sizes: [4, 4]|sizes: 2 dimensions: out of range: expected 3 to 23
twin-torus, sizes: [1, 4, 4]|from 2 to 16777216; found '1'
twin-torus, sizes: [256, 256, 256]|expected fewer or smaller sizes
kary-ntree, k: 4, n: 1|expected 2 or more stages
kary-ntree, k: 4, n: 1, inner_links: 1|all endpoints, on inner switch alpha.*expected 2 or more stages
kary-ntree, k: 3, n: 2, inner_links: 1|expected an even k
cube-connected-cycles, dimensions: 2|from 3 to 19
de-bruijn, symbols: 512, length: 3|expected at most 2
barrel-shifter, bits: 25|from 1 to 24
complete, routers: 1|from 2 to 1025
rdt, size: 64|expected ranks up to 3, or a size of 128 or more
srt, bits: 12|from 2 to 11
hybrid-fat-tree, levels: 20|from 2 to 19
edges, file: none.txt|cannot open 'none.txt'
edges, file: nothing.txt|nothing.txt: this is an empty file: expected the links
edges, file: binary.txt|binary.txt: this is a program
edges, file: loop.txt|loop.txt:3: a link from router 2 to itself
edges, file: twice.txt|twice.txt:2: duplicate link of routers 1 and 0: first in line 1
edges, file: gap.txt|gap.txt: .* 3 (line 2).*has no link: 2: expected the 3 routers as 0 to 2
edges, file: pieces.txt|pieces.txt: .*cannot be reached from router 0: 2, 3
edges, file: huge.txt|huge.txt:1: router 1000000000000000000: routers are numbered from 0, up to 16777215
edges, file: one.txt|all endpoints are on one router, .*expected endpoints on two routers or more
END
# Distances that no pair has are none.
vef 0 topology '{family: edges, file: one.txt}' --no-loads --json
has average_distance_without_itself null
has average_distance 0
vef 2 topology rtt.yaml --between 0:512 && says '0 to 511'
vef 2 topology rtt.yaml --between 0,16:1,1 && says 'coordinate 1 is 16: out of range: expected 0 to 15'
vef 2 topology rtt.yaml --between 1,2,3:4,5 && says '3 coordinates'
for pair in '' 5 5: :5 a:b 1:2:3 '(1, 2' 1,2,3; do
    vef 2 topology rtt.yaml --between "$pair" && says 'expected two routers'
done
[ $failures -eq 0 ]
