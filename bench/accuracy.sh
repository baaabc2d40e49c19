#!/bin/sh
# Predicted against measured: fits this machine (`vef fit pingpong`), runs programs with two tasks, captures them as often,
# replays every capture on the fitted machine, and writes docs/results/accuracy.md to stdout; all of it with pages of 4 KiB and with
# huge pages. Needs two idle cores; takes about ten minutes. RUNS=N: runs of each (10). NetPIPE and ScaLAPACK's LU take
# part where Debian's packages of them are installed, and LogGOPSim and SimGrid with LOGGOPSIM and SIMGRID (docs/benchmarks.md).
# Called with the build folder.
set -u
export LC_ALL=C # numbers with a decimal point
build=$1
vef=$build/vef
runs=${RUNS:-10}
mpiexec=${MPIEXEC:-mpiexec.mpich}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
lu=$(ls /usr/lib/*/scalapack/mpich-tests/xdlu 2>/dev/null | head -n 1)

# The median, and half the range, in percent of it, of the numbers of a file.
median() {
    sort -g "$1" | awk '{ v[NR] = $1 } END { m = (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2
        printf "%.6f %.1f\n", m, m ? 50 * (v[NR] - v[1]) / m : 0 }'
}
# number KEY FILE: the first value of a key of a JSON file, which is the outermost.
number() { sed -n "s/^ *\"$1\": \([0-9.]*\),\{0,1\}\$/\1/p" "$2" | head -n 1; }
# The seconds that an example prints for its measured part; 0 for other programs.
printed() { awk '/verified$/ { for (i = 2; i <= NF; i++) if ($i == "s") s = $(i - 1) } END { print s + 0 }' "$1"; }

# run COMMAND...: in the folder for files of programs.
run() { (cd "$scratch/run" && exec "$@"); }

# Fits to pieces and, as if on two nodes, to one line. A busy machine may become quiet again.
fit() {
    tries=5
    until "$vef" fit pingpong -o "$scratch/machine.yaml" --force --save "$scratch/measured.csv" --quiet >&2; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || exit 1
        sleep 10
    done
    sed 's/^# host 1 .*/# host 1 another/' "$scratch/measured.csv" >"$scratch/line.csv"
    "$vef" fit pingpong -o "$scratch/loggp.yaml" --force --measured "$scratch/line.csv" --accept-noise >&2 || exit 1
}

# row NAME COMMAND...
row() {
    name=$1
    shift
    rm -f "$scratch"/values.*
    for _ in $(seq "$runs"); do
        run "$mpiexec" -n 2 "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; exit 1; }
        printed "$scratch/out" >>"$scratch/values.plain"
        run "$vef" capture --force -o "$scratch/run.vef" "$mpiexec" -n 2 "$@" \
            >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/err" >&2; exit 1; }
        printed "$scratch/out" >>"$scratch/values.captured"
        "$vef" info --json "$scratch/run.vef" >"$scratch/info" || exit 1
        "$vef" replay "$scratch/run.vef" --net "$scratch/machine.yaml" --map block --json >"$scratch/replay" || exit 1
        "$vef" replay "$scratch/run.vef" --net '{model: ideal}' --json >"$scratch/none" || exit 1
        measured=$(number run_ns "$scratch/info") predicted=$(number time_ns "$scratch/replay")
        echo "$measured $predicted $(number time_ns "$scratch/none")" >"$scratch/times"
        awk '{ print $1 / 1e9 }' "$scratch/times" >>"$scratch/values.measured"
        awk '{ print $2 / 1e9 }' "$scratch/times" >>"$scratch/values.predicted"
        awk '{ printf "%.3f\n", 100 * ($2 / $1 - 1) }' "$scratch/times" >>"$scratch/values.error"
        awk '{ printf "%.3f\n", 100 * ($3 / $1 - 1) }' "$scratch/times" >>"$scratch/values.ideal"
    done
    echo "$name | $(median "$scratch/values.plain") $(median "$scratch/values.captured") $(median "$scratch/values.measured")" \
        "$(median "$scratch/values.predicted") $(median "$scratch/values.error") $(median "$scratch/values.ideal")"
    peers=$(sh bench/peers/predict.sh "$vef" "$scratch/run.vef" "$scratch/machine.yaml" "$scratch/loggp.yaml" "$scratch" \
        2>"$scratch/err") || { cat "$scratch/err" >&2; exit 1; }
    echo "$name | $measured $predicted $peers" >>"$scratch/peers"
}

# The programs; those behind the examples were not used in the development of `vef fit`.
rows() {
    row 'cg -n 200000 -d 64 -i 4' "$build/examples/cg" -n 200000 -d 64 -i 4
    row 'fft3d -n 128 -i 6' "$build/examples/fft3d" -n 128 -i 6
    row 'sort -n 16000000 -i 20' "$build/examples/sort" -n 16000000 -i 20
    row 'halo2d -n 4096 -i 60' "$build/examples/halo2d" -n 4096 -i 60
    row 'wavefront -n 128 -i 50' "$build/examples/wavefront" -n 128 -i 50
    row 'bfs -n 18 -i 8' "$build/examples/bfs" -n 18 -i 8
    [ -z "$lu" ] || row 'ScaLAPACK xdlu' "$lu"
    if command -v NPmpich2 >/dev/null; then
        row 'NPmpich2 -I -n 20 -u 4194304' NPmpich2 -I -n 20 -u 4194304 -o np.out
        row 'NPmpich2 -n 20 -u 4194304' NPmpich2 -n 20 -u 4194304 -o np.out
    fi
}

# part TITLE: a section with the table of all programs.
part() {
    printf '\n## %s\n\n' "$1"
    rm -f "$scratch/peers"
    fit
    rows >"$scratch/rows"
    cat "$scratch/rows" >&2
    echo '| program | s, as printed | +- | with capture | Init to Finalize | +- | predicted | error | error without costs |'
    echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- |'
    awk -F' [|] ' '{ split($2, v, " ")
        printf "| `%s` | ", $1
        if (v[1] > 0) printf "%.3f | %.1f %% | %+.1f %%", v[1], v[2], 100 * (v[3] / v[1] - 1)
        else printf "- | - | -"
        printf " | %.3f | %.1f %% | %.3f | %+.2f %% | %+.2f %% |\n", v[5], v[6], v[7], v[9], v[11] }' "$scratch/rows"
    awk -F' [|] ' '{ split($2, v, " "); if (v[1] > 0) print v[9] < 0 ? -v[9] : v[9] }' "$scratch/rows" >"$scratch/errors"
    printf '\nMedian error of the six examples: %.2f %%.\n' "$(median "$scratch/errors" | cut -d' ' -f1)"
}

# The table of other simulators, of the last part.
other_simulators() {
    [ -n "${LOGGOPSIM:-}${SIMGRID:-}" ] || return
    cat <<'END'

## The same traces on other simulators

Errors for the last capture of each program with huge pages. LogGOPSim and SimGrid replay what `vef export` writes, with
parameters that are fitted to the same measurements: SimGrid's overheads, latency and bandwidth are those of the machine
file, piece by piece; LogGOPSim has one line for all sizes (`model: loggp` gives its times, [interchange.md](../interchange.md)).

| program | vef | LogGOPSim | SimGrid |
| --- | --- | --- | --- |
END
    awk -F' [|] ' '
        function error(ns) { return ns == "-" ? "-" : sprintf("%+.2f %%", 100 * (ns / v[1] - 1)) }
        { split($2, v, " "); printf "| `%s` | %s | %s | %s |\n", $1, error(v[2]), error(v[3]), error(v[4]) }' "$scratch/peers"
}

mkdir "$scratch/run"
cat >"$scratch/run/LU.dat" <<'END'
'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out' output file name (if any)
6 device out
4 number of problems sizes
400 450 500 550 values of M
400 450 500 550 values of N
4 number of NB's
4 8 16 32 values of NB
1 number of NRHS's
1 values of NRHS
1 Number of NBRHS's
1 values of NBRHS
2 number of process grids
1 2 values of P
2 1 values of Q
1.0 threshold
F (T or F) Test Cond. Est. and Iter. Ref. Routines
END
build=$(realpath "$build")
vef=$build/vef
cat <<'END'
# Accuracy

The page compares the times that a replay predicts with measured ones. `make accuracy` writes it anew: it fits the machine with
`vef fit pingpong` (two tasks, a core each), runs every program ten times without and ten times with capture, and replays each
capture on the fitted machine with `--map block`. Everything is on one node, so messages take `host.memory_time`.

Columns: the median of the time that the program prints, and half the range over the runs in percent; how much longer that is with
capture; the median time from the end of MPI_Init to MPI_Finalize in the captured runs, and its half range; the median
prediction; the median over the runs of the error of each replay against its own run; the same on an ideal network without
host costs.

Runs on real networks of 16 nodes, predicted by both network models: [cluster.md](cluster.md).

The last three programs are not part of vef, and nothing was fitted to them: the LU factorisation of ScaLAPACK's tests (matrices
of 400 to 550, blocks of 4 to 32; 180,000 MPI calls per second and task) and NetPIPE, whose sizes are not those of the fit.
END
part 'Pages of 4 KiB'
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
part 'Huge pages'
other_simulators
cat <<'END'

## What the replay does not have

- **Pages.** A program that receives into new memory (malloc, not written yet) waits inside MPI until the system has given it
  pages of zeros: the only Alltoallv of bfs took 30 to 130 ms with pages of 4 KiB, and 9 ms with huge ones. Large copies
  also take longer with small pages. The second table has `GLIBC_TUNABLES=glibc.malloc.hugetlb=1`, the usual state of systems
  whose `/sys/kernel/mm/transparent_hugepage/enabled` is `always`.
- **Datatypes.** halo2d sends columns (`MPI_Type_vector`): MPI packs and unpacks 4,096 values with a stride of 32 KiB each, a cache
  miss per value. A trace has the bytes of a message, but not its layout, and `vef fit` measures contiguous buffers. Nearly
  all messages of ScaLAPACK have such types.
- **Progress.** MPICH copies a long message inside a node when the receiver is in an MPI call; in a replay it arrives while the
  receiver computes. bfs has such messages.
- **The state of caches.** NetPIPE without `-I` sends the buffer that it has just received, and receives into the one that the
  other task has just read, so each line has to be taken from the cache of the other core first: up to four times as slow as
  between separate buffers, and different from run to run. Few programs do that. With `-I` both buffers of small messages are
  in memory; the fit has them in the cache.
- **The start of tasks.** Tasks leave MPI_Init at different times; in a replay all begin at 0.
- **Interruptions inside MPI calls.** They lengthen the measured run; a replay has those in computation only.
END
