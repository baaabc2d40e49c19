#!/bin/sh
# Coverage of the confidence intervals of `vef load`: how many of the intervals of N repetitions, with other seeds,
# hold the mean of all of them, at shares of the accepted load at full load, on three networks. An honest 95 %
# interval holds it in about 95 of 100. Takes half an hour of one core for 300 repetitions.
#
# usage: [SHARES="0.3 1.5"] bench/coverage.sh [VEF [REPETITIONS [NETWORK…]]]
set -eu
export LC_ALL=C
vef=${1:-build/vef}
repetitions=${2:-300}
[ $# -le 2 ] || shift 2
[ $# -gt 0 ] && [ "$1" != "$vef" ] || set -- '{family: torus, sizes: [8, 8]}' '{family: rtt, a: 8}' '{family: kary-ntree, k: 4, n: 3}'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seeds=3 # of a point, the default

printf '%-34s %7s %9s %18s %18s %9s\n' network load offered 'accepted: held' 'latency: held' cycles
for network; do
    full=$("$vef" load "{topology: $network}" --saturation --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { full = $at["accepted_load"] } END { print full }')
    for share in ${SHARES:-0.3 0.7 0.95 1.5}; do
        rate=$(awk "BEGIN { print (r = $share * $full) < 1 ? r : 1 }")
        seq "$repetitions" | xargs -P "$(nproc)" -I '{}' sh -c '
            "$0" load "$1" --rate "$2" --seed $(({} * $3)) --csv | tail -n 1 >"$4/$5-{}"' \
            "$vef" "{topology: $network}" "$rate" "$seeds" "$folder" "$share"
        "$vef" load "{topology: $network}" --rate 0.01 --max-cycles 4096 --csv | head -n 1 >"$folder/head"
        cat "$folder/head" "$folder/$share"-* | awk -F, -v network="$network" -v share="$share" -v rate="$rate" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { n++; a[n] = $at["accepted_load"]; aw[n] = $at["accepted_load_half_width"]; l[n] = $at["latency_mean_cycles"]
              lw[n] = $at["latency_half_width_cycles"]; c += $at["cycles"] + $at["warm_up_cycles"]; am += a[n]; lm += l[n] }
            END { am /= n; lm /= n
                  for (i = 1; i <= n; i++) {
                      ah += (a[i] - am) ^ 2 <= aw[i] ^ 2; lh += (l[i] - lm) ^ 2 <= lw[i] ^ 2; w += aw[i] / am / n; v += lw[i] / lm / n }
                  printf "%-34s %5.0f %% %9.4f %8.1f %% +-%4.1f %% %8.1f %% +-%4.1f %% %9.0f\n", network, 100 * share, rate,
                      100 * ah / n, 100 * w, 100 * lh / n, 100 * v, c / n }'
    done
done
