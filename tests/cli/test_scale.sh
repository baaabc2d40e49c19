#!/bin/sh
# `vef scale`: traces written by hand, with the larger trace written by the same rules, event by event; traces
# that do not fit; and an example that is captured with 16 and with 32 tasks.
. tests/command.sh
: "${MPIEXEC:=mpiexec.mpich}"

# assemble NAME TASKS: standard input is the events; `comms` the communicators.
comms=
assemble() {
    { printf 'vef-trace 1\ntasks %s\n%s' "$2" "$comms" && cat; } >"$1.txt"
    "$vef" assemble "$1.txt" -o "$1.vef" --force >out 2>err || fail "assemble $1"
}
# The events and communicators of a trace without times.
plain() { "$vef" dump "$1" | sed -n '/^comm 0/,$p' | sed 's/ gap=[0-9]*//; s/ outside=[0-9]*//; s/ time=[0-9]*//'; }
timed() { "$vef" dump "$1" | sed -n '/^comm 0/,$p'; }
# equal HOW FILE FILE: both show the same.
equal() {
    "$1" "$2" >wanted.dump
    "$1" "$3" >found.dump
    diff wanted.dump found.dump >out || fail "$3 differs from $2: wanted (<), found (>)"
    vef 0 check "$3"
}

# A ring: to the next task, from the last one; the gap of task t is 100 (t + 1) ns. Messages of tag 1 and 2 are
# received in the other order. Grown to 8, task 4 computes as task 0 did.
ring() {
    t=0
    while [ $t -lt "$1" ]; do
        cat <<TEXT
task $t
Init gap=50
Isend to=$(((t + 1) % $1)) bytes=640 tag=1 gap=$((100 * (t % 4 + 1)))
Isend to=$(((t + 1) % $1)) bytes=64 tag=2
Recv from=$(((t + $1 - 1) % $1)) tag=2
Recv from=$(((t + $1 - 1) % $1)) tag=1 outside=7
Waitall requests=0,1
Bcast root=$2 bytes=99
Allreduce bytes=8 elements=1
Finalize
TEXT
        t=$((t + 1))
    done
}
ring 4 0 | assemble ring4 4
ring 8 0 | assemble ring8 8
vef 0 scale ring4.vef --tasks 8 -o r.vef
prints '72 events, grid 4p to 8p'
equal timed ring8.vef r.vef
vef 2 scale ring4.vef --tasks 8 -o r.vef
says 'exists'
ring 12 0 | assemble ring12 12
vef 0 scale ring4.vef --tasks 12 -o r.vef --force
equal timed ring12.vef r.vef
vef 0 scale ring4.vef --tasks 4 -o r.vef --force
equal timed ring4.vef r.vef
# The last rank as the root is the last one again; another is no rule.
ring 4 3 | assemble ring4 4
ring 8 7 | assemble ring8 8
vef 0 scale ring4.vef --tasks 8 -o r.vef --force
equal timed ring8.vef r.vef
ring 4 1 | assemble ring4 4
vef 2 scale ring4.vef --tasks 8 -o r.vef --force
says 'task 0, event 6 (MPI_Bcast of communicator 0, 99 bytes) does not fit the grid 4p that grows to 8p: its root is rank 1 of 4: expected the first or the last rank'

# A wavefront on HEIGHT x WIDTH tasks, not periodic, with rows as communicators: SOUTH and EAST bytes to the task
# below and to the right; lists of Gatherv, Allgatherv and Alltoallv. $5: bytes of a pair that is no neighbour.
wave() {
    height=$1 width=$2 south=$3 east=$4 far=$5 part=$6 gap=$7
    y=0
    while [ $y -lt $height ]; do
        x=0
        while [ $x -lt $width ]; do
            t=$((y * width + x))
            echo "task $t"
            echo "Comm_split new=$((y + 1)) gap=$gap"
            [ $y -eq 0 ] || echo "Recv from=$((t - width)) tag=1 comm=0"
            [ $x -eq 0 ] || echo "Recv from=$((t - 1)) tag=2 comm=$((y + 1))"
            [ $y -eq $((height - 1)) ] || echo "Send to=$((t + width)) bytes=$south tag=1"
            [ $x -eq $((width - 1)) ] || echo "Send to=$((t + 1)) bytes=$east tag=2 comm=$((y + 1))"
            parts= pairs= i=0
            while [ $i -lt $width ]; do
                # the ends of a row have half the part of the others; neighbours exchange `east` bytes
                case $i in 0 | $((width - 1))) parts=$parts,$((part / 2)) ;; *) parts=$parts,$part ;; esac
                [ $((i - x)) -ne 1 ] && [ $((x - i)) -ne 1 ] && pairs=$pairs,$far || pairs=$pairs,$east
                i=$((i + 1))
            done
            mine=$part
            case $x in 0 | $((width - 1))) mine=$((part / 2)) ;; esac
            echo "Allgatherv comm=$((y + 1)) bytes=$mine receives=${parts#,}"
            [ $x -eq 0 ] && list=" receives=${parts#,}" || list=
            echo "Gatherv comm=$((y + 1)) root=0 bytes=$mine$list"
            echo "Alltoallv comm=$((y + 1)) sends=${pairs#,} receives=${pairs#,}"
            echo "Comm_free comm=$((y + 1))"
            echo Bcast bytes=5
            x=$((x + 1))
        done
        y=$((y + 1))
    done
}
rows() {
    y=0
    while [ $y -lt "$1" ]; do
        echo "comm $((y + 1)) parent=0 by=Comm_split members=$((y * $2))-$((y * $2 + $2 - 1))"
        y=$((y + 1))
    done
}
comms="$(rows 4 4)
"
wave 4 4 400 800 96 320 1000 | assemble wave 16
# Weak: messages keep their size; in rows twice as long the bytes of a pair halve.
comms="$(rows 4 8)
"
wave 4 8 400 800 48 320 1000 | assemble weak 32
vef 0 scale wave.vef --tasks 32 --grid 4x8 -o w.vef
prints 'grid 4x4 to 4x8'
equal timed weak.vef w.vef
wave 4 8 400 800 96 320 1000 | assemble pair 32
vef 0 scale wave.vef --tasks 32 --grid 4x8 --alltoall pair -o w.vef --force
equal timed pair.vef w.vef
# Strong, twice as wide: a message to the south is half as wide, one to the east as high as before; half the
# part for each task; a pair has (1/2)^2; half the computation.
wave 4 8 200 800 24 160 500 | assemble strong 32
vef 0 scale wave.vef --tasks 32 --grid 4x8 --scaling strong -o w.vef --force
equal timed strong.vef w.vef
# Both dimensions twice: faces are half; 1/4 of the part; pairs 1/4 of the bytes among 1/2 of the ranks.
comms="$(rows 8 8)
"
wave 8 8 200 400 12 80 250 | assemble strong 64
vef 0 scale wave.vef --tasks 64 --scaling strong -o w.vef --force
equal timed strong.vef w.vef
vef 0 replay w.vef --net '{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}'
# A dimension of three keeps its extent; all places of it are their own classes.
comms="$(rows 4 3)
"
wave 4 3 400 800 96 320 1000 | assemble wave 12
comms="$(rows 8 3)
"
wave 8 3 400 800 96 320 1000 | assemble weak 24
vef 0 scale wave.vef --tasks 24 --from 4x3 -o w.vef --force
equal timed weak.vef w.vef
vef 2 scale wave.vef --tasks 24 --from 4x3 --grid 4x6 -o w.vef --force
says 'grow from less than 4 tasks'
comms=

# The larger grid follows the smaller one: MPI_Dims_create order if all are equal.
grown() {
    t=0
    while [ $t -lt 16 ]; do printf 'task %s\nCart_create new=1\n' $t && t=$((t + 1)); done | assemble grid 16
    vef 0 scale grid.vef --tasks "$1" -o g.vef --force
    prints "grid $2\$"
    "$vef" dump g.vef | grep -q "^comm 1 parent=0 by=Cart_create members=0-$(($1 - 1)) grid=$3\$" ||
        fail "the communicator is not $3"
}
comms='comm 1 parent=0 by=Cart_create members=0-15 grid=4x4p
'
grown 32 '4x4 to 8x4' 8x4p
grown 64 '4x4p to 8x8p' 8x8p
grown 128 '4x4p to 16x8p' 16x8p
comms='comm 1 parent=0 by=Cart_create members=0-15 grid=16x1
'
grown 32 '16 to 32' 32x1
comms=

# refused TEXT TASKS ARGUMENTS...: the events of each task are those of standard input, in which T is the task,
# N the next one and P the last one.
refused() {
    text=$1 tasks=$2 t=0
    shift 2
    cat >events
    while [ $t -lt "$tasks" ]; do
        echo "task $t"
        sed "s/\\bT\\b/$t/g; s/\\bN\\b/$(((t + 1) % tasks))/g; s/\\bP\\b/$(((t + tasks - 1) % tasks))/g" events
        t=$((t + 1))
    done | assemble bad "$tasks"
    vef 2 scale bad.vef -o bad.out --force "$@"
    says "$text"
    [ ! -e bad.out ] || fail "$ran left bad.out"
}
refused 'task 1, event 0 (MPI_Send to task 2, 1 bytes) does not fit .* it has 1 bytes; that of task 0, at the same place of the grid, 0' \
    4 --tasks 8 --from 4p <<'TEXT'
Send to=N bytes=T
Recv from=P
TEXT
refused 'it has tag 1; that of task 0, at the same place of the grid, 0' 4 --tasks 8 --from 4p <<'TEXT'
Send to=N bytes=10 tag=T
Recv from=P
TEXT
comms='comm 1 parent=0 by=Win_create members=0-3
'
refused 'one-sided communication' 4 --tasks 8 <<'TEXT'
Win_create new=1
TEXT
comms=
refused 'MPI_ANY_SOURCE' 4 --tasks 8 <<'TEXT'
Isend to=N bytes=10
Recv from=P flags=any-source
TEXT
refused 'unsuccessful tests' 4 --tasks 8 <<'TEXT'
Test marks=poll repeats=3
TEXT
refused 'the other side of the message is not in the trace' 4 --tasks 8 <<'TEXT'
Send to=N bytes=10 flags=unmatched
TEXT
refused 'task 0 has 2 threads: expected one' 4 --tasks 8 <<'TEXT'
Barrier
thread 1
Mark name="x"
TEXT
refused 'did not end with MPI_Finalize' 4 --tasks 8 <<'TEXT'
Barrier
end cut
TEXT
refused 'the trace has no calls' 4 --tasks 8 </dev/null
refused 'the trace has one task' 1 --tasks 8 <<'TEXT'
Barrier
TEXT
for wrong in '2:the trace has 4 tasks: expected a multiple of 4' '6:not a multiple of the 4 tasks of the trace: expected 8'; do
    refused "${wrong#*:}" 4 --tasks "${wrong%%:*}" <<'TEXT'
Barrier
TEXT
done
refused 'no grid of its 3 tasks can grow to 6 tasks' 3 --tasks 6 <<'TEXT'
Barrier
TEXT
for wrong in 'x:like 4x8' '4x:like 4x8' '8p:like 4x8' '4:the grid has 4 tasks: expected 8' '99999999x99999999:like 4x8'; do
    refused "--grid.*${wrong#*:}" 4 --tasks 8 --grid "${wrong%%:*}" <<'TEXT'
Barrier
TEXT
done
refused 'its 12 bytes cannot be divided .* --keep .12 B' 4 --tasks 8 --scaling strong <<'TEXT'
Allgather bytes=12
TEXT
vef 0 scale bad.vef --tasks 8 --scaling strong --keep 12B -o k.vef
refused 'its 4 bytes cannot be divided .*--alltoall pair' 4 --tasks 8 <<'TEXT'
Alltoall bytes=4
TEXT
refused 'no rule says' 4 --tasks 8 <<'TEXT'
Reduce_scatter bytes=8 elements=4 receives=8*4
TEXT
comms='comm 1 parent=0 by=Comm_split members=0-2
comm 2 parent=0 by=Comm_split members=3
'
refused 'communicator 1 (3 tasks from task 0) is not all tasks' 4 --tasks 8 <<'TEXT'
Barrier comm=1
TEXT
comms='comm 1 parent=0 by=Graph_create members=0-3
neighbours 0 in=1 out=1
neighbours 1 in=0 out=0
'
refused 'communicator 1 has a graph topology' 4 --tasks 8 <<'TEXT'
Barrier comm=1
TEXT
comms=

# Exchanges with the rank that differs in one bit: the offset of half the tasks could mean either way round, and
# that of one bit is no step at all. As in NAS CG.
butterfly() {
    t=0
    while [ $t -lt "$1" ]; do
        echo "task $t"
        for bit in $2; do
            echo "Sendrecv to=$((t ^ bit)) bytes=8 from=$((t ^ bit))"
        done
        t=$((t + 1))
    done
}
butterfly 16 '8 4 2 1' | assemble butterfly 16
vef 2 scale butterfly.vef --tasks 32 -o b.vef
says 'does not fit the grid'
# Dissemination (barriers of log2 steps), and all pairs: as many distances as the number of tasks asks for.
distances() {
    t=0
    while [ $t -lt "$1" ]; do
        echo "task $t"
        for by in $2; do echo "Sendrecv to=$(((t + by) % $1)) bytes=8 from=$(((t + $1 - by) % $1))"; done
        t=$((t + 1))
    done
}
for of in 16:'1 2 4 8' 12:'1 2 4 8' 9:'1 2 4 8' 5:'1 2 3 4'; do
    distances "${of%%:*}" "${of#*:}" | assemble far "${of%%:*}"
    vef 2 scale far.vef --tasks $((2 * ${of%%:*})) -o b.vef
    says 'is too long in dimension 0, which grows: expected a neighbour'
done
# All messages to the task four further on: a ring of 16, or a column of 4x4; the user decides.
distances 16 4 | assemble columns 16
vef 2 scale columns.vef --tasks 64 -o b.vef
says 'which differ from task .* on: expected --from'
distances 64 4 | assemble wanted 64
vef 0 scale columns.vef --tasks 64 --from 16p -o b.vef
equal plain wanted.vef b.vef
distances 64 8 | assemble wanted 64
vef 0 scale columns.vef --tasks 64 --from 4px4p -o b.vef --force
equal plain wanted.vef b.vef

# A loop as long as the number of tasks (an allgather around a ring) has no sign of it in one trace: the program
# says so, and a second run shows it.
steps() { distances "$1" "$(yes 1 | head -n $(($1 - 1)) | tr '\n' ' ')"; }
steps 4 | assemble loop4 4
steps 8 | assemble loop8 8
vef 0 scale loop4.vef --tasks 16 -o b.vef --force
prints 'not checked against a second run'
vef 2 scale loop4.vef --tasks 16 --check loop8.vef -o b.vef --force
says 'loop8.vef: task 0, event 3 is MPI_Sendrecv to task 1, 8 bytes, from task 7, 8 bytes; extrapolated from loop4.vef it would be the end'
vef 2 scale loop8.vef --tasks 16 --check loop4.vef -o b.vef --force
says 'loop4.vef: .* has 4 tasks: expected more than the 8 of loop8.vef'
ring 4 0 | assemble ring4 4
vef 0 scale ring4.vef --tasks 16 --check ring12.vef -o b.vef --force
prints 'ring12.vef: equal'
ring 12 0 | sed 's/bytes=99/bytes=98/' | assemble other12 12
vef 2 scale ring4.vef --tasks 16 --check other12.vef -o b.vef --force
says 'event 6 is MPI_Bcast of communicator 0, 98 bytes'

# Damaged input, and output that cannot be written.
head -c 300 ring12.vef >short.vef
vef 2 scale short.vef --tasks 24 -o s.vef
vef 2 scale /dev/null --tasks 24 -o s.vef
vef 2 scale ring12.vef --tasks 24 -o no/such/folder/s.vef
vef 2 scale ring12.vef --tasks 99999999999 -o s.vef
vef 2 scale ring12.vef -o s.vef
says 'tasks'
[ ! -e s.vef ] || fail 's.vef was written'

# An example with 16 tasks, grown, is the example with 32: the same cube, so strong scaling.
if command -v "$MPIEXEC" >/dev/null; then
    export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    for tasks in 16 32; do
        vef 0 capture -o wave$tasks.vef "$MPIEXEC" -n $tasks "$build/examples/wavefront" -n 8 -i 1
    done
    vef 0 scale wave16.vef --tasks 32 --grid 4x8 --scaling strong -o w.vef --force
    prints '1856 events, grid 4x4 to 4x8'
    equal plain wave32.vef w.vef
    vef 0 scale wave16.vef --tasks 64 --scaling strong --check wave32.vef -o w.vef --force
    vef 2 scale wave16.vef --tasks 64 --check wave32.vef -o w.vef --force
    says 'task 0, event 4 is MPI_Send to task 8, 40 bytes; extrapolated from wave16.vef it would be MPI_Send to task 8, 80 bytes'
else
    skip 'captured traces: no mpiexec'
fi
[ $failures -eq 0 ]
