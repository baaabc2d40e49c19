#!/bin/sh
# Other simulators on the rows "replay: … tasks, ideal" of bench/compare.sh: lines "peer|row|text" with million MPI
# events of the trace per second of processor time of the whole program. Their networks cost nothing, as vef's ideal
# one does. LOGGOPSIM: the program LogGOPSim, with txt2bin in the same folder. SIMGRID: smpirun; not for 16384 tasks,
# which would take minutes.
#
# usage: bench/peers/replay.sh BUILD FOLDER     FOLDER: for large files, which it leaves there
set -eu
export LC_ALL=C
build=$1
folder=$2

# measured TASKS EVENTS NAME COMMAND...: a line with the rate of a command, or none and its last words if it fails.
measured() {
    row="replay: $1 tasks, ideal" events=$2 name=$3
    shift 3
    if ("$@" >"$folder/peer" 2>&1 && times >"$folder/times"); then
        # The second line: user and system time of the command, "0m1.25s 0m0.5s".
        sed -n 's/[ms]/ /g; 2p' "$folder/times" | awk -v row="$row" -v name="$name" -v events="$events" '
            { printf "peer|%s|%s %.3g\n", row, name, events / (60 * $1 + $2 + 60 * $3 + $4) / 1e6 }'
    else
        { echo "$name failed on $1 tasks:" && tail -n 3 "$folder/peer"; } >&2
    fi
}

# Hosts of 1 Gflop/s, at which a flop is a ns, and links that cost next to nothing.
platform() {
    printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
    printf '<platform version="4.1">\n<cluster id="c" prefix="h" suffix="" radical="0-%d" ' $(($1 - 1))
    printf 'speed="1Gf" bw="1000GBps" lat="1ns"/>\n</platform>\n'
}

"$build/bench/replay" "$folder" | while read -r tasks events; do
    if [ -n "${LOGGOPSIM:-}" ]; then
        "$build/vef" export "$folder/halo-$tasks.vef" --format goal -o "$folder/goal" >&2
        "$(dirname "$LOGGOPSIM")/txt2bin" -i "$folder/goal" -o "$folder/goal.bin" >&2
        measured "$tasks" "$events" LogGOPSim "$LOGGOPSIM" -f "$folder/goal.bin" -L 0 -o 0 -g 0 -G 0 -O 0 -S 100000000
        rm -f "$folder/goal" "$folder/goal.bin"
    fi
    if [ -n "${SIMGRID:-}" ] && [ "$tasks" -le 1024 ]; then
        "$build/vef" export "$folder/halo-$tasks.vef" --format simgrid-ti -o "$folder/halo.ti" >&2
        platform "$tasks" >"$folder/platform.xml"
        seq 0 $((tasks - 1)) | sed 's/^/h/' >"$folder/hosts"
        measured "$tasks" "$events" SimGrid "$SIMGRID" -np "$tasks" -platform "$folder/platform.xml" \
            -hostfile "$folder/hosts" -replay "$folder/halo.ti"
        rm -f "$folder"/halo.ti*
    fi
done
