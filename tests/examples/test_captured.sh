#!/bin/sh
# The whole way: each example with 4 tasks under the real mpiexec, captured, checked, replayed. What it
# sends is known from its source: the numbers below are counted from the algorithms by hand.
set -u
awk() { LC_ALL=C command awk "$@"; } # numbers with a decimal point
build=$1
vef=$build/vef
failures=0
: "${MPIEXEC:=mpiexec.mpich}"
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
# The value of KEY in a JSON file of one member a line: the first, which is the outermost.
value() { sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1" | head -n 1; }
expect() {
    found=$(value "$1" "$2")
    [ "$found" = "$3" ] || fail "$(basename "$1"): $2 is '$found', not $3"
}

# captured PROGRAM ARGUMENTS...: leaves $TMPDIR/PROGRAM.vef and .json, consistent, and replays it.
captured() {
    program=$1
    trace=$TMPDIR/$program.vef
    shift
    "$vef" capture -o "$trace" "$MPIEXEC" -n 4 "$build/examples/$program" "$@" >"$TMPDIR/out" 2>&1 ||
        fail "capture of $program: $(cat "$TMPDIR/out")"
    grep -q 'verified$' "$TMPDIR/out" || fail "$program: $(cat "$TMPDIR/out")"
    "$vef" check "$trace" >"$TMPDIR/out" 2>&1 || fail "vef check $program: $(cat "$TMPDIR/out")"
    "$vef" info --json "$trace" >"$TMPDIR/$program.json" || fail "vef info $program"
    expect "$TMPDIR/$program.json" tasks 4
    expect "$TMPDIR/$program.json" MPI_Finalize 4
    for network in ideal rt-4 rtt-4-c2; do
        "$vef" replay "$trace" --net examples/networks/$network.yaml --json >"$TMPDIR/$network" ||
            fail "replay of $program on $network"
        expect "$TMPDIR/$network" stalled null
    done
    ideal=$(value "$TMPDIR/ideal" time_cycles) torus=$(value "$TMPDIR/rt-4" time_cycles)
    LC_ALL=C awk "BEGIN { exit !(0 < $ideal && $ideal < $torus) }" ||
        fail "$program takes $ideal cycles on the ideal network and $torus on RT(4)"
    "$vef" replay "$trace" --net examples/networks/rt-4.yaml --json >"$TMPDIR/again"
    expect "$TMPDIR/again" time_cycles "$torus"
    interchanged
    consistent
    explained
}

# time_with SETTING...: the time of the trace in ns, on RT(4) with these settings.
time_with() {
    "$vef" replay "$trace" --net examples/networks/rt-4.yaml --json "$@" >"$TMPDIR/time" ||
        fail "$program with $*"
    value "$TMPDIR/time" time_ns
}
# never_slower WHAT TIME THAN: by more than 10 %, for another order of packets may cost so much.
never_slower() {
    awk "BEGIN { exit !($2 <= 1.1 * $3) }" || fail "$program with $1 takes $2 ns instead of $3"
}
# Where messages and processors cost nothing the replay takes as long as the longest chain of computation, found
# in the exported schedule by a program of its own; and a better machine is never slower.
consistent() {
    "$vef" replay "$trace" --net '{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' \
        --eager-threshold '1 GiB' --json >"$TMPDIR/chain"
    expect "$TMPDIR/chain" time_cycles "$(LC_ALL=C awk -f tests/examples/longest_path.awk "$TMPDIR/goal")"
    usual=$(time_with)
    never_slower 'four times the bandwidth' "$(time_with --set 'link.bandwidth=4 Gbit/s')" "$usual"
    never_slower 'processors twice as fast' "$(time_with --compute-scale 0.5)" "$usual"
    never_slower 'links of one cycle' "$usual" "$(time_with --set link.delay_cycles=500)"
    never_slower 'no overheads' "$usual" "$(time_with --set 'host.send_overhead=10 us')"
    never_slower 'no noise' "$usual" \
        "$(time_with --set 'host.noise={kind: periodic, period: 100 us, duration: 30 us}')"
}

# Out to GOAL and back is the same program: to the picosecond, on every network. SimGrid's actions belong
# together: what one task sends another receives, what is waited for was started; and where SimGrid is
# here, it replays them.
interchanged() {
    rm -f "$TMPDIR/goal" "$TMPDIR/back.vef" "$TMPDIR"/ti*
    "$vef" export "$trace" --format goal -o "$TMPDIR/goal" >"$TMPDIR/out" 2>&1 &&
        "$vef" import "$TMPDIR/goal" --format goal -o "$TMPDIR/back.vef" >"$TMPDIR/out" 2>&1 &&
        "$vef" check "$TMPDIR/back.vef" >"$TMPDIR/out" 2>&1 ||
        fail "$program out to GOAL and back: $(cat "$TMPDIR/out")"
    for network in ideal rt-4 rtt-4-c2; do
        for which in "$trace" "$TMPDIR/back.vef"; do
            "$vef" replay "$which" --net examples/networks/$network.yaml --json >"$TMPDIR/$(basename "$which").time"
        done
        expect "$TMPDIR/back.vef.time" time_cycles "$(value "$TMPDIR/$program.vef.time" time_cycles)"
    done
    # Lines have one dependency each, and on a network without delays that is enough. What a task computes after
    # its last communication has no line.
    rm -f "$TMPDIR/lines"* "$TMPDIR/back.vef" "$TMPDIR/cut.vef"
    "$vef" dump "$trace" | awk '
        function put(i) { for (i = 1; i <= n; i++) { if (i > last) sub(/ gap=[0-9]*/, "", call[i]); print call[i] }; n = 0 }
        /^task / { put(); last = 0 }
        { call[++n] = $0 }
        !/^(task|Init|Comm_free|Pcontrol|Finalize|end)/ { last = n }
        END { put() }' | "$vef" assemble - -o "$TMPDIR/cut.vef" || fail "$program without its end"
    "$vef" export "$trace" --format vef-text -o "$TMPDIR/lines" >"$TMPDIR/out" 2>&1 &&
        "$vef" import "$TMPDIR/lines" --format vef-text -o "$TMPDIR/back.vef" >"$TMPDIR/out" 2>&1 &&
        "$vef" check "$TMPDIR/back.vef" >"$TMPDIR/out" 2>&1 ||
        fail "$program out to VEF's text and back: $(cat "$TMPDIR/out")"
    for which in "$TMPDIR/cut.vef" "$TMPDIR/back.vef"; do
        "$vef" replay "$which" --net '{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' \
            --eager-threshold '1 GiB' --json >"$TMPDIR/$(basename "$which").time"
    done
    for key in time_cycles messages message_bytes; do
        expect "$TMPDIR/back.vef.time" $key "$(value "$TMPDIR/cut.vef.time" $key)"
    done
    "$vef" export "$trace" --format simgrid-ti -o "$TMPDIR/ti" >"$TMPDIR/out" 2>&1 ||
        fail "$program to SimGrid: $(cat "$TMPDIR/out")"
    [ "$(wc -l <"$TMPDIR/ti")" = 4 ] || fail "$program: the index names $(wc -l <"$TMPDIR/ti") files, not 4"
    cat "$TMPDIR"/ti.[0-3] | awk '
        $2 ~ /^i?send$/ { way[$1 " " $3 " " $4 " " $5] += 1; if ($2 == "isend") live[$1 " " $1 " " $3 " " $4]++ }
        $2 ~ /^i?recv$/ { way[$3 " " $1 " " $4 " " $5] -= 1; if ($2 == "irecv") live[$1 " " $3 " " $1 " " $4]++ }
        $2 == "wait" && live[$1 " " $3 " " $4 " " $5]-- <= 0 { print "waits for what was not started: " $0; bad = 1 }
        $2 == "init" || $2 == "finalize" { life[$2]++ }
        END {
            for (w in way) if (way[w]) { print "sent less received: " w " " way[w]; bad = 1 }
            if (life["init"] != 4 || life["finalize"] != 4) { print "not all begin and end"; bad = 1 }
            exit bad
        }' >"$TMPDIR/out" || fail "$program to SimGrid: $(head -n 3 "$TMPDIR/out")"
    command -v smpirun >/dev/null || return 0
    cat >"$TMPDIR/platform.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1.25GBps" lat="1us"/>
</platform>
END
    printf 'n%d\n' 0 1 2 3 >"$TMPDIR/hosts"
    # By names relative to its folder: smpirun splits them, and $TMPDIR, at spaces.
    (cd "$TMPDIR" && LC_ALL=C TMPDIR=/tmp smpirun -np 4 -platform platform.xml -hostfile hosts -replay ti) \
        >"$TMPDIR/out" 2>&1 && grep -q 'Simulation time [0-9.]*[1-9]' "$TMPDIR/out" ||
        fail "SimGrid on $program: $(tail -n 2 "$TMPDIR/out")"
}

# Where the time of a replay went: causes add up to the end of each task, and the critical path to the
# time of the replay, to the cycle; the rest of the report is that of the plain replay.
explained() {
    command -v python3 >/dev/null || return 0
    for network in rt-4 rtt-4; do
        for explain in '' '--explain --once'; do
            # shellcheck disable=SC2086 # none or two words
            "$vef" replay "$trace" --net examples/networks/$network.yaml --json $explain \
                >"$TMPDIR/explained${explain:+.once}" || fail "$program with '$explain'"
        done
        python3 - "$TMPDIR/explained" "$TMPDIR/explained.once" >"$TMPDIR/out" 2>&1 <<'END' ||
import json, sys
plain, found = (json.load(open(name)) for name in sys.argv[1:])
explain, links = found.pop("explain"), found.pop("links")
assert found == plain, "another replay"
time = found["time_cycles"]
assert sum(piece["path_cycles"] for piece in explain["critical_path"]) == time
assert abs(sum(piece["path_share"] for piece in explain["critical_path"]) - 1) < 1e-9
assert len(explain["tasks"]) == found["tasks"]
for task in explain["tasks"]:
    assert sum(task["causes"].values()) == task["end_cycles"], task
    assert task["end_cycles"] + task["imbalance_cycles"] == time, task
assert min(task["imbalance_cycles"] for task in explain["tasks"]) == 0
assert [link["utilization"] for link in links] == [link["phits"] / time for link in links], links
END
            fail "$program explained on $network: $(tail -n 3 "$TMPDIR/out")"
    done
}

# 10 steps, 4 borders of 32 values from each of 2x2 tasks.
captured halo2d -n 64 -i 10
expect "$TMPDIR/halo2d.json" messages 160
expect "$TMPDIR/halo2d.json" message_bytes $((160 * 32 * 8))
# 2x2 tasks: 25 iterations of a sum over rows (128 values, all tasks), a swap (128 values, the two tasks
# off the diagonal) and two scalar products, and one scalar product to start with.
captured cg -n 256 -d 8 -i 1
expect "$TMPDIR/cg.json" messages $((25 * (4 + 2 + 8) + 4))
expect "$TMPDIR/cg.json" message_bytes $((25 * (6 * 128 + 8) * 8 + 4 * 8))
# One transform forward, one back for each step, one of the plane wave.
captured fft3d -n 16 -i 3
expect "$TMPDIR/fft3d.json" MPI_Alltoall $((4 * 5))
expect "$TMPDIR/fft3d.json" messages 0
# The greatest key goes along the tasks; rounds, and two sums at the end.
captured sort -n 20000 -i 3
expect "$TMPDIR/sort.json" messages 3
expect "$TMPDIR/sort.json" MPI_Alltoallv $((4 * 3))
expect "$TMPDIR/sort.json" MPI_Allreduce $((4 * (3 + 2)))
# 3 iterations of 2 sweeps over 12 planes, across the 4 inner borders of 2x2 tasks, 6 points of 5 values.
captured wavefront -n 12 -i 3
expect "$TMPDIR/wavefront.json" messages $((3 * 2 * 12 * 4))
expect "$TMPDIR/wavefront.json" message_bytes $((3 * 2 * 12 * 4 * 6 * 5 * 8))
# The check comes after MPI_Pcontrol(0): its Allgatherv is not recorded.
captured bfs -n 9 -i 3
expect "$TMPDIR/bfs.json" MPI_Alltoallv 4
expect "$TMPDIR/bfs.json" MPI_Allgatherv ''
[ $failures -eq 0 ]
