#!/bin/sh
# `vef info` from the outside: a trace written by hand, and what it must say of it, added up by hand.
set -u
vef=$1/vef
dir=${TMPDIR:-/tmp}/info.$$
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
failed=0
version=$(sed -n 's/.*VEF_TEXT_VERSION = \([0-9]*\).*/\1/p' "$(dirname "$0")"/../../traces/text/*.h)
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
# Times are in ns. Task 0 computes 3000 and is 1000 in MPI (not counting Init), task 1 1000 and 3000,
# task 2 2000 and 500; so the run takes 4000, the mean computation is 2000: load balance 2/3,
# communication 3/4, parallel 1/2.
cat >"$dir/hand.txt" <<TEXT
vef-trace $version
tasks 3
application "./by hand"
not_recorded Put 3
comm 0 members=0-2
comm 1 parent=0 by=Comm_split members=0-1
task 0
Init gap=77777 time=99999
Send to=1 bytes=1000 gap=1000 time=100
Isend to=1 bytes=3000 gap=1000 time=100
Irecv from=2 bytes=0 gap=0 time=50 flags=any-source,any-tag
Waitall requests=0-1 gap=1000 time=150
Allreduce bytes=8 elements=1 time=600
Finalize time=55555
task 1
Init time=11111
Recv from=0 gap=500 time=1500
Recv from=0 time=900 flags=any-tag
Test marks=poll repeats=5 time=100
Allreduce bytes=8 elements=1 gap=500 time=500
Finalize
task 2
Init
Send to=0 bytes=0 gap=2000 time=400
Allreduce bytes=8 elements=1 time=100
Finalize
TEXT
"$vef" assemble "$dir/hand.txt" -o "$dir/a.vef" && "$vef" check "$dir/a.vef" >/dev/null || exit 1

# Known drifts of the time-stamp counter: task 2's is the greatest but usual; then task 1's is not.
sed '/^application/a measured 1 clock_compared_ns=50000000000 clock_error_ns=1000' "$dir/hand.txt" |
    sed '/^measured/a measured 2 clock_compared_ns=45000000000 clock_error_ns=90000' >"$dir/drift.txt"
"$vef" assemble "$dir/drift.txt" -o "$dir/drift.vef" || exit 1
expect 0 "at most 90 us in 45 s (2.0 ppm): time-stamp counter against CLOCK_MONOTONIC, in task 2" \
    "$vef" info "$dir/drift.vef"
if grep -q '^warning' "$dir/out"; then echo "a usual drift is a warning"; failed=1; fi
expect 0 '"clock_compared_ns": 45000000000,' "$vef" info --json "$dir/drift.vef"
expect 0 '"clock_error_ns": 90000,' "$vef" info --json "$dir/drift.vef"
sed 's/error_ns=1000$/error_ns=60000000 clock_jumps=2/' "$dir/drift.txt" >"$dir/jump.txt"
"$vef" assemble "$dir/jump.txt" -o "$dir/jump.vef" || exit 1
expect 0 "1 of 3 tasks (1), most in task 1: 0.06 s in 50 s, 2 jumps (" "$vef" info "$dir/jump.vef"
expect 0 '"clock_jumps": 2' "$vef" info --json "$dir/jump.vef"
if "$vef" info "$dir/a.vef" | grep -q '^clock drift'; then echo "a drift that was not measured"; failed=1; fi

# The page.
expect 0 "parallel 0.500 = load balance 0.667 x communication 0.750, of 0.000004 s" "$vef" info "$dir/a.vef"
expect 0 "2 of 3 receives, 66.7 % (any source 1, any tag 2)" "$vef" info "$dir/a.vef"
expect 0 "3 calls, 14.3 % of all, 26.7 % of the time in MPI" "$vef" info "$dir/a.vef"
expect 0 "not counting 0.000167 s" "$vef" info "$dir/a.vef"

# Tables as CSV, exact.
csv() {
    want=$1
    shift
    expect 0 "$want" "$vef" info "$dir/a.vef" --csv "$@"
}
csv "call,calls,tasks,bytes,time_ns,mean_ns,longest_ns,share_of_mpi,share_of_run" --calls
csv "MPI_Recv,2,1,4000,2400,1200,1500,0.533333,0.228571" --calls
csv "MPI_Send,2,2,1000,500,250,400,0.111111,0.047619" --calls
csv "MPI_Test,5,1,0,100,20,20,0.022222,0.009524" --calls
csv "MPI_Allreduce,3,3,24,1200,400,600,0.266667,0.114286" --calls
csv "MPI_Init,3,3,0,111110,37037,99999,," --calls
csv "0,1,7,7,1,2,4000,1,0,0,0,2,3000,1000,0,finalized" --per-task
csv "1,1,6,10,1,0,0,2,4000,0,0,1,1000,3000,0,finalized" --per-task
csv "2,1,4,4,1,1,0,0,0,0,0,1,2000,500,0,finalized" --per-task
csv "from_bytes,to_bytes,messages,message_bytes,collective_calls,collective_bytes,one_sided,one_sided_bytes" --sizes
csv "0,0,1,0,0,0,0,0" --sizes
csv "8,15,0,0,3,24,0,0" --sizes
csv "512,1023,1,1000,0,0,0,0" --sizes
csv "2048,4095,1,3000,0,0,0,0" --sizes
csv "0,2,1,1,1,2" --partners
csv "1,1,0,1,-,0" --partners
csv "2,1,1,0,0,-" --partners
csv "1500,1,0,1,MPI_Recv,task 0,500" --waits 1
csv "600,0,0,5,MPI_Allreduce,communicator 0,3400" --waits 9
csv "150,0,0,4,MPI_Waitall,2 operations,3250" --waits 9
csv "0,MPI_Init,,3,3,4000,3,24,1200,0,0,0" --communicators
csv "1,MPI_Comm_split,0,2,0,0,0,0,0,0,0,0" --communicators
csv "0,1,2,4000,0,0" --matrix
csv "2,0,1,0,0,0" --matrix
[ "$("$vef" info "$dir/a.vef" --csv --waits 9 | wc -l)" -eq 10 ] || { echo "not 9 waits"; failed=1; }
[ "$("$vef" info "$dir/a.vef" --csv --waits 9 | grep -c -e Init -e Finalize -e Test)" -eq 0 ] ||
    { echo "calls that wait for nobody are among the waits"; failed=1; }
# Two tables: an empty line between them.
csv "" --matrix --partners

# JSON is JSON, and says the same.
expect 0 '"load_balance": 0.66666' "$vef" info --json "$dir/a.vef"
expect 0 '"wildcard_receives": 2,' "$vef" info --json "$dir/a.vef"
expect 0 '"startup_ns": 166665,' "$vef" info --json "$dir/a.vef"
if command -v python3 >/dev/null; then
    "$vef" info --json --matrix "$dir/a.vef" | python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["run_ns"] == 4000 and info["mpi_ns"] == 4500 and info["compute_ns"] == 6000
assert sum(pair["bytes"] for pair in info["matrix"]) == info["message_bytes"] == 4000
assert sum(task["mpi_ns"] for task in info["per_task"]) == info["mpi_ns"]
assert sum(call["time_ns"] for call in info["call_details"].values()) == info["mpi_ns"] + info["startup_ns"]
assert sum(kind["time_ns"] for kind in info["kinds"].values()) == info["mpi_ns"]
assert [wait["duration_ns"] for wait in info["longest_waits"]] == [1500, 900, 600, 500, 400]
' || failed=1
fi

# A trace without times inside calls says so, and shows none.
sed 's/ time=[0-9]*//; s/^tasks 3/&\ntimes "compute"/' "$dir/hand.txt" >"$dir/compute.txt"
"$vef" assemble "$dir/compute.txt" -o "$dir/compute.vef" || failed=1
expect 0 "times inside calls were not recorded" "$vef" info "$dir/compute.vef"
grep -q -e 'in MPI' -e 'longest' -e 'parallel' "$dir/out" && { echo "it shows times that are not there:"; cat "$dir/out"; failed=1; }
expect 0 "load balance 0.667" "$vef" info "$dir/compute.vef"
expect 0 '"mpi_ns": null' "$vef" info --json "$dir/compute.vef"
expect 0 "call,calls,tasks,bytes" "$vef" info --csv --calls "$dir/compute.vef"
expect 0 "times inside calls were not recorded" "$vef" info --waits 3 "$dir/compute.vef"

# Options that do not go together, names that tell no format.
expect 2 "--csv: expected with --calls, --sites, --per-task, " "$vef" info --csv "$dir/a.vef"
expect 2 "not supported together" "$vef" info --csv --json "$dir/a.vef"
expect 2 "ends in .svg, .pdf or .png" "$vef" info --plot "$dir/a.gif" "$dir/a.vef"

# Pictures: of few tasks, of many (the axes tell them all), of none that send.
if command -v rsvg-convert >/dev/null; then
    expect 0 "parallel" "$vef" info --plot "$dir/a.png" "$dir/a.vef"
    [ ! -s "$dir/err" ] || { echo "drawing said: $(cat "$dir/err")"; failed=1; }
    [ "$(head -c 4 "$dir/a.png" | tail -c 3)" = PNG ] || { echo "a.png is no PNG"; failed=1; }
    expect 0 "parallel" "$vef" info --plot "$dir/a.pdf" "$dir/a.vef"
    [ "$(head -c 4 "$dir/a.pdf")" = %PDF ] || { echo "a.pdf is no PDF"; failed=1; }
fi
expect 0 "parallel" "$vef" info --plot "$dir/a.svg" "$dir/a.vef"
grep -q 'receiving task' "$dir/a.svg" && grep -q 'bytes from task to task' "$dir/a.svg" ||
    { echo "a.svg has no axes"; failed=1; }
{
    printf "vef-trace $version\ntasks 600\n"
    i=0
    while [ $i -lt 600 ]; do
        printf 'task %d\nSendrecv to=%d bytes=%d from=%d\n' $i $(((i + 1) % 600)) $((i + 1)) $(((i + 599) % 600))
        i=$((i + 1))
    done
} >"$dir/ring.txt"
"$vef" assemble "$dir/ring.txt" -o "$dir/ring.vef" || failed=1
expect 0 "partners" "$vef" info --plot "$dir/ring.svg" "$dir/ring.vef"
grep -q 'bytes from 3 tasks to 3 tasks' "$dir/ring.svg" || { echo "600 tasks are not drawn 3 to a cell"; failed=1; }
printf "vef-trace $version\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nFinalize\n" | "$vef" assemble - -o "$dir/still.vef"
expect 1 "nothing to draw" "$vef" info --plot "$dir/still.svg" "$dir/still.vef"
expect 0 "tasks" "$vef" info "$dir/still.vef"
# Collectives, as a replay sends them: pairwise, an Alltoall has a message for each ordered pair of its tasks, all alike.
"$vef" generate '{workload: collective, call: Alltoall, bytes: 1 MiB, tasks: 12}' -o "$dir/all.vef"
expect 0 "tasks" "$vef" info --plot "$dir/all.svg" "$dir/all.vef"
grep -q 'collectives: preset mpich' "$dir/all.svg" || { echo "all.svg does not say how collectives are sent"; failed=1; }
cells=$(sed -n 's/.*<path fill="#[0-9a-f]*" d="\(.*\)/\1/p' "$dir/all.svg" | tr -cd M | wc -c)
[ "$cells" -eq 132 ] || { echo "$cells of 132 pairs of an Alltoall are drawn"; failed=1; }
expect 0 "tasks" env PATH=/nonexistent "$vef" info --plot "$dir/b.svg" "$dir/a.vef"
expect 2 "--plot: pictures as .pdf and .png need rsvg-convert (Debian: the package librsvg2-bin)" \
    env PATH=/nonexistent "$vef" info --plot "$dir/b.pdf" "$dir/a.vef"
# A mark takes no time: what is divided by that is empty in exact tables, as in the others.
printf "vef-trace $version\ntasks 1\ntask 0\nMark name=\"turn\"\n" | "$vef" assemble - -o "$dir/mark.vef"
expect 0 "turn,0,1,0,0,0,0,0,,0,0" "$vef" info --csv --regions "$dir/mark.vef"

# Call sites: 1400 ns in MPI, 400 of them in the barrier, 100 and 300: a mean of 200 and a standard deviation of 100.
# What only receives is not among the senders.
cat >"$dir/sites.txt" <<TEXT
vef-trace $version
tasks 2
site 1 offset=7 line=10 module="/x/app" function="f" file="/x/a.c" caller="main at b.c:3"
site 2 offset=16 module="/x/b.so"
site 3 function="g" offset=255
task 0
Send to=1 bytes=100 time=300 site=1
Send to=1 bytes=50 time=100 site=1
Barrier time=100 site=3
task 1
Recv from=0 time=500 site=2
Recv from=0 gap=600 time=100 site=2
Barrier time=300 site=3
TEXT
"$vef" assemble "$dir/sites.txt" -o "$dir/sites.vef" || failed=1
expect 0 "1,MPI_Send,/x/a.c,10,f,main at b.c:3,/x/app,7,2,1,150,400,200,300,0.285714,0.200000,0.00" \
    "$vef" info --csv --sites "$dir/sites.vef"
expect 0 "2,MPI_Recv,,,,,/x/b.so,16,2,1,150,600,300,500,0.428571,0.300000,0.00" "$vef" info --csv --sites "$dir/sites.vef"
expect 0 "3,MPI_Barrier,,,g,,,255,2,2,0,400,200,300,0.285714,0.200000,0.50" "$vef" info --csv --sites "$dir/sites.vef"
expect 0 "MPI_Recv     b.so+0x10" "$vef" info --sites "$dir/sites.vef"
expect 0 "MPI_Barrier  g@0xff" "$vef" info --sites "$dir/sites.vef"
expect 0 "MPI_Send  a.c:10      2         150        75.0  100.0 %" "$vef" info --sites "$dir/sites.vef"
expect 0 "call sites: not recorded (vef capture --sites)" "$vef" info --sites "$dir/still.vef"
exit $failed
