#!/bin/sh
# Paraver traces. What is read is written here by hand, after the records of Extrae 5.1.2
# (src/merger/paraver): the calls, messages and counts follow from what those records mean. What is
# written is compared with records worked out by hand, and read again.
. tests/command.sh
set -u

# dumped TRACE: its communicators and calls.
dumped() { "$vef" dump $1 | sed '1,/^exit_status/d; /^measured/d; /^end finalized/d'; }

# ---- reading ----

# Task 1: Isend to 2, which the Wait completes; a Bcast as root; its part of an Alltoallv with 3 tasks.
# Task 2: Irecv from 1, which returns at 160 and is complete when the Wait returns at 600; then the same collectives.
# Task 3: two receives; Gather on the communicator of tasks 2 and 3, as rank 1. Its root is rank 0, which alone receives.
# Alltoallv: sums of what is sent 20, 10, 10 and received 16, 12, 12; of 40 bytes i sends j (sent i x received j) / 40:
# 8, 6, 6; 4, 3, 3; 4, 3, 3: whole numbers.
cat >hand.prv <<'PRV'
#Paraver (01/01/2026 at 10:00):2000_ns:1(3):1:3(1:1,1:1,1:1),2
c:1:1:3:1:2:3
c:1:7:2:2:3
1:1:1:1:1:0:100:7
2:1:1:1:1:0:50000003:31
2:2:1:2:1:0:50000003:31
2:3:1:3:1:0:50000003:31
2:1:1:1:1:100:50000003:0
2:2:1:2:1:100:50000003:0
2:3:1:3:1:100:50000003:0
2:3:1:3:1:120:50000001:2
2:2:1:2:1:150:50000001:4
2:2:1:2:1:160:50000001:0:60000019:3
2:1:1:1:1:200:50000001:3
3:1:1:1:1:200:210:2:1:2:1:160:600:2000:5
2:1:1:1:1:210:50000001:0
2:1:1:1:1:300:50000001:5
2:1:1:1:1:310:50000001:0
2:1:1:1:1:320:50000001:1
3:1:1:1:1:320:330:3:1:3:1:120:350:48:9
2:1:1:1:1:330:50000001:0
2:3:1:3:1:350:50000001:0
2:1:1:1:1:400:50000002:7:50100001:64:50100002:0:50100003:1:50100004:1
2:3:1:3:1:400:50000002:7:50100001:0:50100002:64:50100004:1
2:1:1:1:1:450:50000002:0
2:3:1:3:1:450:50000002:0
2:2:1:2:1:500:50000001:5
2:1:1:1:1:500:50000002:12:50100001:20:50100002:16:50100004:1
2:3:1:3:1:500:50000002:12:50100001:10:50100002:12:50100004:1
2:2:1:2:1:600:50000001:0
2:2:1:2:1:600:60000019:0
2:2:1:2:1:650:50000002:7:50100001:0:50100002:64:50100004:1
2:2:1:2:1:660:50000002:0
2:2:1:2:1:700:50000002:12:50100001:10:50100002:12:50100004:1
2:1:1:1:1:740:50000002:0
2:2:1:2:1:740:50000002:0
2:3:1:3:1:740:50000002:0
2:2:1:2:1:800:50000002:13:50100001:8:50100002:16:50100004:7
2:3:1:3:1:800:50000002:13:50100001:8:50100002:0:50100004:7
2:2:1:2:1:850:50000002:0
2:3:1:3:1:850:50000002:0
2:1:1:1:1:900:50000003:32
2:2:1:2:1:900:50000003:32
2:3:1:3:1:900:50000003:32
2:1:1:1:1:910:50000003:0
2:2:1:2:1:910:50000003:0
2:3:1:3:1:910:50000003:0
PRV
printf 'EVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n3 solve it\n' >hand.pcf
printf 'LEVEL CPU SIZE 3\n1.a\n2.a\n3.a\n\nLEVEL NODE SIZE 1\na\n' >hand.row
vef 0 import hand.prv --format paraver -o hand.vef
says '1 requests of sends or collectives'
says '3 calls of Alltoallv'
vef 0 check hand.vef
prints '3 tasks, 22 events, 2 messages: no fault'
cat >wanted <<'TEXT'
comm 0 members=0-2
comm 1 parent=0 by=Comm_create members=1-2
task 0
Init time=100
Isend to=1 bytes=2000 tag=5 ordinal=0 gap=100 time=10
Wait requests=0 gap=90 time=10
Send to=2 bytes=48 tag=9 ordinal=0 gap=10 time=10
Bcast bytes=64 gap=70 time=50
Alltoallv sends=8,6*2 receives=8,4*2 gap=50 time=240
Finalize gap=160 time=10
task 1
Init time=100
Irecv from=0 bytes=2000 tag=5 ordinal=0 gap=50 time=10
Region_begin name="solve it"
Wait requests=0 gap=340 time=100
Region_end name="solve it"
Bcast bytes=64 gap=50 time=10
Alltoallv sends=4,3*2 receives=6,3*2 gap=40 time=40
Gather comm=1 bytes=8 gap=60 time=50
Finalize gap=50 time=10
task 2
Init time=100
Recv from=0 bytes=48 tag=9 ordinal=0 gap=20 time=230
Bcast bytes=64 gap=50 time=50
Alltoallv sends=4,3*2 receives=6,3*2 gap=50 time=240
Gather comm=1 bytes=8 gap=60 time=50
Finalize gap=50 time=10
TEXT
dumped hand.vef >out
diff wanted out >err || fail "what is read: $(cat err)"

# gzip, and times in microseconds.
gzip -c hand.prv >zip.prv.gz && cp hand.pcf zip.pcf
vef 0 import zip.prv.gz --format paraver -o zip.vef
dumped zip.vef | diff wanted - >err || fail "compressed: $(cat err)"
sed '1s/_ns//' hand.prv >us.prv && cp hand.pcf us.pcf
vef 0 import us.prv --format paraver -o us.vef
dumped us.vef | grep -q 'Isend to=1 bytes=2000 tag=5 ordinal=0 gap=100000 time=10000' || fail "microseconds"

# Two messages with one tag, received in the other order, as two communicators allow: each receive gets its own.
cat >cross.prv <<'PRV'
#Paraver (01/01/2026 at 10:00):2000_ns:0:1:2(1:1,1:1),1
c:1:1:2:1:2
2:1:1:1:1:10:50000001:3
3:1:1:1:1:10:20:2:1:2:1:70:90:100:5
2:1:1:1:1:20:50000001:0
2:2:1:2:1:25:50000001:2
2:1:1:1:1:30:50000001:3
3:1:1:1:1:30:40:2:1:2:1:25:60:200:5
2:1:1:1:1:40:50000001:0
2:2:1:2:1:60:50000001:0
2:2:1:2:1:70:50000001:2
2:2:1:2:1:90:50000001:0
PRV
vef 0 import cross.prv --format paraver -o cross.vef
says '2 messages have their numbers as tags'
dumped cross.vef | grep -e '^Recv' -e '^Isend' | sed 's/ gap.*//; s/ time.*//' >out
printf '%s\n' 'Isend to=1 bytes=100 ordinal=0 flags=open-ended' 'Isend to=1 bytes=200 tag=1 ordinal=1 flags=open-ended' \
    'Recv from=0 bytes=200 tag=1 ordinal=1' 'Recv from=0 bytes=100 ordinal=0' | diff - out >err || fail "crossed: $(cat err out)"

# In place, by the sizes that Extrae writes (src/tracer/wrappers/MPI/mpi_wrapper_coll_c.c): the arguments of the call, of
# which MPI ignores what is sent, and at the root of a Scatter what is received: 0 here, and 77 from an earlier call in a
# second file. Three tasks; parts of 40 bytes; of Gatherv and Scatterv 8, 16 and 24, at task 2 the root's.
# task CALL SENT RECEIVED [root]: a call of 10 ns by this task, after those of all tasks before it.
placed() {
    echo "2:$1:1:$1:1:$now:50000002:$2:50100001:$3:50100002:$4${5:+:50100003:1}:50100004:1"
    echo "2:$1:1:$1:1:$((now + 10)):50000002:0"
}
for left in 0 77; do
    {
        echo '#Paraver (01/01/2026 at 10:00):2000_ns:1(3):1:3(1:1,1:1,1:1),1'
        echo 'c:1:1:3:1:2:3'
        now=0
        for call in 17 18 11 12; do # Allgather, Allgatherv, Alltoall, Alltoallv
            now=$((now + 100))
            for task in 1 2 3; do placed $task $call $left 120; done
        done
        for sizes in '13 40 0 L 120' '15 0 40 120 L' '14 P 0 L 48' '16 0 P 48 L'; do # Gather, Scatter, Gatherv, Scatterv
            now=$((now + 100))
            for task in 1 2 3; do
                # shellcheck disable=SC2046
                set -- $(echo "$sizes" | sed "s/L/$left/; s/P/$((8 * task))/")
                if [ $task -eq 2 ]; then placed $task $1 $4 $5 root; else placed $task $1 $2 $3; fi
            done
        done
    } >place.prv
    vef 0 import place.prv --format paraver -o place.vef --force
    says '3 calls of Allgatherv in place have equal parts: only their sum is known'
    vef 1 check place.vef # each task is cut short
    prints '3 faults'
    dumped place.vef | sed -n '/^task 1/,/^task 2/p' | grep marks | sed 's/ gap.*//; s/ time.*//' >out
    cat >wanted.place <<'TEXT'
Allgather bytes=40 marks=in-place
Allgatherv bytes=40 receives=40*3 marks=in-place
Alltoall bytes=40 marks=in-place
Alltoallv sends=40*3 receives=40*3 marks=in-place
Gather root=1 bytes=40 marks=in-place
Scatter root=1 bytes=40 marks=in-place
Gatherv root=1 bytes=16 receives=8,16,24 marks=in-place
Scatterv root=1 bytes=16 sends=8,16,24 marks=in-place
TEXT
    diff wanted.place out >err || fail "in place: $(cat err)"
done

# A test that completes nothing is a poll; those in a row are one.
cat >poll.prv <<'PRV'
#Paraver (01/01/2026 at 10:00):2000_ns:0:1:1(1:1),1
c:1:1:1:1
2:1:1:1:1:10:50000003:39
2:1:1:1:1:20:50000003:0
2:1:1:1:1:25:50000003:39
2:1:1:1:1:35:50000003:0
PRV
vef 0 import poll.prv --format paraver -o poll.vef
[ "$(dumped poll.vef | grep Test)" = 'Test marks=poll repeats=2 gap=5 time=20' ] || fail "polls: $(dumped poll.vef)"

# ---- what is refused, and what is read in part ----

refused() {
    vef 2 import bad.prv --format paraver -o bad.vef --force
    says "$1"
    [ ! -e bad.vef ] || fail "$1: left a trace"
}
: >bad.prv
refused 'an empty file: expected a file in the format paraver'
{ head -n 20 hand.prv; printf '2:1:1:1:1:500:\000\n'; } >bad.prv
refused 'bad.prv:21: a NUL byte'
printf 'VEF\n' >bad.prv
refused "bad.prv:1: expected a Paraver trace"
sed '1s/:1:3(/:2:3(/' hand.prv >bad.prv
refused 'bad.prv:1: expected the tasks of one application'
sed '1s/3(1:1/4000000(1:1/' hand.prv >bad.prv
refused 'bad.prv:1: expected as many tasks as the header announces'
sed 's/^2:3:1:3:1:120/2:3:1:4:1:120/' hand.prv >bad.prv
refused 'bad.prv:11: expected events: 2:processor:1:task'
sed 's/^c:1:7:2:2:3/c:1:7:2:2:2/' hand.prv >bad.prv
refused 'bad.prv:3: expected a communicator'
sed 's/:2000:5$/:2000/' hand.prv >bad.prv
refused 'bad.prv:15: expected a message: 3:'
gzip -c hand.prv | head -c 300 >bad.prv.gz
vef 0 import bad.prv.gz --format paraver -o cut.vef --force
head -c 700 hand.prv >bad.prv
vef 0 import bad.prv --format paraver -o cut.vef --force
says 'the file was cut short'
says '3 of 3 tasks end before MPI_Finalize'
vef 1 check cut.vef
prints 'cut.vef: 3 faults'
# A collective without its root, and messages that lost their record.
sed 's/50100003:1:50100004:1/50100004:1/; /^3:.*:9$/d' hand.prv >part.prv
vef 0 import part.prv --format paraver -o part.vef
says '3 collectives left out'
says '2 sends or receives without a message'
vef 0 check part.vef

# ---- writing ----

# Task 0 sends two messages, with 100 ns each inside; task 1 is in Init for 50 ns, which is not part of its clock.
cat >own.txt <<'TEXT'
vef-trace 1
tasks 2
application "own"
comm 0 members=0-1
task 0
Init gap=5 time=70
Region_begin name="a b"
Isend to=1 bytes=300 tag=4 ordinal=0 gap=1000 time=100
Wait requests=0 gap=10 time=20
Send to=1 bytes=30 tag=2 ordinal=1 gap=40 time=100
Region_end name="a b"
Reduce root=1 bytes=16 elements=2 gap=30 time=7
Finalize gap=3 time=9
task 1
Init gap=5 time=50
Irecv from=0 bytes=300 tag=4 ordinal=0 gap=200 time=10
Recv from=0 bytes=30 tag=2 ordinal=1 gap=90 time=1000
Wait requests=0 gap=10 time=20
Mark name="here"
Reduce root=1 bytes=16 elements=2 gap=60 time=5
Finalize gap=3 time=9
TEXT
vef 0 assemble own.txt -o own.vef
vef 0 export own.vef --format paraver -o own.prv
grep '^3:' own.prv >out
printf '%s\n' 3:1:1:1:1:1000:1100:2:1:2:1:210:1330:300:4 3:1:1:1:1:1170:1270:2:1:2:1:300:1300:30:2 | diff - out >err ||
    fail "messages: $(cat err)"
grep -e '^#' -e '^c' own.prv >out
printf '%s\n' '#Paraver (01/01/1970 at 00:00):1398_ns:1(2):1:2(1:1,1:1),1' 'c:1:1:2:1:2' | diff - out >err || fail "header: $(cat err)"
grep '^2:2:.*:5000000' own.prv | cut -d: -f6- >out
printf '%s\n' 0:50000003:31 0:50000003:0 200:50000001:4 210:50000001:0 300:50000001:2 1300:50000001:0 1310:50000001:5 \
    1330:50000001:0 1390:50000002:9:50100001:0:50100002:16:50100003:1:50100004:1 1395:50000002:0 1398:50000003:32 \
    1398:50000003:0 | diff - out >err || fail "calls: $(cat err)"
grep '^1:1:' own.prv | cut -d: -f6- >out
printf '%s\n' 0:1000:1 1000:1100:10 1100:1110:1 1110:1130:8 1130:1170:1 1170:1270:4 1270:1300:1 1300:1307:13 1307:1310:1 |
    diff - out >err || fail "states: $(cat err)"
# Lines are in the order of time.
sed -n 's/^[123]:[^:]*:1:[^:]*:[^:]*:\([0-9]*\).*/\1/p' own.prv >out
sort -n out | cmp -s - out || fail "lines out of order"
grep -q '^1   a b$' own.pcf && grep -q '^9   MPI_Reduce$' own.pcf && grep -q '^THREAD 1.2.1$' own.row || fail "labels and names"
vef 0 import own.prv --format paraver -o again.vef
body() { "$vef" dump $1 | sed '1,/^comm 0/d' | sed '/^Init/s/.*/Init/; /^Finalize/s/ time=.*//'; }
body own.vef >wanted
body again.vef | diff wanted - >err || fail "again: $(cat err)"

# Into a folder that is not there.
vef 2 export own.vef --format paraver -o none/own.prv
says 'none/own.prv'

[ $failures -eq 0 ]
