#!/bin/sh
# The times that other simulators predict for a trace of two tasks, in ns: "LOGGOPSIM SIMGRID", "-" for one that is not
# there (bench/peers/replay.sh names the variables). Their parameters are fitted to the same measurements: those of SimGrid piece by
# piece, those of LogGOPSim as one line. LogGOPSim counts whole units, here ps.
#
# usage: bench/peers/predict.sh VEF TRACE MACHINE LOGGP FOLDER
#        MACHINE, LOGGP: of `vef fit pingpong` for one node and for two
set -eu
export LC_ALL=C
vef=$1 trace=$2 machine=$3 loggp=$4 folder=$5
loggopsim=- simgrid=-

# parameter KEY FACTOR: of the model loggp, in whole units.
parameter() { awk -v key="$1:" -v factor="$2" '$1 == key { printf "%.0f", $2 * factor }' "$loggp"; }

if [ -n "${LOGGOPSIM:-}" ]; then
    "$vef" export "$trace" --format goal --force -o "$folder/goal" >&2
    sed 's/calc \([0-9][0-9]*\)/calc \1000/' "$folder/goal" >"$folder/goal.ps"
    "$(dirname "$LOGGOPSIM")/txt2bin" -i "$folder/goal.ps" -o "$folder/goal.bin" >&2
    loggopsim=$("$LOGGOPSIM" -f "$folder/goal.bin" -b -L "$(parameter latency 1000)" -o "$(parameter overhead 1000)" -g 0 \
        -G "$(parameter gap_per_byte 1000)" -O "$(parameter overhead_per_byte 1000)" -S "$(parameter rendezvous_bytes 1)" |
        awk '/^Maximum finishing time/ { printf "%.0f", $7 / 1000 }')
fi
if [ -n "${SIMGRID:-}" ]; then
    cat >"$folder/platform.xml" <<'END'
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1ns" sharing_policy="SPLITDUPLEX"/>
<route src="h0" dst="h1"><link_ctn id="l" direction="UP"/></route>
</zone></platform>
END
    printf 'h0\nh1\n' >"$folder/hosts"
    "$vef" export "$trace" --format simgrid-ti --force -o "$folder/ti" >&2
    # The options are words of their own.
    # shellcheck disable=SC2046
    simgrid=$("$SIMGRID" -np 2 -platform "$folder/platform.xml" -hostfile "$folder/hosts" \
        $(awk -f bench/peers/simgrid_options.awk "$machine") -replay "$folder/ti" 2>&1 |
        awk '/Simulation time/ { printf "%.0f", $NF * 1e9 }')
    rm -rf "$folder"/ti "$folder"/ti_*
fi
echo "$loggopsim $simgrid"
