#!/bin/sh
# Predicted against measured: fits this machine (`vef fit pingpong`), runs each example with two tasks, captures it as
# often, replays every capture on the fitted machine, and writes docs/accuracy.md to stdout. Needs two idle cores; takes
# about three minutes. RUNS=N: runs of each (10). Called with the build folder.
set -u
export LC_ALL=C # numbers with a decimal point
build=$1
vef=$build/vef
runs=${RUNS:-10}
mpiexec=${MPIEXEC:-mpiexec.mpich}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$vef" fit pingpong -o "$scratch/machine.yaml" --quiet >&2 || exit 1

# The median, and half the range, in percent of it, of the numbers of a file.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2
        printf "%.6f %.1f\n", m, m ? 50 * (v[NR] - v[1]) / m : 0 }'
}
# number KEY FILE: the first value of a key of a JSON file, which is the outermost.
number() { sed -n "s/^ *\"$1\": \([0-9.]*\),\{0,1\}\$/\1/p" "$2" | head -n 1; }
# The seconds that an example prints for its measured part.
printed() { awk '/verified$/ { for (i = 2; i <= NF; i++) if ($i == "s") print $(i - 1) }' "$1"; }

row() {
    program=$1
    shift
    rm -f "$scratch"/plain "$scratch"/captured "$scratch"/measured "$scratch"/predicted "$scratch"/error "$scratch"/ideal
    for _ in $(seq "$runs"); do
        "$mpiexec" -n 2 "$build/examples/$program" "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; exit 1; }
        printed "$scratch/out" >>"$scratch/plain"
        "$vef" capture --force -o "$scratch/run.vef" "$mpiexec" -n 2 "$build/examples/$program" "$@" \
            >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/err" >&2; exit 1; }
        printed "$scratch/out" >>"$scratch/captured"
        "$vef" info --json "$scratch/run.vef" >"$scratch/info" || exit 1
        "$vef" replay "$scratch/run.vef" --net "$scratch/machine.yaml" --map block --json >"$scratch/replay" || exit 1
        "$vef" replay "$scratch/run.vef" --net '{model: ideal}' --json >"$scratch/none" || exit 1
        measured=$(number run_ns "$scratch/info")
        echo "$measured $(number time_ns "$scratch/replay") $(number time_ns "$scratch/none")" >"$scratch/times"
        awk '{ print $1 / 1e9 }' "$scratch/times" >>"$scratch/measured"
        awk '{ print $2 / 1e9 }' "$scratch/times" >>"$scratch/predicted"
        awk '{ printf "%.3f\n", 100 * ($2 / $1 - 1) }' "$scratch/times" >>"$scratch/error"
        awk '{ printf "%.3f\n", 100 * ($3 / $1 - 1) }' "$scratch/times" >>"$scratch/ideal"
    done
    echo "$program $* | $(median "$scratch/plain") $(median "$scratch/captured") $(median "$scratch/measured")" \
        "$(median "$scratch/predicted") $(median "$scratch/error") $(median "$scratch/ideal")"
}

cat <<'END'
# Accuracy

The page compares the times that a replay predicts with measured ones. `make accuracy` writes it anew: it fits the machine with
`vef fit pingpong` (two tasks, a core each), runs every example ten times without and ten times with capture, and replays each
capture on the fitted machine with `--map block`. Everything is on one node, so messages take `host.memory_time`.

| program | s, as printed | +- | with capture | Init to Finalize | +- | predicted | error | error without costs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
END
{
    row cg -n 200000 -d 64 -i 4
    row fft3d -n 128 -i 6
    row sort -n 16000000 -i 20
    row halo2d -n 4096 -i 60
    row wavefront -n 128 -i 50
    row bfs -n 18 -i 8
} | tee "$scratch/rows" >&2
awk -F' [|] ' '{ split($2, v, " ")
    printf "| `%s` | %.3f | %.1f %% | %+.1f %% | %.3f | %.1f %% | %.3f | %+.2f %% | %+.2f %% |\n", $1, v[1], v[2],
        100 * (v[3] / v[1] - 1), v[5], v[6], v[7], v[9], v[11] }' "$scratch/rows"
awk -F' [|] ' '{ split($2, v, " "); print v[9] < 0 ? -v[9] : v[9] }' "$scratch/rows" >"$scratch/errors"
printf '\nMedian error: %.2f %%.\n' "$(median "$scratch/errors" | cut -d' ' -f1)"
cat <<'END'

Columns: the median of the time that the program prints, and half the range over the runs in percent; how much longer that is with
capture; the median time from the end of MPI_Init to MPI_Finalize in the captured runs, and its half range; the median
prediction; the median over the runs of the error of each replay against its own run; the same on an ideal network without
host costs.

What the replay does not have:

- **Datatypes.** halo2d sends columns (`MPI_Type_vector`): MPI packs and unpacks 4,096 values with a stride of 32 KiB each, a cache
  miss per value. A trace has the bytes of a message, but not its layout, and `vef fit` measures contiguous buffers.
- **Copies inside collectives.** sort and bfs send most of their bytes with Alltoallv, and half of them to themselves: MPI copies
  these from one buffer to the other, which the replay does for nothing. Both tasks also copy what they receive at the same
  time, through the same memory, at sizes of megabytes.
- **The start of tasks.** Tasks leave MPI_Init at different times; in a replay all begin at 0.
- **Interruptions inside MPI calls.** They lengthen the measured run; a replay has those in computation only.
- **Cold caches.** The buffers of the fit are in the cache.
END
