#!/bin/sh
# `vef slice` from the outside: a trace written by hand, and what each slice of it must be, by hand too.
set -u
vef=$1/vef
dir=${TMPDIR:-/tmp}/slice.$$
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
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
# After Init (which does not count) the calls are entered at: task 0 at 1000, 2000, 3500, 4000, 4500, 5000,
# 6000; task 1 at 2000, 3600, 4000, 5000, 6500; task 2 at 2000, 5000, 6000.
version=$(sed -n 's/.*VEF_TEXT_VERSION = \([0-9]*\).*/\1/p' "$(dirname "$0")"/../../traces/text/words.h)
cat >"$dir/hand.txt" <<TEXT
vef-trace $version
tasks 3
options "as written"
comm 0 members=0-2
comm 1 parent=0 by=Comm_split members=0-1
task 0
Init gap=333 time=5000
Isend to=1 bytes=100 gap=1000 time=100
Barrier gap=900 time=1000
Send to=1 bytes=200 gap=500 time=100
Waitall requests=0 gap=400
Isend to=2 bytes=300 gap=500
Barrier gap=500 time=500
Waitall requests=1 gap=500
Finalize
task 1
Init time=7777
Barrier gap=2000 time=1000
Recv from=0 gap=600
Recv from=0 gap=400
Barrier gap=1000 time=500
Finalize gap=1000
task 2
Init
Barrier gap=2000 time=1000
Barrier gap=2000 time=500
Recv from=0 gap=500
Finalize
TEXT
"$vef" assemble "$dir/hand.txt" -o "$dir/a.vef" && "$vef" check "$dir/a.vef" >/dev/null || exit 1

# slice ARGUMENTS...: cuts, and the result must be the trace whose text (without its head, and with HEAD before
# it) stands on standard input; is consistent, and replays.
head=
slice() {
    { printf 'vef-trace %s\ntasks 3\n%s' "$version" "$head" && cat; } >"$dir/wanted.txt"
    "$vef" assemble "$dir/wanted.txt" --force -o "$dir/wanted.vef" || failed=1
    "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --force "$@" >"$dir/said" || failed=1
    for which in wanted s; do # the places that calls had among those of the task's threads may have gaps
        "$vef" dump "$dir/$which.vef" | sed '/^options/d; s/ entered=[0-9]*//' >"$dir/$which.dump"
    done
    diff "$dir/wanted.dump" "$dir/s.dump" >"$dir/differ" ||
        { echo "slice $*: wanted (<), found (>)" && cat "$dir/differ" && failed=1; }
    expect 0 "no fault" "$vef" check "$dir/s.vef"
    expect 0 "execution time" "$vef" replay "$dir/s.vef" --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}'
}
said() { grep -qF -- "$1" "$dir/said" || { echo "it did not say '$1' but:" && cat "$dir/said" && failed=1; }; }
comms='comm 0 members=0-2
comm 1 parent=0 by=Comm_split members=0-1
'

# By time. The Isend of 100 bytes was sent before and is received inside: its sender sends it first. The
# Waitall loses the request that began before; the last Isend is received and waited for after the end.
head=$comms
slice --time 3200ns-5600ns <<'TEXT'
task 0
Isend to=1 bytes=100 time=0 flags=open-ended
Send to=1 bytes=200 gap=300 time=100
Waitall gap=400
Isend to=2 bytes=300 gap=500 flags=unmatched,open-ended
Barrier gap=500 time=500
task 1
Recv from=0 gap=400
Recv from=0 gap=400
Barrier gap=1000 time=500
task 2
Barrier gap=1800 time=500
TEXT
said "1 messages from outside"
said "1 messages received outside"
said "1 completions dropped"
expect 0 'options "as written; slice: time 3200ns-5600ns"' "$vef" dump "$dir/s.vef"

# The same without what comes from outside.
slice --time 3200ns-5600ns --outside drop <<'TEXT'
task 0
Send to=1 bytes=200 gap=300 time=100
Waitall gap=400
Isend to=2 bytes=300 gap=500 flags=unmatched,open-ended
Barrier gap=500 time=500
task 1
Recv from=0 bytes=100 gap=400 ordinal=none flags=unmatched
Recv from=0 gap=400
Barrier gap=1000 time=500
task 2
Barrier gap=1800 time=500
TEXT
said "1 receives that complete at once"

# A collective that not all have inside is left out, and the computation before it goes to the next call:
# the second Barrier of task 2 is entered at 5000, those of the others at 5000 too; the first at 2000 by all.
slice --between Barrier:2-2 <<'TEXT'
task 0
Barrier time=500
task 1
Barrier time=500
task 2
Barrier time=500
TEXT
slice --between MPI_Recv_c:1 <<'TEXT'
task 0
Isend to=1 bytes=100 flags=open-ended
Isend to=2 bytes=300 flags=open-ended
task 1
Recv from=0
task 2
Recv from=0
TEXT

# From the first Send on there is one in task 0 alone, so the Barrier there is left out.
slice --between Send:1- <<'TEXT'
task 0
Send to=1 bytes=200 time=100 flags=unmatched
Waitall gap=400
Isend to=2 bytes=300 gap=500 flags=unmatched
Waitall requests=0 gap=1000
Finalize
TEXT
said "1 calls of collectives left out"

# Tasks 0 and 1: the world stays, a communicator of both stands for it, and parents stand before children.
head='comm 0 members=0-2
comm 1 parent=0 by=Comm_create members=0-1
comm 2 parent=1 by=Comm_split members=0-1
'
slice --tasks 0-1 <<'TEXT'
task 0
Init time=5000
Isend to=1 bytes=100 gap=1000 time=100
Barrier comm=1 gap=900 time=1000
Send to=1 bytes=200 gap=500 time=100
Waitall requests=0 gap=400
Isend to=2 bytes=300 gap=500 flags=unmatched
Barrier comm=1 gap=500 time=500
Waitall requests=1 gap=500
Finalize
task 1
Init time=7777
Barrier comm=1 gap=2000 time=1000
Recv from=0 gap=600
Recv from=0 gap=400
Barrier comm=1 gap=1000 time=500
Finalize gap=1000
TEXT

# Tasks 1 and 2: task 0 sends them its messages when it had sent them.
head='comm 0 members=0-2
comm 1 parent=0 by=Comm_create members=1-2
comm 2 parent=1 by=Comm_split members=1
'
slice --tasks 1,2 --time 2500ns- <<'TEXT'
task 0
Isend to=1 bytes=100 flags=open-ended
Isend to=1 bytes=200 flags=open-ended outside=1000
Isend to=2 bytes=300 flags=open-ended outside=1000
task 1
Recv from=0 gap=600
Recv from=0 gap=400
Barrier comm=1 gap=1000 time=500
Finalize gap=1000
task 2
Barrier comm=1 gap=2000 time=500
Recv from=0 gap=500
Finalize
TEXT
said "3 messages from outside"

# By region: its entries are counted per task, the inner one of the same name is part of the outer; one end
# of a region that is cut is left out.
cat >"$dir/regions.txt" <<TEXT
vef-trace $version
tasks 1
task 0
Region_begin name="all"
Region_begin name="part" gap=10
Region_end name="part" gap=5
Region_begin name="part" gap=20
Region_begin name="part" gap=30
Pcontrol gap=40
Region_end name="part" gap=50
Region_end name="part" gap=60
Mark name="end" gap=70
Region_end name="all" gap=80
TEXT
"$vef" assemble "$dir/regions.txt" --force -o "$dir/a.vef" || failed=1
regions() {
    { printf 'vef-trace %s\ntasks 1\ntask 0\n' "$version" && cat; } >"$dir/wanted.txt"
    "$vef" assemble "$dir/wanted.txt" --force -o "$dir/wanted.vef" || failed=1
    "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --force "$@" >"$dir/said" || failed=1
    for which in wanted s; do
        "$vef" dump "$dir/$which.vef" | sed '/^options/d; s/ entered=[0-9]*//' >"$dir/$which.dump"
    done
    diff "$dir/wanted.dump" "$dir/s.dump" || { echo "slice $*" && failed=1; }
    expect 0 "no fault" "$vef" check "$dir/s.vef"
}
regions --region part:2 <<'TEXT'
Region_begin name="part"
Region_begin name="part" gap=30
Pcontrol gap=40
Region_end name="part" gap=50
Region_end name="part" gap=60
TEXT
regions --region part:1-1 <<'TEXT'
Region_begin name="part"
Region_end name="part" gap=5
TEXT
regions --between end:1 <<'TEXT'
Mark name="end"
TEXT
# Entered at 65 (the inner part), 105, 155, 215 (the outer part's end, whose begin at 35 is outside), 285.
regions --time 60ns-300ns <<'TEXT'
Region_begin name="part" gap=5
Pcontrol gap=40
Region_end name="part" gap=50
Mark name="end" gap=130
TEXT
expect 2 "expected one of 'all', 'part'" "$vef" slice "$dir/a.vef" -o "$dir/none.vef" --region parts
expect 2 "is entered 2 times at most" "$vef" slice "$dir/a.vef" -o "$dir/none.vef" --region part:3
expect 2 "marks: 'end'" "$vef" slice "$dir/a.vef" -o "$dir/none.vef" --between start:1
# Records that end early. Task 2 was killed before it made the graph, so the graph lacks its neighbours; only the
# edge between tasks 0 and 1 is known from both sides. Slices remember it, wherever they end.
graph() {
    cat <<TEXT
vef-trace $version
tasks 3
comm 0 members=0-2
comm 1 parent=0 by=Dist_graph_create_adjacent members=0-2
neighbours 0 in=1,2 out=1,2
neighbours 1 in=${1:-0} out=0,2
task 0
Init
Barrier
Pcontrol gap=100
Pcontrol gap=100
Finalize
task 1
Init
Barrier
Pcontrol gap=100
Pcontrol gap=100
Finalize
task 2
Init
Barrier
end $2
TEXT
}
for end in cut full; do
    graph 0 $end >"$dir/graph.txt"
    "$vef" assemble "$dir/graph.txt" --force -o "$dir/a.vef" || failed=1
    expect 1 "a.vef: 1 fault" "$vef" check "$dir/a.vef"
    "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --force --between Pcontrol:1 >"$dir/said" || failed=1
    expect 0 "end finalized record=$end" "$vef" dump "$dir/s.vef"
    expect 0 "no fault" "$vef" check "$dir/s.vef"
    "$vef" dump "$dir/s.vef" | "$vef" assemble - --force -o "$dir/wanted.vef" || failed=1
    cmp "$dir/wanted.vef" "$dir/s.vef" || failed=1
    # A slice of the slice remembers it too, and so does a slice whose index is lost.
    "$vef" slice "$dir/s.vef" -o "$dir/t.vef" --force --tasks 0-2 >"$dir/said" || failed=1
    expect 0 "no fault" "$vef" check "$dir/t.vef"
    head -c $(($(wc -c <"$dir/s.vef") - 10)) "$dir/s.vef" >"$dir/damaged.vef"
    "$vef" dump "$dir/damaged.vef" 2>/dev/null | grep -q "record=$end" ||
        { echo "a damaged slice forgets how its tasks ended" && failed=1; }
    # An edge whose two sides are known is still compared.
    graph 2 $end >"$dir/graph.txt"
    "$vef" assemble "$dir/graph.txt" --force -o "$dir/a.vef" || failed=1
    expect 1 "send to and receive from differ" "$vef" check "$dir/a.vef"
    "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --force --between Pcontrol:1 >"$dir/said" || failed=1
    expect 1 "s.vef: 1 fault" "$vef" check "$dir/s.vef"
done
expect 2 "record=: expected finalized, aborted" "$vef" assemble - --force -o "$dir/none.vef" <<TEXT
vef-trace $version
tasks 1
task 0
end finalized record=never
TEXT

# What a trace says beside its events. Task 0 was killed in a receive, task 1 in a collective, task 2 ended.
# Times and counts are of the whole run; what is known of the host holds for each part of it.
cat >"$dir/killed.txt" <<TEXT
vef-trace $version
tasks 3
not_recorded File_open 2 time=34
left_out Test 5 time=12
measured 0 run_ns=9 wall_ns=7 cpu_ns=6 core_wait_ns=1 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 run_ns=8 wall_ns=5 cpu_ns=4 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 run_ns=7 wall_ns=3 cpu_ns=2 threads=1 host_tasks=3 host_cores=8
comm 0 members=0-2
comm 1 parent=0 by=Comm_split members=0-1
comm 2 parent=0 by=Comm_split members=2
under_way 0.0 MPI_Recv inside since=700 seen=900 recv,from=2,tag=7,comm=0
under_way 1.0 MPI_Waitall inside since=600 recv,from=0,tag=1,comm=1,by=Irecv all,comm=0,by=Ibarrier
task 0
Init
Region_begin name="r"
Barrier comm=1
Pcontrol gap=100 time=50
end cut
task 1
Init
Region_begin name="r"
Barrier comm=1
Pcontrol gap=200
Region_end name="r"
end cut
task 2
Init
Pcontrol gap=300
Finalize
TEXT
"$vef" assemble "$dir/killed.txt" --force -o "$dir/a.vef" || failed=1
# beside ARGUMENTS...: cuts, and what the result has beside its events must stand on standard input.
beside() {
    cat >"$dir/wanted"
    "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --force "$@" >"$dir/said" || failed=1
    "$vef" dump "$dir/s.vef" | grep '^not_recorded\|^left_out\|^measured\|^under_way\|^end' >"$dir/found"
    diff "$dir/wanted" "$dir/found" >"$dir/differ" ||
        { echo "slice $*: wanted (<), found (>)" && cat "$dir/differ" && failed=1; }
}
# All of it; the first Pcontrol, which ends the slice for all tasks; the region, in which only task 0 is killed;
# tasks 1 and 2, for which communicator 1 stands for the world, and tasks 0 and 1.
beside --time 0s- <<TEXT
not_recorded File_open 2 time=34
left_out Test 5 time=12
measured 0 run_ns=9 wall_ns=7 cpu_ns=6 core_wait_ns=1 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 run_ns=8 wall_ns=5 cpu_ns=4 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 run_ns=7 wall_ns=3 cpu_ns=2 threads=1 host_tasks=3 host_cores=8
under_way 0.0 MPI_Recv inside since=700 seen=900 recv,from=2,tag=7,comm=0
under_way 1.0 MPI_Waitall inside since=600 recv,from=0,tag=1,comm=1,by=Irecv all,comm=0,by=Ibarrier
end cut
end cut
end finalized
TEXT
beside --between Pcontrol:1 <<TEXT
measured 0 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 threads=1 host_tasks=3 host_cores=8
end finalized record=cut
end finalized record=cut
end finalized
TEXT
said "7 calls without events: counted for the whole run only"
beside --region r <<TEXT
measured 0 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 threads=1 host_tasks=3 host_cores=8
under_way 0.0 MPI_Recv inside since=700 seen=900 recv,from=2,tag=7,comm=0
end cut
end finalized record=cut
end finalized
TEXT
beside --tasks 1,2 <<TEXT
measured 1 run_ns=8 wall_ns=5 cpu_ns=4 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 run_ns=7 wall_ns=3 cpu_ns=2 threads=1 host_tasks=3 host_cores=8
under_way 1.0 MPI_Waitall inside since=600 recv,from=0,tag=1,comm=0,by=Irecv all,comm=1,by=Ibarrier
end finalized record=cut
end cut
end finalized
TEXT
beside --tasks 0,1 <<TEXT
measured 0 run_ns=9 wall_ns=7 cpu_ns=6 core_wait_ns=1 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 run_ns=8 wall_ns=5 cpu_ns=4 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
under_way 0.0 MPI_Recv inside since=700 seen=900 recv,from=2,tag=7,comm=0
under_way 1.0 MPI_Waitall inside since=600 recv,from=0,tag=1,comm=2,by=Irecv all,comm=1,by=Ibarrier
end cut
end cut
end finalized
TEXT
# Without counts the options of the capture still tell what is missing.
sed 's/^tasks 3/&\noptions "wall, without: Test"/' "$dir/killed.txt" >"$dir/without.txt"
"$vef" assemble "$dir/without.txt" --force -o "$dir/b.vef" || failed=1
expect 0 "MPI_Test: 5 calls were left out by choice" "$vef" info "$dir/b.vef"
"$vef" slice "$dir/b.vef" -o "$dir/s.vef" --force --tasks 0-1 >"$dir/said" || failed=1
expect 0 "calls were left out by choice (without: Test), which a slice does not count" "$vef" info "$dir/s.vef"
# The last call of task 0 is entered at 100 and returns at 150: before 120 it is inside, and its next one is not.
beside --time 0s-120ns <<TEXT
measured 0 threads=2 host_tasks=3 host_cores=8 clock_compared_ns=9 clock_error_ns=3 clock_jumps=1
measured 1 cpu_clock=1 threads=1 host_tasks=3 host_cores=8
measured 2 threads=1 host_tasks=3 host_cores=8
end finalized record=cut
end finalized record=cut
end finalized
TEXT
"$vef" assemble "$dir/hand.txt" --force -o "$dir/a.vef" || failed=1

# What there is, where there is nothing inside.
refused() {
    want=$1
    shift
    expect 2 "$want" "$vef" slice "$dir/a.vef" -o "$dir/none.vef" "$@"
    [ ! -e "$dir/none.vef" ] || { echo "slice $* left a file"; failed=1; }
}
refused "the tasks' recorded times reach from 0 to 0.000006500 s" --time 1s-
refused "unknown region 'solve'" --region solve
refused "unknown MPI call 'MPI_Allgather': did you mean Allgather" --between MPI_Allgather:1
refused "a task has at most 2 calls of Barrier" --between Barrier:7-9
refused "no call meets the conditions" --time 100ns-200ns
refused "task 3 is out of range" --tasks 0-3
refused "expected a list such as 0-15,32" --tasks 1,,2
refused "expected FROM-TO" --time 5us
refused "the end precedes the beginning" --time 2us-1us
refused "expected numbers from 1" --between Barrier:0-2
refused "missing selection" --outside drop
# A damaged trace: what is whole is cut, the rest is told, the status is 1.
head -c $(($(wc -c <"$dir/a.vef") - 10)) "$dir/a.vef" >"$dir/damaged.vef"
expect 1 "s.vef: 8 events" "$vef" slice "$dir/damaged.vef" -o "$dir/s.vef" --force --time 3200ns-5600ns
expect 1 "index at its end is missing" "$vef" slice "$dir/damaged.vef" -o "$dir/s.vef" --force --tasks 0
expect 2 "exists: expected a new file, or --force" "$vef" slice "$dir/a.vef" -o "$dir/s.vef" --tasks 0
expect 2 "-o FILE" "$vef" slice "$dir/a.vef" --tasks 0
exit $failed
