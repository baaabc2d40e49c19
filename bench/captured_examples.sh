#!/bin/sh
# What capture costs whole programs: each example with TASKS tasks (64) run plain and captured in turn, wall
# time in seconds, the least of ROUNDS runs each; and bytes per MPI call of its trace, with all times and with
# computation alone. Where tasks share cores MPICH's waiting tasks take them from the others, and capture lets
# them give way: so plain runs are stopped after LIMIT seconds (120), and a captured run may be the faster.
# Called with the build folder.
set -u
export LC_ALL=C # numbers with a decimal point
build=$1
tasks=${TASKS:-64} rounds=${ROUNDS:-2} limit=${LIMIT:-120}
mpiexec=${MPIEXEC:-mpiexec.mpich}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# seconds COMMAND...: how long it takes, or ">LIMIT".
seconds() {
    start=$(date +%s%N)
    timeout "$limit" "$@" >"$scratch/out" 2>&1 || { echo ">$limit"; return; }
    echo "$start $(date +%s%N)" | awk '{printf "%.2f\n", ($2 - $1) / 1e9}'
}
least() { sort -g "$1" | head -n 1; }

printf '%-10s %9s %9s %9s %11s %12s\n' program plain captured calls 'bytes/call' '… computing'
for program in cg fft3d sort halo2d wavefront bfs; do
    rm -f "$scratch"/plain "$scratch"/captured
    for _ in $(seq "$rounds"); do
        seconds "$mpiexec" -n "$tasks" "$build/examples/$program" >>"$scratch/plain"
        seconds "$build/vef" capture --force -o "$scratch/all.vef" "$mpiexec" -n "$tasks" \
            "$build/examples/$program" >>"$scratch/captured"
    done
    "$build/vef" capture --force --times compute -o "$scratch/compute.vef" "$mpiexec" -n "$tasks" \
        "$build/examples/$program" >"$scratch/out" 2>&1
    calls=$("$build/vef" info --json "$scratch/all.vef" | sed -n 's/^ *"mpi_calls": \([0-9]*\),*$/\1/p')
    per_call() { echo "$(wc -c <"$1") $calls" | awk '{printf "%.2f\n", $1 / $2}'; }
    printf '%-10s %9s %9s %9s %11s %12s\n' $program "$(least "$scratch/plain")" "$(least "$scratch/captured")" \
        "$calls" "$(per_call "$scratch/all.vef")" "$(per_call "$scratch/compute.vef")"
done
