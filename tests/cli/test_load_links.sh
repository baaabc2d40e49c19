#!/bin/sh
# Links under a load: the utilisation of every link is what tornado on a ring and ADV+1 on a dragonfly ask
# of it, and adds up to the figures of all links; samples add up to it and change no result; refusals.
set -u
. tests/command.sh

few='--precision 0.05 --seeds 2'
# A cycle is 1 ns.
ring='{topology: {family: torus, sizes: [8]}, routing: {algorithm: dor}, link: {bandwidth: 32 Gbit/s, phit: 4 B}, packet: {phits: 4}}'

# Tornado goes three hops up the ring of eight: a link up carries the load of three endpoints, one down nothing.
# shellcheck disable=SC2086 # options
vef 0 load "$ring" --pattern tornado --rate 0.1,0.2 $few --per-link --csv
[ "$(head -n 1 out)" = rate,router,port,to,utilization ] || fail "columns: $(head -n 1 out)"
awk -F, 'NR > 1 { up = $4 == ($2 + 1) % 8; links[$1, up]++; sum[$1, up] += $5; if (up && $5 < 2 * $1 || up && $5 > 4 * $1) wrong = 1 }
    END { for (rate = 0.1; rate < 0.25; rate += 0.1) {
        if (links[rate, 1] != 8 || links[rate, 0] != 8 || sum[rate, 0] != 0) wrong = 1
        if (sum[rate, 1] < 0.95 * 8 * 3 * rate || sum[rate, 1] > 1.05 * 8 * 3 * rate) wrong = 1 }
      exit wrong }' out || fail "tornado: $(cat out)"

# In every point of JSON: 16 links, whose mean and greatest are those of all links. The greatest is the mean
# of each seed's greatest, so with several seeds no link has more.
# shellcheck disable=SC2086
vef 0 load "$ring" --rate 0.1,0.3 $few --per-link --json
awk '/"link_utilization_mean"/ { mean = $2 + 0 } /"link_utilization_max"/ { most = $2 + 0 } /"per_link"/ { n = sum = 0; inside = 1 }
    inside && /"utilization"/ { n++; sum += $2; if ($2 > most + 1e-6) exit 1 }
    inside && /\]/ { inside = 0; points++; if (n != 16 || sum / n - mean > 1e-6 || mean - sum / n > 1e-6) exit 1 }
    END { exit points != 2 }' out || fail "links and their mean: $(cat out)"

# ADV+1 with minimal routes: of the global links, ports 3 and 4 of the four routers of each of nine groups, only
# those to the next group are used, each by the load of a group of eight endpoints.
dragonfly='{topology: {family: dragonfly, a: 4, h: 2}, endpoints_per_router: 2, routing: {algorithm: minimal}, packet: {phits: 4}}'
# shellcheck disable=SC2086
vef 0 load "$dragonfly" --pattern group-shift --rate 0.05 $few --per-link --csv
awk -F, 'NR > 1 { from = int($2 / 4); to = int($4 / 4); if (from == to) next
      if (to == (from + 1) % 9) { next_group++; sum += $5 } else { other++; if ($5 != 0) exit 1 } }
    END { exit !(next_group == 9 && other == 63 && sum > 0.95 * 9 * 8 * 0.05 && sum < 1.05 * 9 * 8 * 0.05) }' out ||
    fail "ADV+1: $(cat out)"

# Samples of 16 cycles, which warm-up and measurement consist of: those of the measured cycles add up to the
# utilisation of all links, and the first ends after 16. Results are those without samples.
vef 0 load "$ring" --rate 0.3 --seeds 1 --json
grep -v _per_second out | sed '/"memory_bytes"/d' >plain
vef 0 load "$ring" --rate 0.3 --seeds 1 --json --sample 16ns --per-link
awk '/"link_utilization_mean"/ { mean = $2 + 0 } /"warm_up_cycles"/ && !ends { warm_up = $2 + 0 } /^      "cycles"/ { cycles = $2 + 0 }
    /"samples"/ { inside = 1 } inside && /"end_cycles"/ { end = $2 + 0; if (++ends == 1 && end != 16) exit 1 }
    inside && /"utilization_mean"/ && end > warm_up { sum += 16 * $2 }
    END { all = mean * cycles; exit !(cycles > 0 && warm_up > 0 && end == warm_up + cycles && sum - all < 1e-4 * all && all - sum < 1e-4 * all) }' out ||
    fail "samples: $(head -c 3000 out)"
# Without the lists of links the document is the same.
awk '/"per_link"/ || /"samples"/ { skipped = 1 } !skipped { print } skipped && /\]/ { skipped = 0 }' out | grep -v _per_second |
    sed '/"memory_bytes"/d; /"sample_links"/d' | tr -d ' ,\n' >sampled
tr -d ' ,\n' <plain | cmp -s - sampled || fail "results differ with samples"
# shellcheck disable=SC2086
vef 0 load "$ring" --rate 0.3 $few --csv --sample 1us
prints '^end_ns,end_cycles,utilization_mean'

refuse() { # refuse WORDS ARGUMENTS...
    words=$1
    shift
    vef 2 load "$@"
    says "$words"
}
refuse '--sample: found 2 loads: expected a single --rate' "$ring" --rate 0.1,0.2 --sample 1us
refuse '--sample and --saturation: not supported together: expected a single --rate' "$ring" --saturation --sample 1us
refuse '--sample: 0.1 ns: out of range: expected at least a cycle, 1 ns' "$ring" --rate 0.1 --sample 0.1ns
refuse '--sample and --per-link: not supported together with --csv' "$ring" --rate 0.1 --sample 1us --per-link --csv
refuse '--per-link: networks of model ideal have no links' '{model: ideal}' --rate 0.1 --per-link
refuse '--sample: networks of model ideal have no links' '{model: ideal}' --rate 0.1 --sample 1us
refuse 'networks of model ideal have no links to draw' '{model: ideal}' --rate 0.1 --plot-links links.svg
refuse '--plot-links links.gif: expected a name that ends in .svg, .pdf or .png' "$ring" --rate 0.1 --plot-links links.gif
mkdir empty
PATH=$TMPDIR/empty "$vef" load "$ring" --rate 0.2 --plot-links links.png >out 2>err
[ $? -eq 2 ] || fail "without rsvg-convert: status"
says '--plot-links: pictures as .pdf and .png need rsvg-convert (Debian: the package librsvg2-bin)'

refuse '--plot-links: found 3 loads: expected a single --rate' "$ring" --rate 0.1:0.3:0.1 --plot-links links.svg
# Tornado: the eight links down have the colour of no load, the first of the palette.
# shellcheck disable=SC2086
vef 0 load "$ring" --pattern tornado --rate 0.1 $few --plot-links links.svg --sample 1us --plot curve.svg
texts links.svg | grep -q 'tornado, offered 0.1 phits' && grep -q 'busiest link' links.svg || fail "the picture of links"
grep -q 'accepted' curve.svg || fail "the curve beside it"
[ "$(grep 'stroke="#fde725"' links.svg | grep -o M | wc -l)" -eq 8 ] || fail "the eight links without load"
[ $failures -eq 0 ]
