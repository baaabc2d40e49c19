#!/bin/sh
# What capture costs: nanoseconds added per MPI call, by loops of tiny calls and a ping-pong between two
# tasks (bench/capture/calls.c) without the library and with it in turn, with the wall clock, with computation
# alone, with the CPU clock, and with the wall clock and call sites; medians of PAIRS differences. And bytes per event in the logs and in the
# trace. Called with the build folder.
set -eu
export LC_ALL=C # numbers with a decimal point
build=$1
pairs=${PAIRS:-7}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mpiexec=${MPIEXEC:-mpiexec.mpich}
${MPICC:-mpicc.mpich} -O2 -w -o "$scratch/calls" bench/capture/calls.c

# captured NAME OPTIONS: what it prints goes to the file of that name, one run below the other.
captured() {
    name=$1
    shift
    rm -rf "$scratch/$name.vef"*
    "$build/vef" capture --force --keep-logs --oversubscribe off "$@" -o "$scratch/$name.vef" \
        "$mpiexec" -n 2 "$scratch/calls" >>"$scratch/$name" 2>"$scratch/$name.told"
}

for pair in $(seq "$pairs"); do
    "$mpiexec" -n 2 "$scratch/calls" >>"$scratch/plain"
    captured wall --clock wall
    captured compute --clock wall --times compute
    captured cpu --clock cpu
    captured sites --clock wall --sites
done

# The n-th run of one file is the pair of the n-th of the others.
paste -d ' ' "$scratch/plain" "$scratch/wall" "$scratch/compute" "$scratch/cpu" "$scratch/sites" | awk '
function median(list, count,    i, j, t) {
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}
function added(name, column,    i, list) {
    for (i = 1; i <= runs[name]; i++) list[i] = ns[name, column, i] - ns[name, 2, i]
    return median(list, runs[name])
}
{ if (!($1 in runs)) order[++loops] = $1; n = ++runs[$1]; for (i = 2; i <= 10; i += 2) ns[$1, i, n] = $i }
END {
    printf "%-26s %12s %34s\n", "ns per call", "without", "added by capture with"
    printf "%-26s %12s %12s %12s %12s %12s\n", "", "capture", "wall clock", "compute only", "CPU clock", "sites"
    for (k = 1; k <= loops; k++) {
        name = order[k]
        for (i = 1; i <= runs[name]; i++) a[i] = ns[name, 2, i]
        printf "%-26s %12.1f %12.1f %12.1f %12.1f %12.1f\n", name, median(a, runs[name]), added(name, 4), added(name, 6), added(name, 8),
            added(name, 10)
    }
}'
for name in wall compute sites; do
    events=$(sed -n 's/.* \([0-9]*\) events.*/\1/p' "$scratch/$name.told")
    logs=$(cat "$scratch/$name".vef.logs-*/task-*.vlog | wc -c)
    echo "$name $events $logs $(wc -c <"$scratch/$name.vef")" |
        awk '{ printf "%-8s %d events: %.2f bytes each in the logs, %.2f in the trace\n", $1, $2, $3 / $2, $4 / $2 }'
done
