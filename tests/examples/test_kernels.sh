#!/bin/sh
# Traces of examples/studies/kernels.sh: consistent, and with as many messages of 8 KiB as each kernel sends.
set -u
export LC_ALL=C
build=$1
failures=0
sh examples/studies/kernels.sh "$build/vef" "$TMPDIR" 4 32 >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; exit 1; }

# messages KERNEL TASKS NUMBER: in four iterations; those of Alltoall are no messages of the trace
messages() {
    trace=$TMPDIR/$1-$2.vef
    "$build/vef" check "$trace" >"$TMPDIR/out" 2>&1 && grep -q ": $2 tasks, .* $3 messages: no fault" "$TMPDIR/out" ||
        { echo "FAIL: $1, $2 tasks: expected $3 messages"; cat "$TMPDIR/out"; failures=1; }
    "$build/vef" info "$trace" --json | grep -q "\"message_bytes\": $(($3 * 8192))," ||
        { echo "FAIL: $1, $2 tasks: expected $3 messages of 8192 bytes"; failures=1; }
}
for tasks in 4 32; do
    log=2
    [ $tasks -eq 4 ] || log=5
    messages stencil $tasks $((4 * 4 * tasks))
    messages alltoall $tasks 0
    messages butterfly $tasks $((4 * log * tasks))
    messages shift $tasks $((4 * tasks))
    messages random $tasks $((4 * tasks))
done
# On a torus of 8 x 4 routers the neighbours of the stencil are those of the network: all bytes go one hop.
"$build/vef" map "$TMPDIR/stencil-32.vef" --net '{topology: {family: torus, sizes: [8, 4]}}' --map identity --json >"$TMPDIR/map" 2>&1
grep -q "\"hop_bytes\": $((4 * 4 * 32 * 8192))," "$TMPDIR/map" || { echo "FAIL: neighbours that are not"; cat "$TMPDIR/map"; failures=1; }
[ $failures -eq 0 ]
