#!/bin/sh
# Two builds side by side: what users wait for, and the rates of the inner loops. `make bench BASE=FOLDER` compares
# this tree with another checkout, which it builds; without BASE it measures this tree alone. The builds run
# alternately, ROUNDS times (default 3); the table has medians, the least and the greatest value, and how many times as
# good this build is. PARTS selects some of them ("router library"). Machines are shared and noisy: a ratio counts, a single figure does not. With BOOKSIM,
# LOGGOPSIM or SIMGRID, the programs of other simulators, the table also has their figures (docs/benchmarks.md).
#
# usage: bench/compare.sh BUILD [BASE]
set -eu
export LC_ALL=C
build=$1
base=${2:-}
rounds=${ROUNDS:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR="$scratch"

base_build=
if [ -n "$base" ]; then
    echo "building $base" >&2
    make -s -C "$base" all build/bench/router build/bench/replay build/bench/merge >&2
    base_build=$base/build
fi
${MPICC:-mpicc.mpich} -O2 -w -o "$scratch/calls" bench/capture/calls.c
mpiexec=${MPIEXEC:-mpiexec.mpich}

# ---- the rows: each function prints lines "row|unit|value" for the build folder $1; units in s or ns: less is better

# timed ROW COMMAND...: the seconds that a command takes.
timed() {
    row=$1
    shift
    began=$(date +%s.%N)
    "$@" >/dev/null 2>"$scratch/err" || { cat "$scratch/err" >&2; exit 1; }
    echo "$row|s|$(date +%s.%N | awk -v began="$began" '{ printf "%.4f", $1 - began }')"
}

# router BUILD TOPOLOGY LOAD CYCLES ROW
router() {
    echo "topology: $2" >"$scratch/net.yaml"
    "$1/bench/router" "$scratch/net.yaml" "$3" "$4" | awk -v row="$5" 'END { print row "|Mhops/s|" $4; print row "|B/router|" $6 }'
}

measure_router() {
    router "$1" '{family: torus, sizes: [16, 16]}' 0.25 30000 'router: torus 16x16, half of saturation' | head -n 1
    router "$1" '{family: torus, sizes: [16, 16]}' 1 12000 'router: torus 16x16, past saturation' | head -n 1
    router "$1" '{family: pdtt, a: 32}' 0.1071 120 'router: pdtt 64x32x32, half of saturation'
}

measure_load() {
    timed 'load: 10 points, torus 16x16' "$1/vef" load '{topology: {family: torus, sizes: [16, 16]}}' \
        --rate 0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.38,0.6,1 --csv
}

measure_replay() {
    "$1/bench/replay" | awk '/^ *(64|1024|16384) / { print "replay: " $1 " tasks, ideal|Mevents/s|" $3; print "reader: " $1 " tasks|Mevents/s|" $5 }'
}

# A replay through both interfaces of libvef, and the same by the program.
measure_library() {
    [ -f "$1/libvef.so" ] || return 0
    torus='{topology: {family: torus, sizes: [16, 16]}}'
    [ -f "$scratch/stencil.vef" ] || "$build/vef" generate -o "$scratch/stencil.vef" \
        '{workload: stencil, points: 9, tasks: 256, block: [64, 64], iterations: 200, compute: {time: 20 us, imbalance: 0.2}}' >&2
    "${CC:-cc}" -O2 -Ilib examples/embed/replay.c -o "$scratch/embedded" -L"$1" -lvef -Wl,-rpath,"$(realpath "$1")"
    timed 'libvef: 409,600 messages through both interfaces' "$scratch/embedded" "$scratch/stencil.vef" "$torus"
    timed 'libvef: the same by vef replay' "$1/vef" replay "$scratch/stencil.vef" --net "$torus" --threads 1
}

measure_merge() {
    began=$(date +%s.%N)
    "$1/bench/merge" 64 1000000 >/dev/null
    echo "logs and merge: 64 tasks, 1 M events|s|$(date +%s.%N | awk -v began="$began" '{ printf "%.4f", $1 - began }')"
}

measure_verify() {
    timed 'verify: torus 16x16x16' "$1/vef" verify '{topology: {family: torus, sizes: [16, 16, 16]}}'
    timed 'topology: rtt 64x32' "$1/vef" topology '{family: rtt, a: 32}'
}

measure_capture() {
    for clock in wall cpu; do
        "$mpiexec" -n 2 "$scratch/calls" >"$scratch/plain"
        "$1/vef" capture --force --oversubscribe off --clock $clock -o "$scratch/calls.vef" "$mpiexec" -n 2 "$scratch/calls" \
            >"$scratch/captured" 2>"$scratch/err" || { cat "$scratch/err" >&2; exit 1; }
        paste -d ' ' "$scratch/plain" "$scratch/captured" | awk -v clock=$clock '$1 ~ /^(Send-to-nobody|Irecv-Isend-Waitall)$/ {
            print "capture: " $1 ", " clock " clock|ns/call|" $4 - $2 }'
    done
}

# ---- rounds, alternating which build is first

all_rows() {
    for part in ${PARTS:-router load replay library merge verify capture}; do
        for round in $(seq "$rounds"); do
            for side in $([ $((round % 2)) = 0 ] && echo base this || echo this base); do
                folder=$build
                [ "$side" = this ] || folder=$base_build
                [ -n "$folder" ] || continue
                "measure_$part" "$folder" | sed "s/^/$side|/"
            done
        done
        echo "$part" >&2
    done
}

# Lines "peer|row|text".
peers() {
    if [ -n "${BOOKSIM:-}" ]; then
        "$BOOKSIM" bench/peers/booksim-torus-16x16.cfg >"$scratch/booksim" 2>&1 || true
        awk -f bench/peers/booksim.awk "$scratch/booksim"
    fi
    [ -z "${LOGGOPSIM:-}${SIMGRID:-}" ] || sh bench/peers/replay.sh "$build" "$scratch"
}

{ all_rows; peers; } | awk -F '|' -v compared="$base_build" '
function sort(list, count,    i, j, t) {
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
}
function short(x) { return sprintf(x >= 1000 ? "%.0f" : "%.3g", x) }
function describe(side, row,    i, list, count) {
    count = runs[side, row]
    for (i = 1; i <= count; i++) list[i] = value[side, row, i]
    sort(list, count)
    median[side] = count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
    return sprintf("%9s %17s", short(median[side]), "(" short(list[1]) " to " short(list[count]) ")")
}
$1 == "peer" { peer[$2] = peer[$2] (peer[$2] ? ", " : "") $3; next }
{ row = $2 SUBSEP $3
  if (!(row in unit)) { order[++rows] = row; name[row] = $2; unit[row] = $3 }
  value[$1, row, ++runs[$1, row]] = $4 + 0 }
END {
    printf "%-42s %-9s %27s", "", "", "this build"
    if (compared) printf " %27s %6s", "base", "ratio"
    print "  peer"
    for (k = 1; k <= rows; k++) {
        row = order[k]
        printf "%-42s %-9s %s", name[row], unit[row], describe("this", row)
        if (compared && runs["base", row]) {
            text = describe("base", row)
            less = unit[row] == "s" || unit[row] == "ns/call" || unit[row] == "B/router"
            printf " %s %6.2f", text, less ? median["base"] / median["this"] : median["this"] / median["base"]
        } else if (compared)
            printf " %27s %6s", "", ""
        print "  " (unit[row] == "B/router" ? "" : peer[name[row]])
    }
}'
