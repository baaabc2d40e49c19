#!/bin/sh
# What capture keeps in a task's memory: the resident size of 50 million calls (bench/capture/many_calls.c;
# CALLS for another number), without the library and with it. Called with the build folder. The log takes
# some 700 MB of $TMPDIR while it runs, and is not merged.
set -eu
export LC_ALL=C # numbers with a decimal point
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${MPICC:-mpicc.mpich} -O2 -w -o "$scratch/many_calls" bench/capture/many_calls.c
echo "without: $("$scratch/many_calls" "${CALLS:-50000000}")"
mkdir "$scratch/logs"
echo "with:    $(VEF_CAPTURE_DIR=$scratch/logs VEF_CAPTURE_CLOCK=wall LD_PRELOAD=$build/libvefcapture.so \
    "$scratch/many_calls" "${CALLS:-50000000}")"
cat "$scratch"/logs/*.vlog | wc -c | awk -v n="${CALLS:-50000000}" \
    '{ printf "log      %.0f MB, %.2f bytes per call\n", $1 / 1e6, $1 / n }'
