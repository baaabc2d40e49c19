#!/bin/sh
# Coverage of the confidence intervals of `vef load`: how many of the intervals of N repetitions, with other seeds,
# hold the truth, at shares of the accepted load at full load, on five networks. An honest 95 % interval holds it in
# about 95 of 100. The truth is the mean of a run of 3 seeds and 3,000,000 cycles and of the repetitions, weighted by
# the inverse squares of their half widths: neither alone is exact just below saturation. Takes a day of one core for
# 200 repetitions of all, most of it within 4 % of saturation.
#
# usage: [SHARES="0.3 1.5"] bench/coverage.sh [VEF [REPETITIONS [NETWORK…]]]
set -eu
export LC_ALL=C
vef=${1:-build/vef}
repetitions=${2:-200}
[ $# -le 2 ] || shift 2
[ $# -gt 0 ] && [ "$1" != "$vef" ] || set -- '{family: mesh, sizes: [6, 6]}' '{family: torus, sizes: [8, 8]}' '{family: rtt, a: 8}' \
    '{family: kary-ntree, k: 4, n: 3}' '{family: dragonfly, endpoints_per_router: 2, a: 4, h: 2}'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seeds=3 # of a point, the default

measure() { # measure FILE NETWORK RATE [OPTION…]: appends the last line of the CSV
    file=$1 network=$2 rate=$3
    shift 3
    "$vef" load "{topology: $network}" --rate "$rate" --csv "$@" | tail -n 1 >>"$file"
}

printf '%-34s %7s %9s %19s %19s %8s %9s\n' network load offered 'accepted: held' 'latency: held' steady cycles
for network; do
    full=$("$vef" load "{topology: $network}" --saturation --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { full = $at["accepted_load"] } END { print full }')
    "$vef" load "{topology: $network}" --rate 0.01 --max-cycles 4096 --csv | head -n 1 >"$folder/head"
    for share in ${SHARES:-0.3 0.5 0.7 0.8 0.9 0.92 0.94 0.96 0.98 1 1.02 1.04 1.06 1.08 1.1 1.2 1.5}; do
        rate=$(awk "BEGIN { print (r = $share * $full) < 1 ? r : 1 }")
        cp "$folder/head" "$folder/points"
        measure "$folder/points" "$network" "$rate" --seed 900001 --seeds 3 --precision 0.002 --max-cycles 3000000
        for i in $(seq "$repetitions"); do
            measure "$folder/points" "$network" "$rate" --seed $((i * seeds))
        done
        awk -F, -v network="$network" -v share="$share" -v rate="$rate" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { n++; a[n] = $at["accepted_load"]; aw[n] = $at["accepted_load_half_width"]; l[n] = $at["latency_mean_cycles"]
              lw[n] = $at["latency_half_width_cycles"]; am += a[n] / aw[n] ^ 2; as += 1 / aw[n] ^ 2; lm += l[n] / lw[n] ^ 2; ls += 1 / lw[n] ^ 2
              if (n > 1) { c += $at["cycles"] + $at["warm_up_cycles"]; steady += $at["steady"] == "true" } }
            END { am /= as; lm /= ls
                  for (i = 2; i <= n; i++) {
                      ah += (a[i] - am) ^ 2 <= aw[i] ^ 2; lh += (l[i] - lm) ^ 2 <= lw[i] ^ 2; w += aw[i] / am; v += lw[i] / lm }
                  n--
                  printf "%-34s %5.0f %% %9.4f %8.1f %% +-%5.2f %% %8.1f %% +-%5.2f %% %6.0f %% %9.0f\n", network, 100 * share, rate,
                      100 * ah / n, 100 * w / n, 100 * lh / n, 100 * v / n, 100 * steady / n, c / n }' "$folder/points"
    done
done
