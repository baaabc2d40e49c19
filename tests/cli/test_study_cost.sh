#!/bin/sh
# Studies of networks at equal cost or with equally many endpoints: prices summed by hand, the factor of the bandwidth
# that follows from two of them, what is refused, and the chart of one point for each network.
set -u
. tests/command.sh

# cell FILE ROW KEY: of a table in CSV without quoted commas before it.
cell() { awk -F, -v row="$2" -v key="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) c = NF - i }
    NR == row + 1 { print $(NF - c) }' "$1"; }
# near VALUE WANTED: they differ by less than a millionth.
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && (d < 0 ? -d : d) <= 1e-6 * b) }' ||
    fail "$ran: $1 instead of $2"; }
# planned NETWORK KEY: of the table of networks of the last plan, in JSON.
planned() { tr -d ' \n' <out | sed "s/.*\"network\":\"$1\",\([^}]*\)}.*/\1/; s/.*\"$2\":\([-0-9.e+]*\).*/\1/"; }

# 16 routers with 100 + 10 for each port, 16 interfaces of 7, cables of 2 m for 5 each. The torus: 5 ports, 32 links; the
# mesh: 48 ports of links.
list='bandwidth: 1 Gbit/s, switch: {price: 100, port_price: 10, power_w: 0, port_power_w: 1}, nic: {price: 7, power_w: 0}'
list="cost: {$list, copper: {price: 1, price_per_metre: 2}}"
rest="link: {bandwidth: 1 Gbit/s, delay: 1 us}, packet: {bytes: 64 B}, $list"
torus=$(((16 * 150 + 16 * 7 + 48 * 5) / 16))
mesh=$(awk 'BEGIN { print (1600 + 10 * (16 + 48) + 16 * 7 + (24 + 16) * 5) / 16 }')
for family in torus mesh; do
    echo "{topology: {family: $family, sizes: [4, 4]}, $rest}" >$family.yaml
done
cat >points.yaml <<'END_OF_STUDY'
run: load
networks: [torus.yaml, mesh.yaml]
patterns: uniform
rates: 0.2
seeds: [1, 2]
precisions: 0.1
charts: [{name: cost, kind: points, x: price_per_endpoint, y: latency_mean_ns}]
END_OF_STUDY

# Without `hold`: prices as they are.
vef 0 study points.yaml --plan --json
near "$(planned torus price_per_endpoint)" "$torus"
near "$(planned mesh price_per_endpoint)" "$mesh"
near "$(planned mesh bandwidth_factor)" 1
near "$(planned mesh power_per_endpoint_w)" "$(awk 'BEGIN { print 64 / 16 }')"
vef 0 study points.yaml -o points
near "$(cell points/results.csv 3 price_per_endpoint)" "$mesh"
texts points/cost.svg >names
for name in torus mesh 'price per endpoint' 'latency mean (µs)'; do
    grep -qxF "$name" names || fail "the chart has no '$name': $(cat names)"
done

# A new price is no reason to measure again.
cp points/results.jsonl before
sed -i 's/price: 7/price: 23/' mesh.yaml
vef 0 study points.yaml -o points
near "$(cell points/results.csv 3 price_per_endpoint)" "$(awk "BEGIN { print $mesh + 16 }")"
cmp -s before points/results.jsonl || fail 'points ran again after a change of prices'
sed -i 's/price: 23/price: 7/' mesh.yaml

# At equal cost: prices are proportional to the bandwidth, so it is multiplied by their ratio.
factor=$(awk "BEGIN { printf \"%.10f\", $torus / $mesh }")
sed 's/^charts.*/hold: cost/' points.yaml >equal.yaml
vef 0 study equal.yaml -o equal
near "$(cell equal/results.csv 3 bandwidth_factor)" "$factor"
near "$(cell equal/results.csv 3 price_per_endpoint)" "$torus"
near "$(cell equal/results.csv 1 bandwidth_factor)" 1
grep -q "link.bandwidth=$(awk "BEGIN { printf \"%.0f\", 1e9 * $factor }") bit/s" equal/results.jsonl ||
    fail "the arguments of the scaled network: $(cat equal/results.jsonl)"
[ "$(cell equal/results.csv 1 key)" = "$(cell points/results.csv 1 key)" ] || fail 'the base is another network'
# The other way round, and by name.
sed -i 's/^hold.*/hold: {cost: mesh}/' equal.yaml
vef 0 study equal.yaml --plan --json
near "$(planned torus bandwidth_factor)" "$(awk "BEGIN { print 1 / $factor }")"
# With the square of the bandwidth it is the root.
echo 'set: {cost.price_exponent: 2}' | cat equal.yaml - >square.yaml
vef 0 study square.yaml --plan --json
near "$(planned torus bandwidth_factor)" "$(awk "BEGIN { print sqrt(1 / $factor) }")"
# Classes of links keep their ratio exactly.
sed 's/bandwidth: 1 Gbit.s, delay/classes: {x: {bandwidth: 3 Gbit\/s}, y: {bandwidth: 1.5 Gbit\/s}}, &/' torus.yaml >three.yaml
sed 's/torus.yaml/three.yaml/' equal.yaml >classes.yaml
vef 0 study classes.yaml -o classes
tr ',' '\n' <classes/results.jsonl | grep -o 'link[^"]*=[0-9]*' | sort -u | sed 's/.*=//' >scaled
awk 'NR == 1 { a = $1 } NR == 2 { b = $1 } NR == 3 { c = $1 } END { exit !(NR == 3 && b == 3 * a && 2 * c == 3 * a) }' scaled ||
    fail "bandwidths that were 1, 3 and 1.5: $(cat scaled)"

# Per network: twice as many endpoints for the same money have half of it each.
sed 's/sizes: \[4, 4\]/&, /; s/^{/{endpoints_per_router: 2, /' mesh.yaml | sed 's/, }/}/' >dense.yaml
sed 's/^hold.*/hold: {cost: mesh, per: network}/; s/torus.yaml/dense.yaml/' equal.yaml >total.yaml
vef 0 study total.yaml --plan --json
near "$(planned dense price_per_endpoint)" "$(awk "BEGIN { print $mesh / 2 }")"

# Topologies alone.
cat >alone.yaml <<'END_OF_STUDY'
run: topology
networks: [torus.yaml, mesh.yaml]
END_OF_STUDY
vef 0 study alone.yaml -o alone
near "$(cell alone/results.csv 2 price_per_endpoint)" "$mesh"
echo 'charts: [{name: size, kind: points, x: price_per_endpoint, y: diameter}]' >>alone.yaml
vef 0 study alone.yaml -o alone
texts alone/size.svg | grep -qx mesh || fail 'the chart of topologies has no mesh'
echo 'hold: cost' >>alone.yaml
vef 2 study alone.yaml --plan
says 'hold: not supported with run: topology'

# Endpoints: the other network is refused with the sizes next to the base.
sed 's/sizes: \[4, 4\]/sizes: [5, 3]/' mesh.yaml >small.yaml
sed 's/^hold.*/hold: endpoints/; s/mesh.yaml/small.yaml/' equal.yaml >endpoints.yaml
vef 1 study endpoints.yaml --plan
prints 'hold: endpoints: the network has 15, torus has 16; topology: {family: mesh, sizes: \[6, 3\]} has 18; topology: .*\[5, 4\]} has 20'
sed 's/sizes: \[4, 4\]/sizes: [2, 4]/' mesh.yaml >small.yaml
vef 1 study endpoints.yaml --plan
prints 'has 8, torus has 16; topology: {family: mesh, sizes: \[4, 4\]} has 16; topology: .*\[2, 8\]} has 16'
sed 's/small.yaml/mesh.yaml/' endpoints.yaml >same.yaml
vef 0 study same.yaml --plan

# A bandwidth that no model has refuses its network.
sed 's/port_price: 10/port_price: 0.001/; s/price: 100/price: 0/; s/price: 7/price: 0/; s/delay: 1 us/delay: 1 ms/' mesh.yaml |
    sed 's/copper: .*}}/copper: {price: 0, price_per_metre: 0}}}/' >cheap.yaml
sed 's/^hold.*/hold: cost/; s/mesh.yaml/cheap.yaml/' equal.yaml >study.yaml
vef 1 study study.yaml --plan
prints 'link.delay.* out of range'

sed 's/port_price: 0.001/port_price: 1e-12/' cheap.yaml >cheaper.yaml
sed 's/cheap.yaml/cheaper.yaml/' study.yaml >other.yaml
vef 1 study other.yaml --plan
prints 'hold: cost: bandwidths times .* are out of range: expected at most 1e+18 bit/s'

# What cannot be held, and why.
refused() {
    vef 1 study "$1" --plan
    prints "$2"
}
sed 's/^cost/&/; s/bandwidth: 1 Gbit.s, delay/cables: [{up_to: 9 m, bandwidth: 1 Gbit\/s}], length: 1 m, &/' mesh.yaml >cables.yaml
sed 's/^hold.*/hold: cost/; s/mesh.yaml/cables.yaml/' equal.yaml >study.yaml
refused study.yaml 'hold: cost: not supported with link.cables that have their own bandwidth'
printf '0 1 1 Gbit/s\n1 2 2 Gbit/s\n' >links.txt
sed "s/{family: mesh[^}]*}/{family: edges, file: links.txt}/" mesh.yaml >edges.yaml
sed 's/cables.yaml/edges.yaml/' study.yaml >other.yaml
refused other.yaml 'not supported with topology edges, which sets the bandwidths'
sed 's/cost: {/cost: {currency: EUR, /' mesh.yaml >euro.yaml
sed 's/cables.yaml/euro.yaml/' study.yaml >other.yaml
refused other.yaml 'prices in EUR and USD'
sed 's/cost: {/cost: {price_exponent: 0, /' mesh.yaml >flat.yaml
sed 's/cables.yaml/flat.yaml/' study.yaml >other.yaml
refused other.yaml 'price_exponent is 0'
echo '{model: ideal}' >ideal.yaml
sed 's/cables.yaml/ideal.yaml/; s/^run.*/run: map/; /rates/d; /precisions/d' study.yaml >other.yaml
refused other.yaml 'network of this point has no price'
for wrong in 'hold: price|hold: expected cost, endpoints' 'hold: {cost: ring}|no point has network .ring.' \
    'hold: {costs: mesh}|did you mean cost?' 'hold: {cost: mesh, per: node}|expected one of endpoint, network' \
    'charts: [{name: a, kind: points, x: network, y: cycles}]|expected a figure as x'; do
    sed "s/^hold.*/${wrong%%|*}/" equal.yaml >wrong.yaml
    vef 2 study wrong.yaml --plan
    says "${wrong##*|}"
done

[ $failures -eq 0 ]
