#!/bin/sh
# `vef load` from the outside: its table, CSV and JSON tell of the same points, results depend on the seed
# alone, and what it cannot measure is refused with the accepted values.
set -u
. tests/command.sh

cat >net.yaml <<END
topology: {family: torus, sizes: [4, 4]}
packet: {phits: 4}
END

vef 0 load net.yaml --rate 0.2 --seeds 1
prints '^offered'
prints ' 0.2000 '
# the network in words is that of the file
vef 0 load '{topology: {family: torus, sizes: [4, 4]}, packet: {phits: 4}}' --rate 0.2 --seeds 1 --json
grep -v -e _per_second -e '"network"' out >words
vef 0 load net.yaml --rate 0.2 --seeds 1 --json
grep -v -e _per_second -e '"network"' out | cmp -s - words || fail "a network in words differs from its file"
vef 0 load net.yaml --rate 0.1:0.3:0.1 --csv --seeds 2
[ "$(wc -l <out)" -eq 4 ] || fail "three points are not three lines of CSV"
prints '^rate,offered_load,accepted_load'
prints ',steady,network,pattern,process,lengths,set$'
prints ',net.yaml,uniform (self: false),bernoulli,4,$'

# the groups of a pattern: their messages are all, and their loads add up to that of 16 endpoints
vef 0 load net.yaml --rate 0.1 --csv --seeds 1 --pattern '{pattern: incast, sources: 4}'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { load = $at["incast_accepted_phits_per_cycle"] + $at["bystanders_accepted_phits_per_cycle"]
      all = 16 * $at["accepted_load"]
      if ($at["incast_messages"] + $at["bystanders_messages"] != $at["messages"] || $at["incast_messages"] < 1 ||
          load < 0.999 * all || load > 1.001 * all || $at["bystanders_message_latency_mean_cycles"] <= 0) exit 1 }' out ||
    fail "groups do not add up"

# a window in bytes is one of whole packets: 20 KiB hold 5 of 4 KiB, and so do 24 KiB - 1 B
for window in '20 KiB' '24575 B'; do
    vef 0 topology '{topology: {family: torus, sizes: [4, 4]}, packet: {mtu: 4 KiB, header: 64 B}}' --resolved --json \
        --set congestion="{policy: window, window: $window}"
    prints '"window_packets": 5'
done

# --set replaces a selector: keys of the file for the old one are ignored, those of --set are not
cat >selected.yaml <<'END'
topology: {family: torus, sizes: [4, 4]}
routing: {algorithm: up-down, root: 3}
END
vef 0 verify selected.yaml --set routing.algorithm=minimal
grep -qF "selected.yaml:2:31: root: not a key with --set 'routing.algorithm=minimal': ignored" err ||
    fail "no warning of an ignored key"
vef 2 verify selected.yaml --set routing.algorithm=minimal --set routing.root=2
grep -q "unknown key 'root'" err || fail "a key of --set is ignored"
vef 0 verify selected.yaml --set routing.algorithm=up-down --set routing.root=2
[ ! -s err ] || fail "a key that remains is reported"

# accepted = offered below saturation, within the interval of 99.99 % (twice the 95 % one)
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { short = $at["offered_load"] - $at["accepted_load"]; if (short < 0) short = -short
      if (short > 2 * $at["accepted_load_half_width"]) exit 1 }' out || fail "accepted is not offered"

# Valiant's routing on a ring of 8 routers: 2 x 8/4 = 4 hops, 3.5 if packets leave at a destination that they meet
# (test_lattice_routings.c). With 4 hops on 2 links for each router no more than 0.5 gets through.
ring='{topology: {family: torus, sizes: [8]}, routing: {algorithm: valiant, channels: 4}, router: {queue_packets: 16}, packet: {phits: 2}}'
for early in false true; do
    vef 0 load "$ring" --set routing.early_exit=$early --rate 0.3,0.9 --seeds 1 --max-cycles 30000 --csv
    awk -F, -v early=$early 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == 2 { wrong = $at["average_hops"] - (early == "true" ? 3.5 : 4); if (wrong < 0) wrong = -wrong }
        NR == 3 { most = $at["accepted_load"] - $at["accepted_load_half_width"] }
        END { exit !(wrong < 0.05 && (early == "true" || most <= 0.5)) }' out || fail "Valiant on a ring, early_exit $early: $(cat out)"
done

vef 0 load net.yaml --rate 0.1,0.4 --json --threads 1
cp out one
for key in points offered_load accepted_load latency_mean_cycles latency_p99_cycles average_hops confidence confidence_level \
    packet_hops_per_second seed; do
    prints "\"$key\":"
done
vef 0 load net.yaml --rate 0.1,0.4 --json --threads 2
grep -v _per_second one >a
grep -v _per_second out >b
cmp -s a b || fail "one thread and two differ"
vef 0 load net.yaml --rate 0.1,0.4 --json --seed 7
grep -v _per_second out >b
cmp -s a b && fail "seeds 1 and 7 do not differ"
vef 0 load net.yaml --rate 0.1 --set seed=7 --seeds 1 --json
prints '"seed": 7,'

# model loggp has no contention in the network
vef 2 load '{model: loggp}' --rate 0.5 --seeds 1
says 'a network of model loggp has no load'

# the ideal network: no latency
printf 'model: ideal\n' >ideal.yaml
vef 0 load ideal.yaml --rate 0.5 --endpoints 8 --csv --seeds 1
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { exit $at["latency_mean_cycles"] != 0 || $at["message_latency_mean_cycles"] != 0 }' out ||
    fail "an ideal network has a latency"

# refused, with the accepted values
refuse() {
    pattern=$1
    shift
    vef 2 load "$@"
    says "$pattern"
}
refuse 'missing --rate LOADS or --saturation' net.yaml
refuse 'expected more than 0' net.yaml --rate 0
refuse 'expected more than 0' net.yaml --rate -0.2
refuse 'at most 1, which is what an endpoint can inject' net.yaml --rate 1.5
refuse '0.05:1.0:0.05' net.yaml --rate fast
refuse '0.05:1.0:0.05' net.yaml --rate 0.1:0.2
refuse 'expected a step above 0' net.yaml --rate 0.1:0.5:0
refuse 'expected a step above 0' net.yaml --rate 0.5:0.1:0.1
refuse 'uniform' net.yaml --rate 0.2 --pattern unknown
refuse 'bernoulli' net.yaml --rate 0.2 --process unknown
refuse '0.7:8,0.3:64' net.yaml --rate 0.2 --lengths long
refuse 'precision' net.yaml --rate 0.2 --precision 0
refuse '4096' net.yaml --rate 0.2 --max-cycles 10
refuse '1 to 1000' net.yaml --rate 0.2 --seeds 0
refuse 'expected a whole number from 1 to' net.yaml --rate 0.2 --threads 0
refuse 'not supported together' net.yaml --rate 0.2 --json --csv
refuse 'endpoints_per_router' net.yaml --rate 0.2 --endpoints 5
refuse 'expected a single --rate' net.yaml --rate 0.2,0.3 --saturation
refuse '.svg, .pdf or .png' net.yaml --rate 0.2 --plot picture.gif
refuse 'nowhere.yaml' nowhere.yaml --rate 0.2

# past saturation: said so, and no end-to-end latency
vef 0 load net.yaml --rate 1 --seeds 1 --set router.ejection_ports=1 --pattern '{pattern: hot-region}'
prints 'message n/a: saturated'
vef 0 load net.yaml --rate 1 --seeds 1 --set router.ejection_ports=1 --pattern '{pattern: hot-region}' --json
prints '"message_latency_unbounded": true'
prints '"message_latency_mean_cycles": null'

# a precision beyond the limit of time: the one that was reached, and not steady
vef 0 load net.yaml --rate 0.2 --seeds 1 --precision 0.0001 --max-cycles 8192
prints 'offered 0.2000: not steady: .*accepted load +- [0-9.]* %, latency +- [0-9.]* %, requested 0.01 %'
vef 0 load net.yaml --rate 0.2 --seeds 1 --precision 0.0001 --max-cycles 8192 --json
prints '"steady": false'
prints '"message_latency_unbounded": false'

# An incast: figures of both groups of sources.
vef 0 load net.yaml --rate 0.2 --seeds 1 --pattern '{pattern: incast, sources: 2}'
prints '^by group of sources'
prints ' incast  *0\.05  *0\.0[45][0-9]* '
prints ' bystanders  *0\.35 '
# Four sources offer 0.8 of what the destination accepts, with 8 twice as much: their latency grows with the run.
vef 0 load net.yaml --rate 0.2 --seeds 1 --pattern '{pattern: incast, sources: 4}'
grep '^ *0.2000  incast .* n/a' out && fail "$ran: a group that is not saturated has no latency"
vef 0 load net.yaml --rate 0.2 --seeds 1 --pattern '{pattern: incast, sources: 8}'
prints '^ *0.2000  incast .* n/a  *n/a  *n/a$'
vef 0 load net.yaml --rate 0.2 --seeds 1 --pattern '{pattern: incast, sources: 0}' --set congestion='{policy: ecn}' --json
prints '"name": "bystanders"'
tr -d ' \n' <out >joined
grep -q '"name":"incast","offered_phits_per_cycle":0,"accepted_phits_per_cycle":0,"messages":0,"message_latency_mean_ns":null,"message_latency_mean_cycles":null' joined ||
    fail "$ran: a group without sources"
prints 'policy: ecn'

vef 0 load net.yaml --saturation --seeds 1 --precision 0.02 --json
prints '"saturation":'
prints '"peak_accepted_load":'
prints '"full_accepted_load":'

# Times and sizes become cycles and phits: a phit of 32 B takes 2.56 ns at 100 Gbit/s, so 100 ns are 39.06 cycles,
# rounded up, and 512 B are 16 phits. A credit is back after 16 + 40 + 40 cycles; 2 packets are a third of that.
fast='{topology: {family: torus, sizes: [8]}, link: {bandwidth: 100 Gbit/s, phit: 32 B, delay: 100 ns}, router: {delay: 100 ns}, packet: {bytes: 512 B}}'
vef 0 load "$fast" --rate 0.1 --seeds 1 --set router.queue_packets=2 --json
says 'a queue of 32 phits is shorter than the round trip of credits, 96 phits'
tr -d ' \n' <out >joined
for part in '"cycle_ns":2.56,"router_delay_ns":102.4,"router_delay_cycles":40,"link_delay_cycles":{"least":40,"greatest":40}' \
    '"packet_phits":16,"queue_phits":{"least":32,"greatest":32},"round_trip_phits":{"least":96,"greatest":96}' \
    '"warnings":\["router.queue_packets:aqueueof32phits.*33.3%'; do
    grep -q "$part" joined || fail "$ran: JSON lacks $part"
done
vef 0 load "$fast" --rate 0.1 --seeds 1 --json
[ ! -s err ] || fail "$ran: a warning at the defaults"
prints '"warnings": \[\]'

# Goodput: of 65 phits of 64 B (4126 B, rounded up) 4096 B are payload, in phits and at 200 Gbit/s in bytes.
headers='{topology: {family: torus, sizes: [8]}, link: {bandwidth: 200 Gbit/s}, packet: {mtu: 4 KiB, header: 30 B}}'
vef 0 load "$headers" --rate 0.2,1.0 --seeds 1 --csv
awk -F, 'function near(a, b) { return a > b - 1e-3 && a < b + 1e-3 }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rows += near($at["goodput"] / $at["accepted_load"], 4096 / 4160) &&
              near($at["goodput_bytes_per_s"] / 25e9, $at["goodput"]) }
    END { exit rows != 2 }' out || fail "$ran: goodput: $(cat out)"
vef 0 load "$headers" --rate 0.2 --seeds 1 --lengths 4KiB
prints 'messages of 4 KiB'
prints 'goodput, the payload'
vef 0 load net.yaml --rate 0.2 --seeds 1
grep -q goodput out && fail "$ran: goodput without headers"
refuse 'expected 66 or 68 phits' "$headers" --rate 0.2 --set packet.header=70B --lengths 67

# Seeds are 64 bits.
vef 0 load net.yaml --rate 0.2 --seeds 1 --seed 18446744073709551615 --json
prints '"seed": 18446744073709551615'
refuse 'at most 18446744073709551615' net.yaml --rate 0.2 --seed 18446744073709551616
refuse "expected a whole number from 0, found '-1'" net.yaml --rate 0.2 --seed -1

# a picture, also as PNG where rsvg-convert is here; else the sentence
vef 0 load net.yaml --rate 0.2,0.4 --seeds 1 --plot picture.svg
grep -q '<svg' picture.svg || fail "no SVG"
if command -v rsvg-convert >/dev/null; then
    vef 0 load net.yaml --rate 0.2,0.4 --seeds 1 --plot picture.png
    [ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail "no PNG"
fi
mkdir empty
PATH=$TMPDIR/empty "$vef" load net.yaml --rate 0.2 --plot picture.pdf >out 2>err
[ $? -eq 2 ] || fail "without rsvg-convert: status"
ran="vef load without rsvg-convert"
says 'Debian: the package librsvg2-bin'
[ $failures -eq 0 ]
