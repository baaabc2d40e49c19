#!/bin/sh
# The subcommands that work on traces, from the outside: exit statuses, where messages go, JSON, round trip
# by pipe, damaged files, full disks.
set -u
vef=$1/vef
dir=${TMPDIR:-/tmp}/traces.$$
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
cd "$(dirname "$0")/../.." || exit 2
failed=0
# expect STATUS TEXT COMMAND...: the command ends with this status and says TEXT on stdout or stderr.
expect() {
    status=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got -ne "$status" ] || ! { echo && cat "$dir/out" "$dir/err"; } | grep -qF -- "$text"; then
        echo "$*: status $got, expected $status and '$text'; it said:"
        cat "$dir/out" "$dir/err"
        failed=1
    fi
}
cat >"$dir/hand.txt" <<'TEXT'
vef-trace 1
tasks 2
application "./two tasks"
not_recorded Put 3
task 0
Init
Send to=1 bytes=1024 gap=1000 time=10
Send to=1 bytes=100 tag=1
Test marks=poll repeats=5
Barrier
task 1
Init
Recv from=0 tag=1
Recv from=0
Barrier
TEXT
expect 0 "" "$vef" assemble "$dir/hand.txt" -o "$dir/a.vef"
expect 0 "no fault" "$vef" check "$dir/a.vef"
expect 0 "./two tasks" "$vef" info "$dir/a.vef"
expect 0 "MPI_Put 3" "$vef" info "$dir/a.vef"
expect 0 "0,1,2,1124" "$vef" info --matrix "$dir/a.vef"
expect 0 "finalized" "$vef" info --per-task "$dir/a.vef"
expect 0 '"messages": 2,' "$vef" info --json "$dir/a.vef"
expect 0 '"message_bytes": 1124,' "$vef" info --json "$dir/a.vef"
expect 0 '"events": 9,' "$vef" info --json "$dir/a.vef"
expect 0 '"MPI_Test": 5' "$vef" info --json "$dir/a.vef"
expect 0 '"MPI_Put": 3' "$vef" info --json "$dir/a.vef"
expect 0 'Recv from=0 bytes=100 tag=1 ordinal=1' "$vef" dump --task 1 "$dir/a.vef"
"$vef" dump "$dir/a.vef" | "$vef" assemble - -o "$dir/b.vef" && cmp "$dir/a.vef" "$dir/b.vef" || failed=1

# What cannot be understood ends with 2, and says where.
sed 's/Send to=1 bytes=1024/Send to=5/' "$dir/hand.txt" >"$dir/wrong.txt"
expect 2 "a.vef exists: expected a new file, or --force" "$vef" assemble "$dir/hand.txt" -o "$dir/a.vef"
expect 0 "" "$vef" assemble --force "$dir/hand.txt" -o "$dir/a.vef"
expect 2 "wrong.txt:7:" "$vef" assemble "$dir/wrong.txt" -o "$dir/c.vef"
[ ! -e "$dir/c.vef" ] || { echo "a failed assemble left its output"; failed=1; }
expect 2 "--task 7: out of range" "$vef" dump --task 7 "$dir/a.vef"
expect 2 "No such file" "$vef" info "$dir/none.vef"
expect 2 "not a vef trace" "$vef" check Makefile
expect 2 "missing TRACE: expected a trace" "$vef" info
expect 2 "--jason" "$vef" info --jason "$dir/a.vef"
expect 2 "no logs" "$vef" gather "$dir" -o "$dir/c.vef"
expect 2 "No such file" "$vef" gather "$dir/none" -o "$dir/c.vef"
expect 2 "No such file" "$vef" assemble "$dir/hand.txt" -o "$dir/none/c.vef"
mkfifo "$dir/pipe" && expect 2 "not a regular file" timeout 10 "$vef" info "$dir/pipe" # nobody writes to it
mkdir "$dir/logs" && mkfifo "$dir/logs/task-000000.vlog"
expect 2 "not a regular file" timeout 10 "$vef" gather "$dir/logs" -o "$dir/c.vef"
printf '\211VEFLOG\n\001\000\000\000\000\000\000\000' >"$dir/log" # traces/FORMAT.md: how a log begins
expect 2 "\`vef gather\` merges the logs of a folder" "$vef" check "$dir/log"
printf '\001' | dd of="$dir/b.vef" bs=1 seek=8 conv=notrunc 2>/dev/null
expect 2 "version 1: expected version 2 to 5" "$vef" info "$dir/b.vef"

# Cut short: what is whole is shown, the rest is told, the status is 1.
size=$(wc -c <"$dir/a.vef")
head -c $((size - 10)) "$dir/a.vef" >"$dir/cut.vef"
expect 1 "index at its end is missing" "$vef" info "$dir/cut.vef"
expect 1 "with 9 events" "$vef" check "$dir/cut.vef"
expect 1 "Send to=1 bytes=1024" "$vef" dump "$dir/cut.vef"
head -c 30 "$dir/a.vef" >"$dir/cut.vef"
expect 2 "ends early" "$vef" info "$dir/cut.vef"

# A file may not grow as far as the trace would.
expect 2 "File too large" sh -c 'said=$(ulimit -f 0; "$@" 2>&1); status=$?; echo "$said"; exit $status' - "$vef" assemble "$dir/hand.txt" -o "$dir/c.vef"

# A full disk.
if [ -w /dev/full ]; then
    "$vef" dump "$dir/a.vef" >/dev/full 2>"$dir/err"
    [ $? -eq 2 ] && grep -q "No space left" "$dir/err" || { echo "dump to a full disk"; failed=1; }
    "$vef" info --json "$dir/a.vef" >/dev/full 2>"$dir/err"
    [ $? -eq 2 ] && [ -s "$dir/err" ] || { echo "info to a full disk"; failed=1; }
fi
# What holds nothing or is no file, by its name and no line of it.
: >"$dir/empty"
expect 2 "$dir/empty: this is an empty file: expected" "$vef" assemble "$dir/empty" -o "$dir/c.vef"
expect 2 "$dir/empty: this is an empty file: expected" "$vef" import "$dir/empty" --format goal -o "$dir/c.vef"
expect 2 "$dir: this is a folder: expected" "$vef" assemble "$dir" -o "$dir/c.vef"
expect 2 "$dir: this is a folder: expected" "$vef" import "$dir" --format goal -o "$dir/c.vef"
# What a file says that there is takes no memory before it is there: a request of a number beyond all
# memory, counts and runs of requests by a few letters.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nIsend to=1 bytes=8 request=1000000000000000000\ntask 1\nInit\nRecv from=0\n' >"$dir/request.txt"
expect 0 "" "$vef" assemble "$dir/request.txt" -o "$dir/request.vef"
expect 1 "task 0, event 1 (MPI_Isend): starts request 1000000000000000000: expected 0" "$vef" check "$dir/request.vef"
expect 1 "task 0, event 1: starts request 1000000000000000000, which is never completed" "$vef" check "$dir/request.vef"
printf 'vef-trace 1\ntasks 2\ntask 0\nAlltoallv sends=8*2000000000\n' >"$dir/counts.txt"
expect 2 "counts.txt:4: sends: too many counts: expected at most 2" "$vef" assemble "$dir/counts.txt" -o "$dir/c.vef"
printf 'vef-trace 1\ntasks 2\ntask 0\nWaitall requests=0-4194303,5000000\n' >"$dir/runs.txt"
expect 2 "runs.txt:4: requests: '5000000' is descending or too long: expected at most 4194304 requests" "$vef" assemble "$dir/runs.txt" -o "$dir/c.vef"
# Sums stop at 2^64-1 and say so.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nBarrier gap=18446744073709551615 time=5\nBarrier gap=5\ntask 1\nInit\nBarrier gap=18446744073709551610\nBarrier gap=5\n' >"$dir/gaps.txt"
expect 0 "" "$vef" assemble "$dir/gaps.txt" -o "$dir/gaps.vef"
expect 0 '"compute_ns": 18446744073709551615' "$vef" info --json "$dir/gaps.vef"
expect 0 '"run_ns": 18446744073709551615' "$vef" info --json "$dir/gaps.vef"
expect 0 "gaps.vef: some sums exceed 2^64-1" "$vef" info "$dir/gaps.vef"
expect 0 "0,1,3,3,2,0,0,0,0,0,0,0,18446744073709551615,5,0," "$vef" info --csv --per-task "$dir/gaps.vef"
expect 0 "1,1,3,3,2,0,0,0,0,0,0,0,18446744073709551615,0,0," "$vef" info --csv --per-task "$dir/gaps.vef"
"$vef" info "$dir/a.vef" 2>&1 >/dev/null | grep . && { echo "info speaks of sums that do not exceed anything"; failed=1; }
for command in info dump assemble check gather; do
    expect 0 "usage: vef $command" "$vef" "$command" --help
done
exit $failed
