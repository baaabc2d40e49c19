#!/bin/sh
# `vef export --format chrome`: timelines of programs by hand, whose events are counted here by hand, and of
# captured examples, whose counts and sums of times must be those of `vef info`. timeline_check.py, which
# has a reader of JSON of its own, checks every file against the format.
. tests/command.sh
set -u
: "${MPIEXEC:=mpiexec.mpich}"
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
command -v python3 >/dev/null || { skip 'timelines: no python3'; exit 0; }

# timeline TRACE ARGUMENTS...: exports to out.json, checks it, and leaves its counts in out.
timeline() {
    trace=$1
    shift
    vef 0 export "$trace" --format chrome -o out.json --force "$@"
    mv err said
    python3 "$here/tests/cli/timeline_check.py" out.json >out 2>err || fail "$ran: timeline"
    mv said err
}
# whole TRACE: the whole of it has what `vef info` counts.
whole() {
    vef 0 info --json "$1"
    mv out info.json
    vef 0 export "$1" --format chrome -o out.json --force
    python3 "$here/tests/cli/timeline_check.py" out.json info.json >out 2>err || fail "$1: timeline and info differ"
}

# Calls are entered at: task 0 at 10, 24 (in region a; the second inside b), task 1 at 5, 6, 107.
cat >hand.txt <<'TEXT'
vef-trace 1
tasks 2
application "</script> \"x\""
task 0
Init
Region_begin name="a" gap=10
Send to=1 bytes=5 gap=10 time=4 tag=3
Region_begin name="b\"<i>\xff\x01"
Send to=1 bytes=6 gap=10 time=4
Region_end name="b\"<i>\xff\x01"
Region_end name="a" gap=7
Mark name="half" gap=3
Finalize gap=2
task 1
Init
Irecv from=0 gap=5 time=1 tag=3
Irecv from=0 time=1
Waitall requests=0,1 gap=100 time=3
Finalize
TEXT
vef 0 assemble hand.txt -o hand.vef
whole hand.vef
prints 'tracks=2 calls=9 regions=2 computations=8 arrows=2'
grep -q '"name":"b\\"<i>'"$(printf '\357\277\275')"'\\u0001"' out.json || fail "the region's name"
grep -q '"ts":0.020,"cat":"MPI","name":"MPI_Send","args":{"event":2,"to":1,"bytes":5,"tag":3,"communicator":0}' out.json ||
    fail "the arguments of a send"
grep -q '"ph":"i".*"ts":0.048,.*"name":"half"' out.json || fail "the mark"
# Both messages enter after they have left, at 110 ns: no arrow points back.
! grep -q 'point back' err || fail "an arrow that points back"

# Parts. Entered from 30 ns: the second send inside both regions, which resume at 30 ns, and the Waitall: an
# arrow. The gaps before both are cut at 30 ns.
timeline hand.vef --time 30ns-
prints 'calls=4 regions=2 .*arrows=1$'
says '^vef export: 1 ends of messages without an arrow'
[ "$(grep -c '"ph":"B".*"ts":0.030,.*"cat":"\(region\|computation\)"' out.json)" -eq 4 ] || fail "resumed regions"
timeline hand.vef --time 0ns-30ns
prints 'calls=5 regions=2 .*arrows=0$'
timeline hand.vef --region a
prints 'calls=2 regions=2 .*arrows=0$'
timeline hand.vef --tasks 1
prints 'tracks=1 calls=5 regions=0 .*arrows=0$'
says '2 ends of messages without an arrow'
timeline hand.vef --between Waitall:1 --tasks 1
prints 'calls=1 '
# Nothing inside is no failure, a name that does not exist is.
timeline hand.vef --time 1s-2s
prints 'tracks=2 calls=0 regions=0 computations=0 arrows=0'
says 'the timeline is empty: no call meets the conditions; the tasks. recorded times reach from 0 to 0.000000110 s'
for wrong in --region:solve --between:Allgather --tasks:2; do
    vef 2 export hand.vef --format chrome -o none.json "${wrong%:*}" "${wrong#*:}"
done
vef 2 export hand.vef --format goal -o none.json --time 1s-2s
says 'not supported with --format goal'
vef 2 export hand.vef --format chrome -o none.json --max-size 5
[ ! -e none.json ] || fail "something that failed left its output"

# Clocks that differ: what is received at 10 ns was sent at 50 ns. Polls are one slice. No messages at all.
cat >back.txt <<'TEXT'
vef-trace 1
tasks 2
task 0
Send to=1 bytes=5 gap=50
task 1
Iprobe marks=poll repeats=7 time=9
Recv from=0 gap=1
TEXT
vef 0 assemble back.txt -o back.vef
timeline back.vef
prints '^drawn=0 .*calls=9 .*arrows=1$'
says '1 of 1 arrows point back in time'
printf 'vef-trace 1\ntasks 2\ncomm 1 parent=0 by=Win_create members=0-1\ntask 0\nPut target=1 bytes=8 comm=1\n' >put.txt
vef 0 assemble put.txt -o put.vef
timeline put.vef
prints 'calls=1 .*arrows=0$'
says '1 one-sided operations without an arrow'
printf 'vef-trace 1\ntasks 1\n' >alone.txt
vef 0 assemble alone.txt -o alone.vef
timeline alone.vef
prints 'tracks=1 calls=0 '

# A bound: a ring of 16 tasks, 500 steps of 100 ns. Within it, and cut at one time for all tasks, where all
# of them have a call of less than 1,000 bytes.
awk 'BEGIN { print "vef-trace 1\ntasks 16"
    for (t = 0; t < 16; t++) {
        print "task", t
        for (i = 0; i < 500; i++)
            printf "Irecv from=%d gap=60\nSend to=%d bytes=8 gap=20\nWait requests=%d time=20\n", (t + 15) % 16, (t + 1) % 16, i } }' >ring.txt
vef 0 assemble ring.txt -o ring.vef
whole ring.vef
all=$(wc -c <out.json)
for size in 1000000 200000 20000; do
    timeline ring.vef --max-size ${size}B
    says "calls are left out"
    found=$(wc -c <out.json)
    [ $found -le $size ] && [ $found -ge $((size - 16 * 1000)) ] || fail "--max-size $size: $found bytes"
    grep '"ph":"B".*"cat":"MPI"' out.json | grep -o '"tid":[0-9]*' | sort | uniq -c | awk '{ print $1 }' | sort -nu >counts
    [ "$(wc -l <counts)" -eq 1 ] || fail "--max-size $size: tasks differ: $(cat counts)"
done
timeline ring.vef --max-size $((all + all / 50))B # what a file takes is estimated from above
prints 'calls=24000 .*arrows=8000$'
timeline ring.vef --max-size 1000B
prints 'calls=0 '

# Captured: messages of all kinds, threads, regions, windows.
for program in 'cg -n 256 -d 8 -i 1' 'sort -n 20000 -i 3'; do
    example=${program%% *}
    # shellcheck disable=SC2086 # a list of words
    vef 0 capture -o $example.vef "$MPIEXEC" -n 4 "$build/examples/"$program
    whole $example.vef
done

[ $failures -eq 0 ]
