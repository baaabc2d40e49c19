#!/bin/sh
# `vef export` and `vef import` of the text form of VEF traces (interchange/vef_text): lines and end times that
# follow by hand, a way out and back, and what the reader refuses.
. tests/command.sh
set -u
ideal='{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' # cycles of 1 ns

# exported NAME: NAME.txt becomes NAME.vef and NAME.vef-text, in which IDs of messages count from 0.
exported() {
    vef 0 assemble $1.txt -o $1.vef
    vef 0 check $1.vef
    vef 0 export $1.vef --format vef-text -o $1.vef-text
    grep '^[0-9]' $1.vef-text | awk '$1 != NR - 1' | grep -q . && fail "$1.vef-text: IDs"
}
# wrote NAME: NAME.vef-text has the lines of `wanted`, in any order after the header.
wrote() {
    { head -n 1 $1.vef-text; sed 1d $1.vef-text | sort; } >found
    { head -n 1 wanted; sed 1d wanted | sort; } | cmp - found || { fail "$1.vef-text"; cat $1.vef-text; }
}
# takes NAME NS: the trace NAME.vef takes so long where messages take no time.
takes() {
    vef 0 check $1.vef
    vef 0 replay $1.vef --net "$ideal" --eager-threshold '1 GiB' --json
    prints "\"time_ns\": $2,"
}
# imported NAME NS: the file NAME.vef-text takes so long.
imported() {
    rm -f $1.back.vef
    vef 0 import $1.vef-text --format vef-text -o $1.back.vef
    takes $1.back $2
}

# ---- out: one dependency for each line ----

# Task 0 sends at 40, task 1 answers 60 after that has arrived, at 100; task 0 ends 7 later, which no line says.
cat >answer.txt <<'END'
vef-trace 1
tasks 2
task 0
Init
Isend to=1 bytes=100 gap=40
Recv from=1 gap=5
Wait requests=0
Finalize gap=7
task 1
Init
Recv from=0
Send to=0 bytes=50 gap=60
Finalize
END
exported answer
says 'one event: 0 receives and 1 sends that the program also waits for'
cat >wanted <<'END'
VEF 2 2 1 0 0 FALSE
C0 0 1
0 0 1 100 0 40 -1
1 1 0 50 2 60 0
END
cmp wanted answer.vef-text || { fail "answer.vef-text"; cat answer.vef-text; }
says '1 tasks compute after their last line, up to 7 ns'
takes answer 107
imported answer 100

# Task 0 waits for two messages: the line after depends on the one that comes last, at 300. Task 3 computes for
# 5 us before it receives what has been there since 320: nothing depends on it. Task 2
# comes 500 ns late, less than a network may delay a message: its line depends on the message, 510 ns later.
cat >wait.txt <<'END'
vef-trace 1
tasks 4
task 0
Init
Irecv from=1
Irecv from=2
Waitall requests=1,0
Send to=1 bytes=8 gap=20
Send to=3 bytes=8
Send to=2 bytes=8
Finalize
task 1
Init
Send to=0 bytes=8 gap=100
Recv from=0
Finalize
task 2
Init
Send to=0 bytes=8 gap=300
Recv from=0 gap=520
Send to=3 bytes=8 gap=10
Finalize
task 3
Init
Irecv from=0
Irecv from=2
Wait requests=0 gap=5000
Wait requests=1
Finalize gap=3
END
exported wait
says 'one event: 3 receives and 0 sends'
cat >wanted <<'END'
VEF 4 6 1 0 0 FALSE
C0 0 1 2 3
0 1 0 8 0 100 -1
1 2 0 8 0 300 -1
2 0 1 8 2 20 1
3 0 3 8 1 0 2
4 0 2 8 1 0 3
5 2 3 8 2 510 4
END
wrote wait
says '1 tasks compute after their last line, up to 4173 ns' # from 320 + 510
takes wait 5003
imported wait 830

# Messages that depend on sends alone: the last word of the header is TRUE.
cat >sends.txt <<'END'
vef-trace 1
tasks 2
task 0
Init
Isend to=1 bytes=1 gap=4
Wait requests=0
Send to=1 bytes=2 gap=6
Finalize
task 1
Init
Recv from=0
Recv from=0
Finalize
END
exported sends
cat >wanted <<'END'
VEF 2 2 1 0 0 TRUE
C0 0 1
0 0 1 1 0 4 -1
1 0 1 2 1 6 0
END
wrote sends
imported sends 10

# Each operation with its code and bytes, on the world and on tasks 2 and 0; a scan and an Alltoallv become messages. A task enters a collective when it has left the one before.
cat >groups.txt <<'END'
vef-trace 1
tasks 3
comm 1 parent=0 by=Comm_create members=2,0
task 0
Init
Bcast root=1 bytes=64 gap=10
Gather root=1 bytes=5 comm=1
Reduce root=2 bytes=24 elements=3 gap=1
Allreduce bytes=16 elements=2
Gatherv root=0 bytes=7 receives=7,0,9
Scatter root=0 bytes=3
Scatterv root=1 bytes=2 comm=1 sends=1,2
Allgather bytes=6
Allgatherv bytes=1 receives=1,2,3
Barrier
Alltoall bytes=4
Alltoallv sends=0,7,7 receives=0,7,7
Scan bytes=8 elements=1
Finalize
task 1
Init
Bcast root=1 bytes=64 gap=30
Reduce root=2 bytes=24 elements=3
Allreduce bytes=16 elements=2
Gatherv root=0 bytes=0
Scatter root=0 bytes=3
Allgather bytes=6
Allgatherv bytes=2 receives=1,2,3
Barrier
Alltoall bytes=4
Alltoallv sends=7,0,7 receives=7,0,7
Scan bytes=8 elements=1
Finalize
task 2
Init
Bcast root=1 bytes=64 gap=20
Gather root=1 bytes=5 comm=1 gap=100
Reduce root=2 bytes=24 elements=3
Allreduce bytes=16 elements=2
Gatherv root=0 bytes=9
Scatter root=0 bytes=3
Scatterv root=1 bytes=1 comm=1
Allgather bytes=6
Allgatherv bytes=3 receives=1,2,3
Barrier
Alltoall bytes=4
Alltoallv sends=7,7,0 receives=7,7,0
Scan bytes=8 elements=1
Finalize gap=9
END
exported groups
says '[0-9]* messages are those of collectives that the format cannot express'
head -n 1 groups.vef-text | grep -q '^VEF 3 [0-9]* 2 11 31 FALSE$' || fail "$(head -n 1 groups.vef-text)"
grep '^[CG]' groups.vef-text | sort >found
sort >wanted <<'END'
C0 0 1 2
C1 2 0
G0 0 0 0 0 64 0 10 -1
G0 0 0 1 64 0 0 30 -1
G0 0 0 2 0 64 0 20 -1
G1 1 3 0 5 10 3 0 G0
G1 1 3 2 5 0 3 100 G0
G2 0 1 0 24 0 3 1 G1
G2 0 1 1 24 0 3 0 G0
G2 0 1 2 0 24 3 0 G1
G3 0 2 0 16 16 3 0 G2
G3 0 2 1 16 16 3 0 G2
G3 0 2 2 16 16 3 0 G2
G4 0 3 0 7 16 3 0 G3
G4 0 3 1 0 0 3 0 G3
G4 0 3 2 9 0 3 0 G3
G5 0 4 0 9 3 3 0 G4
G5 0 4 1 0 3 3 0 G4
G5 0 4 2 0 3 3 0 G4
G6 1 4 0 3 2 3 0 G5
G6 1 4 2 0 1 3 0 G5
G7 0 5 0 6 18 3 0 G6
G7 0 5 1 6 18 3 0 G5
G7 0 5 2 6 18 3 0 G6
G8 0 5 0 1 6 3 0 G7
G8 0 5 1 2 6 3 0 G7
G8 0 5 2 3 6 3 0 G7
G9 0 6 0 0 0 3 0 G8
G9 0 6 1 0 0 3 0 G8
G9 0 6 2 0 0 3 0 G8
G10 0 7 0 4 0 3 0 G9
G10 0 7 1 4 0 3 0 G9
G10 0 7 2 4 0 3 0 G9
END
cmp wanted found || { fail "groups.vef-text"; cat found; }
imported groups $((30 + 100 + 1))
# All calls with a code come back as they were: in place of others there are messages.
calls() {
    vef 0 dump $1.vef
    grep '^task \|^Bcast\|^Reduce\|^All\|^Gather\|^Scatter\|^Barrier' out | grep -v '^Alltoallv' | sed 's/ gap=[0-9]*//'
}
calls groups >before
calls groups.back | cmp before - || { fail "groups.back"; calls groups.back; }
[ "$(wc -l <before)" -eq $((3 + 11 + 9 + 11)) ] || { fail "calls"; cat before; }

# A non-blocking collective: messages.
cat >started.txt <<'END'
vef-trace 1
tasks 2
task 0
Init
Ibcast root=0 bytes=11 request=0
Wait requests=0
Finalize
task 1
Init
Ibcast root=0 bytes=11 request=0
Wait requests=0
Finalize
END
exported started
cat >wanted <<'END'
VEF 2 1 1 0 0 TRUE
C0 0 1
0 0 1 11 0 0 -1
END
wrote started

# ---- back: lines by hand ----

# Lines in no order wait for their events alone. Task 0 sends at 100 and at 500, and answers message 2 10 ns after
# it arrived, though that line is the first.
cat >branches.vef-text <<'END'
VEF1 2 4 1 0 0 TRUE
C0 0 1
1 0 1 8 2 10 2
0 0 1 8 0 100 -1
2 1 0 8 2 50 0
3 0 1 8 0 500 -1
END
imported branches 500
vef 0 import branches.vef-text --format vef-text -o branches.back.vef --force
says "threads, up to 2 in a task"
# CR LF, blanks, parts of a ns and any suffix of VEF do not matter; nor do tabs.
sed 's/$/\r/; s/ /\t  /; s/^C/\r\n\r\nC/; s/^VEF1/VEF_any-2.1/; s/TRUE/FALSE/; s/ 500 -1/ 500.75 0/' branches.vef-text \
    >windows.vef-text
imported windows 500

# Lines of one event follow by the differences of their times, whatever their order: sends at 10 + 5 and 10 + 25,
# which task 1 receives, and answers the later one; the answer 15 more later.
cat >siblings.vef-text <<'END'
VEF 2 5 1 0 0 TRUE
C0 0 1
7 1 0 1 0 10 -1
9 0 1 1 2 25 7
8 0 1 1 2 5 7
10 1 0 1 2 0 9
11 0 1 1 2 15 10
END
imported siblings 50
# In order they are one thread: task 1 sends 50 ns after message 0, and 40 ns after that send. With a latency of
# 1000 ns: at 1060 and 1100.
cat >thread.vef-text <<'END'
VEF 2 3 1 0 0 FALSE
C0 0 1
0 0 1 1 0 10 -1
1 1 0 1 2 50 0
2 1 0 1 0 100 -1
END
imported thread 100
late='{model: loggp, latency: 1000 ns, overhead: 0 ns, gap: 0 ns, gap_per_byte: 0 ns}'
vef 0 replay thread.back.vef --net "$late" --json
prints "\"time_ns\": $((1100 + 1000)),"
# Times of a real network, on which each message took some 100 ns: without delays task 1 would answer before its own
# send. So it waits for message 0 after that send, and then computes 5 and 2 ns; likewise task 0 for 7 ns.
cat >measured.vef-text <<'END'
VEF 2 5 1 0 0 FALSE
C0 0 1
0 0 1 1 0 10 -1
1 1 0 1 0 50 -1
2 1 0 1 2 5 0
3 0 1 1 2 7 1
4 1 0 1 2 7 0
END
imported measured $((50 + 7))
vef 0 replay measured.back.vef --net "$late" --json
prints "\"time_ns\": $((50 + 1000 + 7 + 1000)),"
vef 0 replay measured.back.vef --net "$late" --per-task
awk '$1 == 1 { exit $2 != 50 + 5 + 2 }' out || fail "task 1 computes 57 ns"

# A barrier that task 0 enters at 20 and task 1 at 30, and one of 0 alone, which both follow; a dependency on a send.
cat >barriers.vef-text <<'END'
VEF 2 2 2 2 3 FALSE
C0 0 1
C1 1
G5 0 6 0 0 0 0 20 -1
G5 0 6 1 0 0 0 30 -1
G2 1 6 1 0 0 3 4 G5
4 1 0 16 3 7 G2
3 1 0 16 1 100 4
END
imported barriers $((30 + 4 + 7 + 100))
vef 0 dump barriers.back.vef
[ "$(grep -c '^Barrier' out)" -eq 3 ] || fail "three blocking calls"

# All-to-all: 12 bytes to each; different ones of each task; 10 bytes to all, of which rank 0 gets the odd one.
cat >alltoall.vef-text <<'END'
VEF 3 0 1 3 9 TRUE
C0 0 1 2
G0 0 7 0 12 0 0 0 -1
G0 0 7 1 12 0 0 0 -1
G0 0 7 2 12 0 0 0 -1
G1 0 7 0 1 0 3 0 G0
G1 0 7 1 2 0 3 0 G0
G1 0 7 2 3 0 3 0 G0
G2 0 7 0 10 1 3 0 G1
G2 0 7 1 0 1 3 0 G1
G2 0 7 2 3 1 3 0 G1
END
imported alltoall 0
vef 0 dump alltoall.back.vef
grep '^All' out >found
cat >wanted <<'END'
Alltoall bytes=12
Alltoallv sends=1*3 receives=1,2,3
Alltoallv sends=4,3*2 receives=4,0,1
Alltoall bytes=12
Alltoallv sends=2*3 receives=1,2,3
Alltoallv sends=0*3 receives=3,0,1
Alltoall bytes=12
Alltoallv sends=3*3 receives=1,2,3
Alltoallv sends=1*3 receives=3,0,1
END
cmp wanted found || { fail "alltoall"; cat found; }

# Sums that another program counted without the root's own part, and sizes that differ where they cannot: a note.
cat >unequal.vef-text <<'END'
VEF 2 0 1 2 4 TRUE
C0 0 1
G0 0 3 0 8 4 0 0 -1
G0 0 3 1 4 0 0 0 -1
G1 0 2 0 8 8 3 0 G0
G1 0 2 1 4 4 3 0 G0
END
imported unequal 0
vef 0 import unequal.vef-text --format vef-text -o unequal.back.vef --force
says '2 lines of collectives have other bytes'
vef 0 dump unequal.back.vef
prints 'Gatherv bytes=8 receives=8,4'
prints 'Allreduce bytes=8 elements=1'

# ---- refused ----

# refused PATTERN SED: the file of branches or barriers, edited, is refused in these words.
refused() {
    for from in branches barriers; do
        sed "$2" $from.vef-text >edited.vef-text
        cmp -s $from.vef-text edited.vef-text && continue
        vef 2 import edited.vef-text --format vef-text -o edited.vef
        says "$1"
        [ ! -e edited.vef ] || fail "a trace remains of: $2"
        return
    done
    fail "nothing edited by $2"
}
refused 'the header has 5 messages, 0 global and 0 local collectives, the file 4, 0 and 0' '1s/2 4/2 5/'
refused 'the header has 2 messages, 2 global and 4 local' '1s/3 FALSE/4 FALSE/'
refused 'the header has 3 communicators, the file 2' '1s/2 2 2 2/2 2 3 2/'
refused '2000000 tasks, but the file has only' '1s/VEF1 2/VEF1 2000000/'
refused 'no tasks: expected at least one' '1s/VEF1 2/VEF1 0/'
refused ':1: expected TRUE or FALSE' '1s/TRUE/TRUELY/'
refused ":1: expected the header 'VEF tasks" '1d'
refused ':2: expected all ranks: C0 is the world' '2s/ 1$//'
refused ":2: the rank: expected a number up to 1, found '2'" '2s/ 1$/ 1 2/'
refused 'a rank is twice in the communicator' '3s/C1 1/C1 1 1/'
refused ':3: expected communicator C1: they are in ascending order' '3s/C1/C3/'
refused ":3: dst: expected a number up to 1, found '9'" '3s/1 0 1/1 0 9/'
refused ":3: Dep: expected a number up to 3, found '4'" '3s/ 2 10/ 4 10/'
refused ":3: time: expected a number up to [0-9]*, found '-10'" '3s/ 10 / -10 /'
refused ":3: time: expected a number up to [0-9]*, found '.5'" '3s/ 10 / .5 /'
refused ":3: IDdep: expected a number up to [0-9]*, found '-1'" '3s/10 2$/10 -1/'
refused ":3: ID: expected a number up to [0-9]*, found '#'" '3s/^/# /'
refused ":6: IDdep of a collective: expected 'G' and its number" '6s/G5$/5/'
refused ":3: bytes: expected a number up to [0-9]*, found '8x'" '3s/ 8 / 8x /'
refused ':3: unexpected text after the last field' '3s/$/ 7/'
refused ':3: unknown message 77' '3s/ 10 2/ 10 77/'
refused ':3: task 0 does not receive message 3, which goes from task 0 to task 1' '3s/ 10 2/ 10 3/'
refused ':3: task 0 does not send message 2, which goes from task 1 to task 0' '3s/2 10 2/1 10 2/'
refused ':3: the line waits for a cycle of dependencies' '4s/0 100 -1/2 100 2/'
refused ':4: a second message with ID 1' '4s/^0/1/'
refused ':6: the task is not a member of communicator 1' '6s/G2 1 6 1/G2 1 6 0/'
refused ':7: unknown collective 9' '7s/7 G2/7 G9/'
refused ':7: the task takes no part in collective 2' '7s/4 1 0/4 0 1/'
refused 'collective G5 has lines of 1 tasks, its communicator has 2' '/^G5 0 6 1/d; 1s/3 FALSE/2 FALSE/'
refused ':5: the task has a second line of collective 5' '5s/G5 0 6 1/G5 0 6 0/'
refused ':5: communicator and operation must be those of the collective.s line 4' '5s/G5 0 6/G5 0 3/'
refused ':5: a second task is the root of collective 5' '4s/ 6 0 0 0/ 0 0 9 0/; 5s/ 6 1 0 0/ 0 1 9 0/'
refused "operation: expected a number up to 7, found '8'" '4s/G5 0 6/G5 0 8/'
# Files of earlier versions have codes of their own, explained in comments.
refused ":2: ID: expected a number up to [0-9]*, found '#'" '1a # written by vef; the codes are its own'
# Truncated anywhere: no crash, and a message with the name, or a whole file.
size=$(wc -c <barriers.vef-text)
cut=0
while [ $cut -lt "$((size - 14))" ]; do
    head -c $cut barriers.vef-text >cut.vef-text
    vef 2 import cut.vef-text --format vef-text -o cut.vef
    says 'cut.vef-text'
    cut=$((cut + 7))
done
printf 'VEF 1 0 1 0 0 TRUE\nC0 0\n\0\n' >nul.vef-text
vef 2 import nul.vef-text --format vef-text -o nul.vef
says 'nul.vef-text:3: a NUL byte: not a text file'
vef 2 import missing.vef-text --format vef-text -o missing.vef
says 'missing.vef-text: No such file'

# Members call the collectives of a communicator in one order.
cat >crossed.vef-text <<'END'
VEF 2 0 1 2 4 TRUE
C0 0 1
G0 0 6 0 0 0 0 0 -1
G1 0 6 0 0 0 3 0 G0
G1 0 6 1 0 0 0 0 -1
G0 0 6 1 0 0 3 0 G1
END
vef 2 import crossed.vef-text --format vef-text -o crossed.vef
says ':5: collective G1 is number 1 of task 1 on its communicator, but number 2 in line 4'

[ $failures -eq 0 ]
