#!/bin/sh
# Predicts every measured run: replays the trace that was captured on the star on the network and with the mapping of the run.
#
#   sh predict.sh VEF RUN
#
# RUN is a folder of run.sh and fit.sh. Writes RUN/predicted.csv: network,program,library,mapping,model,seconds.
set -eu
export LC_ALL=C
vef=$1 run=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cores=${CLUSTER_CORES:-$(nproc)}

# machine NETWORK LIBRARY: the network with the fitted hosts, and what is known of Linux beside them.
#
# - An endpoint that injects as fast as one link has a router of its own, since its uplink has a queue, as every link here, in which a
#   message to a busy endpoint does not block those behind it. (One that injects by several queues has its queues in the router.)
# - A packet is a frame as tbf counts it: 1448 bytes of data and 66 of Ethernet, IPv4 and TCP with time stamps; 33 more for
#   acknowledgements, frames of 66 bytes for every second packet of the other direction.
machine() {
    if grep -q injection_queues "$run/networks/$1.yaml"; then
        cat "$run/networks/$1.yaml"
    else
        sed -e 's/family: star, endpoints: \([0-9]*\)/family: xgft, m: [1, \1], w: [1, 1]/' -e '/1, [0-9]*\], w: \[1, 1\]/n' \
            -e 's/ m: \[/&1, /' -e 's/ w: \[/&1, /' "$run/networks/$1.yaml"
    fi
    grep -q '^packet:' "$run/networks/$1.yaml" || echo 'packet: {mtu: 1448 B, header: 99 B}'
    cat "$run/host-$2.yaml"
}

# seconds NETWORK PROGRAM LIBRARY MAPPING MODEL: of a replay.
#
# - Queues are those of tbf: one for each output, first in, first out, as long as needed. A link that was idle lets a frame pass at
#   once, by its bucket.
# - An endpoint serves the others side by side: flows at once, routers in turns, packet by packet, with the windows of TCP.
# - All tasks run on the cores of this machine, and the trace has the CPU time of each.
seconds() {
    machine "$1" "$3" >"$scratch/machine.yaml"
    trace=$run/traces/$2-$3.vef mapping="file($run/mappings/$4.map)"
    if [ "$5" = flow ]; then
        set -- --set flow.sources=by-destination
    else
        set -- --set model=router --set router.virtual_output_queues=true --set router.arbiter=arrival --set router.transit_first=false \
            --set router.injection_queue_packets=4 --set congestion.policy=window --set congestion.order=turns \
            --set congestion.window_packets=22
    fi
    "$vef" replay "$trace" --net "$scratch/machine.yaml" --map "$mapping" --json --set router.queue_packets=4000 \
        --set link.burst=1614B --set "host.shared_cores=$cores" "$@" >"$scratch/replay.json" 2>"$scratch/err" || { cat "$scratch/err" >&2; return 1; }
    sed -n 's/^ *"time_ns": \([0-9.]*\).*/\1/p' "$scratch/replay.json" | awk 'NR == 1 { printf "%.6f", $1 / 1e9 }'
}

echo network,program,library,mapping,model,seconds >"$scratch/predicted.csv"
awk -F, 'NR > 1 && $6 == 0 && !seen[$1, $2, $3, $4]++ { print $1, $2, $3, $4 }' "$run/measured.csv" |
    while read -r network program library mapping; do
        if [ ! -s "$run/traces/$program-$library.vef" ] || [ ! -s "$run/host-$library.yaml" ]; then
            echo "predict.sh: no trace of $program with $library, or no host-$library.yaml: not predicted" >&2
            continue
        fi
        for model in flow router; do
            echo "$network,$program,$library,$mapping,$model,$(seconds "$network" "$program" "$library" "$mapping" "$model" </dev/null)"
        done
    done >>"$scratch/predicted.csv"
mv "$scratch/predicted.csv" "$run/predicted.csv"
