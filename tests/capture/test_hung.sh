#!/bin/sh
# Where the tasks of a job hang: shown of its logs while it runs, and of its trace after it was killed.
# With each MPI library.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
${MPICC:-mpicc.mpich} -O1 -w -I"$here/capture" -o hung "$here/tests/mpi/hung.c" || exit 1

# The rows of CSV of the calls under way: task,thread,call,inside,waits_for,regions, without times.
rows() { cut -d , -f 1-4,7- out | tail -n +2; }
cat >expected <<'END'
0,0,MPI_Recv,1,from 1 tag 7 comm 1,"solver > exchange ""x"""
1,0,MPI_Waitall,1,"MPI_Irecv from 2 tag 1, MPI_Irecv from any, MPI_Ibarrier all of comm 1","solver > exchange ""x"""
2,0,MPI_Barrier,1,all of the world,"solver > exchange ""x"""
3,0,vef_region_begin,0,,"solver > exchange ""x"""
END

setsid "$vef" capture -o hung.vef -- "$mpiexec" -n 4 ./hung . >said 2>&1 &
session=$!
tries=0
until "$vef" info --running --csv --calls-under-way hung.vef.logs-* >out 2>err && rows | cmp -s - expected; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { rows | diff - expected >err; fail 'the calls of the running tasks are never shown'; break; }
    sleep 0.2
done
vef 0 info --running hung.vef.logs-*
prints '^Calls under way, at present$'
prints 'MPI_Recv .*from 1 tag 7 comm 1'
[ "$(find . "${TMPDIR:-/tmp}" -maxdepth 1 -name '*snapshot*' | wc -l)" -eq 0 ] || fail 'a snapshot is left behind'

# The logs of a running job are refused, or taken as they are.
vef 2 gather -o taken.vef hung.vef.logs-*
says 'the job still runs: task 0 (process [0-9]* on .*), task 1 .*, task 2 .*, task 3 .*--running'
[ ! -e taken.vef ] || fail 'gather of a running job leaves a trace'
vef 1 gather --running -o taken.vef hung.vef.logs-*
prints '4 tasks, 19 events' # Init, Comm_split and two regions each; two Irecv and an Ibarrier of task 1
vef 1 check taken.vef
! grep -v 'is cut short after\|: 4 faults$' out || fail 'vef check of a snapshot'

# The same of the trace of the killed tasks.
# shellcheck disable=SC2046
kill -s KILL $(processes_of hung)
wait $session
vef 0 info --csv --calls-under-way hung.vef
rows | cmp -s - expected || { rows | diff - expected >err; fail 'the calls of the killed tasks'; }
vef 0 info hung.vef
prints '^Calls under way, when the tasks were killed$'
vef 0 info --json hung.vef
prints '"calls_under_way"'
vef 0 dump hung.vef
cp out text
vef 0 assemble -o again.vef text
cmp -s hung.vef again.vef || fail 'the text form loses calls under way'
sed 's/^under_way 0.0/under_way 9.0/' text >wrong
vef 2 assemble -o wrong.vef wrong
says 'under_way: a task, communicator or site is out of range'
sed 's/recv,from=1/recv,frm=1/' text >wrong
vef 2 assemble -o wrong.vef wrong
says "wrong:[0-9]*: unknown part 'recv,frm=1,tag=7,comm=1' of a call under way"

echo "$failures failures"
[ $failures -eq 0 ]
