#!/bin/sh
# `vef export` and `vef import` of the text form of VEF traces (interchange/vef_text): lines and end times that
# follow by hand, a way out and back, and what the reader refuses.
. tests/command.sh
set -u
ideal='{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' # cycles of 1 ns

# exported NAME: NAME.txt becomes NAME.vef and NAME.lines, without the comments on codes.
exported() {
    vef 0 assemble $1.txt -o $1.vef
    vef 0 check $1.vef
    vef 0 export $1.vef --format vef-text -o $1.vef-text
    grep -v '^# [^e]' $1.vef-text >$1.lines
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

# Task 0 sends at 40, task 1 answers 60 after that has arrived, at 100; task 0 ends 7 later.
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
VEF1 2 2 1 0 0 TRUE
C0 0 1
0 0 1 100 0 40 0
1 1 0 50 2 60 0
# end 1 1 0 1
# end 0 2 7 1
END
cmp wanted answer.lines || { fail "answer.lines"; cat answer.lines; }
takes answer 107
imported answer 107

# Task 0 waits for two messages: the line after depends on the one that comes last, at 300. Task 3 computes for
# 5 us before it receives what has been there since 300: its line depends on nothing but its computation. Task 2
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
VEF1 4 6 1 0 0 TRUE
C0 0 1 2 3
0 1 0 8 0 100 0
1 2 0 8 0 300 0
2 0 1 8 2 20 1
3 0 3 8 1 0 2
4 0 2 8 1 0 3
# end 0 1 0 4
5 2 3 8 2 510 4
# end 2 1 0 5
# end 3 0 5003 0
# end 1 2 0 2
END
sort wait.lines >found
sort wanted | cmp - found || { fail "wait.lines"; cat wait.lines; }
takes wait 5003
imported wait 5003

# Collectives on the world and on others; vectors of counts become messages.
cat >groups.txt <<'END'
vef-trace 1
tasks 3
comm 1 parent=0 by=Comm_create members=0,2
task 0
Init
Bcast root=1 bytes=64 gap=10
Gather root=0 bytes=5 comm=1
Alltoall bytes=4 gap=1
Alltoallv sends=0,7,7 receives=0,7,7
Finalize
task 1
Init
Bcast root=1 bytes=64 gap=30
Alltoall bytes=4
Alltoallv sends=7,0,7 receives=7,0,7
Finalize
task 2
Init
Bcast root=1 bytes=64 gap=20
Gather root=0 bytes=5 comm=1 gap=100
Alltoall bytes=4
Alltoallv sends=7,7,0 receives=7,7,0
Finalize gap=9
END
exported groups
says '6 messages are those of collectives without a code'
head -n 1 groups.lines | cmp -s - <<'END' || fail "the header: $(head -n 1 groups.lines)"
VEF1 3 6 2 2 1 TRUE
END
grep '^[CG]' groups.lines | sort >found
cat >wanted <<'END'
C0 0 1 2
C1 0 2
G0 0 1 0 0 64 0 10 0
G0 0 1 1 64 0 0 30 0
G0 0 1 2 0 64 0 20 0
G1 1 4 0 5 10 3 0 0
G1 1 4 2 5 0 3 100 0
G2 0 7 0 12 12 3 1 1
G2 0 7 1 12 12 3 0 0
G2 0 7 2 12 12 3 0 1
END
cmp wanted found || { fail "groups.lines"; cat found; }
imported groups $((30 + 100 + 1 + 9))
vef 0 dump groups.back.vef
for line in 'Bcast root=1 bytes=64' 'Gather comm=1 bytes=5' 'Alltoall bytes=4'; do
    prints "$line"
done

# ---- back: lines by hand ----

# Without an order, lines wait for their events alone. Task 0 sends at 100 and at 500, and answers message 2 10 ns
# after it arrived, though that line is the first. Task 1 ends 1000 ns after the answer: 100 + 50 + 10 + 1000.
cat >branches.vef-text <<'END'
VEF1 2 4 1 0 0 TRUE
C0 0 1
1 0 1 8 2 10 2
0 0 1 8 0 100 0
2 1 0 8 2 50 0
3 0 1 8 0 500 0
# end 1 2 1000 1
END
imported branches 1160
vef 0 import branches.vef-text --format vef-text -o branches.back.vef --force
says '1 of 2 tasks end with their last line'
says "threads, up to 2 in a task"
# In the order of the program message 1 cannot go, as the line after it is not reached.
sed '1a # order program' branches.vef-text >order.vef-text
vef 2 import order.vef-text --format vef-text -o order.vef
says 'order.vef-text:4: the line waits for a cycle of dependencies'
# CR LF, blanks and comments do not matter; nor do tabs.
sed 's/$/\r/; s/ /\t  /; s/^C/\r\n# C9 no line\r\n\r\nC/' branches.vef-text >windows.vef-text
imported windows 1160

# Lines of one event follow by the differences of their times, whatever their order: sends at 10 + 5 and 10 + 25,
# which task 1 receives, and answers the later one; 15 more to the end.
cat >siblings.vef-text <<'END'
VEF2.1 2 4 1 0 0 TRUE
C0 0 1
7 1 0 1 0 10 0
9 0 1 1 2 25 7
8 0 1 1 2 5 7
10 1 0 1 2 0 9
# end 0 2 15 10
END
imported siblings 50
# A barrier that task 0 enters at 20 and task 1 at 30, and one of 0 alone, which both follow; a dependency on a send.
cat >barriers.vef-text <<'END'
VEF1 2 2 2 1 1 TRUE
C0 0 1
C1 1
G5 0 0 0 0 0 0 20 0
G5 0 0 1 0 0 0 30 0
G2 1 0 1 0 0 3 4 5
4 1 0 16 3 7 2
3 1 0 16 1 100 4
# end 0 2 1 3
END
imported barriers $((30 + 4 + 7 + 100 + 1))
sed '1a # order program' barriers.vef-text >barriers-in-order.vef-text
imported barriers-in-order $((30 + 4 + 7 + 100 + 1))
vef 0 dump barriers-in-order.back.vef
[ "$(grep -c '^Barrier' out)" -eq 3 ] || fail "three blocking calls"

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
refused 'the header has 2 messages, 2 global and 1 local' '1s/1 1 TRUE/2 1 TRUE/'
refused 'the header has 3 communicators, the file 2' '1s/2 2 2/2 2 3/'
refused '2000000 tasks, but the file has only' '1s/VEF1 2/VEF1 2000000/'
refused 'no tasks: expected at least one' '1s/VEF1 2/VEF1 0/'
refused ':1: expected TRUE' '1s/TRUE/MAYBE/'
refused ":1: expected the header 'VEF<version>" '1d'
refused ':2: expected all ranks: C0 is the world' '2s/ 1$//'
refused ":2: the rank: expected a number up to 1, found '2'" '2s/ 1$/ 1 2/'
refused 'a rank is twice in the communicator' '3s/C1 1/C1 1 1/'
refused ':3: expected communicator C1: they are in ascending order' '3s/C1/C3/'
refused ":3: dst: expected a number up to 1, found '9'" '3s/1 0 1/1 0 9/'
refused ":3: Dep: expected a number up to 3, found '4'" '3s/ 2 10/ 4 10/'
refused ":3: time: expected a number up to [0-9]*, found '-10'" '3s/ 10 / -10 /'
refused ":3: bytes: expected a number up to [0-9]*, found '8x'" '3s/ 8 / 8x /'
refused ':3: unexpected text after the last field' '3s/$/ 7/'
refused ':3: unknown message 77' '3s/ 10 2/ 10 77/'
refused ':3: task 0 does not receive message 3, which goes from task 0 to task 1' '3s/ 10 2/ 10 3/'
refused ':3: task 0 does not send message 2, which goes from task 1 to task 0' '3s/2 10 2/1 10 2/'
refused ':3: the line waits for a cycle of dependencies' '4s/0 100 0/2 100 2/'
refused ':4: a second message with ID 1' '4s/^0/1/'
refused ':6: the task is not a member of communicator 1' '6s/G2 1 0 1/G2 1 0 0/'
refused ':7: unknown collective 9' '7s/7 2/7 9/'
refused ':7: the task takes no part in collective 2' '7s/4 1 0/4 0 1/'
refused 'collective G5 has lines of 1 tasks, its communicator has 2' '/^G5 0 0 1/d'
refused ':5: the task has a second line of collective 5' '5s/G5 0 0 1/G5 0 0 0/'
refused ':5: communicator and operation must be those of the collective.s line 4' '5s/G5 0 0/G5 0 3/'
refused ":5: bytes of a barrier: expected 0 sent and 0 received" '5s/1 0 0 0/1 0 1 0/'
refused ':8: the task has ended before' '$p'
# Truncated anywhere: no crash, and a message with the name, or a whole file.
size=$(wc -c <barriers.vef-text)
cut=0
while [ $cut -lt "$((size - 14))" ]; do
    head -c $cut barriers.vef-text >cut.vef-text
    vef 2 import cut.vef-text --format vef-text -o cut.vef
    says 'cut.vef-text'
    cut=$((cut + 7))
done
printf 'VEF1 1 0 1 0 0 TRUE\nC0 0\n\0\n' >nul.vef-text
vef 2 import nul.vef-text --format vef-text -o nul.vef
says 'nul.vef-text:3: a NUL byte: not a text file'
vef 2 import missing.vef-text --format vef-text -o missing.vef
says 'missing.vef-text: No such file'

# Members call the collectives of a communicator in one order.
cat >crossed.vef-text <<'END'
VEF1 2 0 1 2 0 TRUE
C0 0 1
G0 0 0 0 0 0 0 0 0
G1 0 0 0 0 0 3 0 0
G1 0 0 1 0 0 0 0 0
G0 0 0 1 0 0 3 0 1
END
vef 2 import crossed.vef-text --format vef-text -o crossed.vef
says ':5: collective G1 is number 1 of task 1 on its communicator, but number 2 in line 4'

[ $failures -eq 0 ]
