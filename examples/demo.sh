#!/bin/sh
# The demonstration (`make demo`): captures the six examples under the real mpiexec and shows how long
# each would have run on other networks: the experiment of the task-mapping study of rectangular
# twisted tori (Camarero et al., Figures 10 and 11), with our programs. `examples/demo.sh BUILD`.
#
# Traces, results (JSON) and logs stay in BUILD/demo. Status 1 when a program, a capture or a replay fails.
set -u
export LC_ALL=C # numbers with a decimal point
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
: "${MPIEXEC:=mpiexec.mpich}"
vef=$build/vef
out=$build/demo
networks=examples/networks
programs='cg fft3d sort halo2d wavefront bfs'
concentrated='cg halo2d' # the two of the second table
unions='horizontal vertical twisted'
started=$(date +%s)
mkdir -p "$out" || exit 2

# Progress: a line that is written over on a terminal, lines in a log.
total=$((6 + 6 * 5 + 2 + 2 * 6)) done=0
say() {
    done=$((done + 1))
    if [ -t 2 ]; then
        printf '\r\033[K[%2d/%d] %3d s  %s' $done $total $(($(date +%s) - started)) "$*" >&2
    else
        echo "[$done/$total] $*" >&2
    fi
}
quiet() { [ ! -t 2 ] || printf '\r\033[K' >&2; }
give_up() {
    quiet
    echo "demo: $1 failed:" >&2
    tail -n 20 "$2" >&2
    exit 1
}

# A number at the top level of a result.
number() { sed -n "s/^  \"$2\": \([-+.0-9e]*\),\{0,1\}\$/\1/p" "$1"; }

# capture PROGRAM TASKS: the trace $out/PROGRAM-TASKS.vef and what `vef info` says of it.
capture() {
    name=$1-$2
    say "capturing $1 with $2 tasks"
    "$vef" capture --force -o "$out/$name.vef" "$MPIEXEC" -n "$2" "$build/examples/$1" >"$out/$name.log" 2>&1 ||
        give_up "capturing $1 with $2 tasks" "$out/$name.log"
    grep -q 'verified$' "$out/$name.log" || give_up "$1's own check" "$out/$name.log"
    "$vef" info --json "$out/$name.vef" >"$out/$name.json" 2>"$out/$name.err" ||
        give_up "vef info" "$out/$name.err"
}

# replay PROGRAM-TASKS NETWORK LABEL OPTIONS...: leaves the time in us in $out/PROGRAM-TASKS@LABEL.us.
replay() {
    name=$1@$3
    network=$2
    say "replaying $1 on $network${4:+ $4 $5}"
    trace=$out/$1.vef
    shift 3
    "$vef" replay "$trace" --net "$networks/$network.yaml" "$@" --json >"$out/$name.json" 2>"$out/$name.err" ||
        give_up "replaying $trace on $network $*" "$out/$name.err"
    number "$out/$name.json" time_ns | awk '{ printf "%.1f\n", $1 / 1e3; n++ } END { exit n != 1 }' \
        >"$out/$name.us" || give_up "reading the time of $out/$name.json" "$out/$name.json"
}

# calls PROGRAM-TASKS: MPI calls recorded over all tasks.
calls() {
    sed -n '/^  "calls": {/,/^  }/p' "$out/$1.json" | awk -F': ' 'NR > 1 { sum += $2 } END { print sum + 0 }'
}
us() { cat "$out/$1.us"; }

for program in $programs; do
    capture "$program" 32
    replay "$program-32" ideal ideal
    replay "$program-32" mesh-8x4 mesh
    replay "$program-32" rt-4 rt
    replay "$program-32" rtt-4 rtt-identity --map identity --grid 8x4
    replay "$program-32" rtt-4 rtt-diagonal --map diagonal-shift --grid 8x4
done
for program in $concentrated; do
    capture "$program" 64
    for union in $unions; do
        grid=8x8
        [ $union != horizontal ] || grid=16x4
        replay "$program-64" rt-4-c2 rt-$union --map "$union-union(2)" --grid $grid
        replay "$program-64" rtt-4-c2 rtt-$union --map "$union-union(2)" --grid $grid
    done
done
quiet

# Rounded, and never "-0.0".
tenths='function tenths(x) { return int(10 * x + (x < 0 ? -0.5 : 0.5)) / 10 + 0 }
'
cat <<'END'
Execution time in microseconds, 32 tasks, one on each of 8x4 routers. Gain: the time that the better
mapping on the twisted torus RTT(4) saves of that on the rectangular torus RT(4).

                MPI     bytes      ideal       mesh               ---- RTT(4) -----    gain
program       calls  per call    network        8x4      RT(4)   identity  diagonal    in %
END
for program in $programs; do
    echo "$program $(calls "$program-32") $(wc -c <"$out/$program-32.vef") $(us "$program-32@ideal")" \
        "$(us "$program-32@mesh") $(us "$program-32@rt") $(us "$program-32@rtt-identity")" \
        "$(us "$program-32@rtt-diagonal")"
done | awk "$tenths"'{
    best = $7 < $8 ? $7 : $8
    gain = 100 * (1 - best / $6)
    sum += gain
    printf "%-9s %9d  %8.2f  %9.0f  %9.0f  %9.0f %9.0f %9.0f  %6.1f\n", $1, $2, $3 / $2, $4, $5, $6, $7, $8, tenths(gain)
} END { printf "%-9s %81.1f\n", "mean", tenths(sum / NR) }'

cat <<'END'

Execution time in microseconds, 64 tasks, two on each of 8x4 routers, by the mapping that unites two
tasks. Gain: the best on RTT(4) against the best on RT(4).

           ----------- RT(4) -----------   ----------- RTT(4) ----------    gain
program    horizontal  vertical  twisted   horizontal  vertical  twisted    in %
END
for program in $concentrated; do
    line=$program
    for torus in rt rtt; do
        for union in $unions; do
            line="$line $(us "$program-64@$torus-$union")"
        done
    done
    echo "$line"
done | awk "$tenths"'function best(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) } {
    printf "%-9s %11.0f %9.0f %8.0f %12.0f %9.0f %8.0f  %6.1f\n", $1, $2, $3, $4, $5, $6, $7,
        tenths(100 * (1 - best($5, $6, $7) / best($2, $3, $4)))
}'
echo
echo "$(($(date +%s) - started)) s. The traces are $out/*.vef; look into one with $vef info $out/cg-32.vef"
