#!/bin/sh
# What capture costs: nanoseconds added per MPI call, by loops of tiny calls and a ping-pong between two
# tasks (bench/capture/calls.c) with the library and without it in turn, medians of PAIRS pairs; and bytes
# per event in the logs and in the trace. Called with the build folder.
set -eu
build=$1
pairs=${PAIRS:-7}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mpiexec=${MPIEXEC:-mpiexec.mpich}
${MPICC:-mpicc.mpich} -O2 -w -o "$scratch/calls" bench/capture/calls.c

for pair in $(seq "$pairs"); do
    "$mpiexec" -n 2 "$scratch/calls" >>"$scratch/plain"
    "$build/vef" capture --force --keep-logs --clock wall --oversubscribe off -o "$scratch/calls.vef" \
        "$mpiexec" -n 2 "$scratch/calls" >>"$scratch/captured" 2>"$scratch/told"
    [ "$pair" -eq "$pairs" ] || rm -rf "$scratch"/calls.vef.logs-*
done

# The n-th run of one file is the pair of the n-th of the other.
paste -d ' ' "$scratch/plain" "$scratch/captured" | awk '
function median(list, count,    i, j, t) {
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}
{ if (!($1 in runs)) order[++loops] = $1; n = ++runs[$1]; plain[$1, n] = $2; with[$1, n] = $4 }
END {
    printf "%-26s %12s %12s %12s %7s\n", "loop", "without ns", "with ns", "added ns", "ratio"
    for (k = 1; k <= loops; k++) {
        name = order[k]
        for (i = 1; i <= runs[name]; i++) { a[i] = plain[name, i]; b[i] = with[name, i]; d[i] = b[i] - a[i] }
        x = median(a, runs[name]); y = median(b, runs[name])
        printf "%-26s %12.1f %12.1f %12.1f %7.2f\n", name, x, y, median(d, runs[name]), y / x
    }
}'
events=$(sed -n 's/.* \([0-9]*\) events.*/\1/p' "$scratch/told")
cat "$scratch"/calls.vef.logs-*/task-*.vlog | wc -c | awk -v n="$events" '{ printf "log   %8.2f bytes per event, %d events\n", $1 / n, n }'
wc -c <"$scratch/calls.vef" | awk -v n="$events" '{ printf "trace %8.2f bytes per event\n", $1 / n }'
