#!/bin/sh
# What a capture leaves out by --skip, --only, --regions and MPI_Pcontrol, what it names by vef.h, and
# that a program with vef.h runs the same without the library, however it is compiled.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}

# calls TASK: the calls of a task of the last trace, but for Init and Finalize, on one line.
calls() {
    "$vef" dump --task "$1" out.vef 2>/dev/null |
        awk '/^task /{on=1; next} /^end/{on=0} on && $1 != "Init" && $1 != "Finalize" {
            name = $1; for (i = 2; i <= NF; i++) if ($i ~ /^tag=/) name = name ":" $i
            out = out (out == "" ? "" : " ") name } END { print out }'
}
# capture OPTIONS… -- COMMAND: into out.vef.
capture() { vef 0 capture --force -o out.vef "$@"; }
# holds TASK TEXT
holds() {
    found=$(calls "$1")
    [ "$found" = "$2" ] || fail "$ran: task $1 has '$found' instead of '$2'"
}

${MPICC:-mpicc.mpich} -O1 -I"$here" -o selection "$here/tests/mpi/selection.c" || exit 1

"$mpiexec" -n 2 ./selection >out 2>err
[ "$(cat out)" = ran ] || fail "with vef.h and without the library the program does not run"
nm -D ./selection | grep -q vef_ && fail "the program needs something of vef.h"

capture -- "$mpiexec" -n 2 ./selection
"$vef" check out.vef >out 2>err || fail "vef check"
"$vef" dump --task 0 out.vef >text
for line in 'Region_begin name="round"' 'Region_end name="round"' 'Mark name="turn"' 'Region_begin name="inner \\"x\\""'; do
    [ "$(grep -c "^$line" text)" -eq 2 ] || fail "the trace does not have twice: $line"
done
grep -q 'before MPI' text && fail "a region before MPI_Init is recorded"

# Only inside some regions: what crosses the border stays matched with nothing.
capture --regions last -- "$mpiexec" -n 2 ./selection
holds 0 'Region_begin Barrier Region_end'
holds 1 'Region_begin Recv:tag=2 Barrier Region_end'
"$vef" dump --task 1 out.vef | grep -q '^Recv .*unmatched' || fail "a receive from outside the region is not unmatched"
"$vef" check out.vef >out 2>err || fail "vef check of regions"
grep -q 'no region' err && fail "$ran: $(cat err)"
capture --regions last,absent,round -- "$mpiexec" -n 2 ./selection
says "the trace has no region 'absent'"
[ "$(grep -c 'no region' err)" -eq 1 ] || fail "$ran: $(cat err)"
[ "$(calls 0 | grep -o 'Sendrecv_replace' | wc -l)" -eq 4 ] || fail "$ran: $(calls 0)"
[ "$("$vef" dump --task 0 out.vef | grep -c '^Sendrecv_replace.*tag=5')" -eq 0 ] || fail "records outside of regions"
[ "$("$vef" dump --task 0 out.vef | grep -c '^Mark')" -eq 2 ] || fail "loses marks inside a region"
"$vef" check out.vef >out 2>err || fail "vef check of two regions"

# Thousands of messages outside what is recorded take no room in the logs, and what is recorded on both
# sides of them keeps its matching: a message that another receive got would have another length.
${MPICC:-mpicc.mpich} -O1 -w -o sums "$here/tests/mpi/sums.c" || exit 1
rm -rf out.vef.logs-*
capture --keep-logs -- "$mpiexec" -n 2 ./sums
bytes=$(cat out.vef.logs-*/task-*.vlog | wc -c)
[ "$bytes" -lt 20000 ] || fail "the logs have $bytes bytes"
"$vef" check out.vef >out 2>err || fail "vef check of two stretches: $(cat out err)"
"$vef" replay --net "$here/examples/networks/ideal.yaml" out.vef >out 2>err || fail "replay of two stretches: $(cat err)"
"$vef" info --json out.vef >info.json
[ "$(grep -o '"messages": *[0-9]*' info.json | head -1 | tr -dc 0-9)" -eq 202 ] || fail "messages: $(grep '"messages"' info.json | head -1)"
rm -rf out.vef.logs-*

# By call. A send left out leaves its receive without a message.
capture --skip Sendrecv_replace,MPI_Barrier -- "$mpiexec" -n 2 ./selection
[ "$(calls 0 | grep -c 'Sendrecv\|Barrier')" -eq 0 ] || fail "--skip does not: $(calls 0)"
[ "$(calls 1 | grep -o 'Recv:tag=2')" = Recv:tag=2 ] || fail "--skip takes more: $(calls 1)"
capture --only Send -- "$mpiexec" -n 2 ./selection
[ "$(calls 0 | sed 's/Region[^ ]* *[^ ]*//g; s/Mark[^ ]*//g' | grep -o '[A-Z][a-z]*:tag=[0-9]*')" = Send:tag=2 ] || fail "--only: $(calls 0)"
"$vef" dump --task 0 out.vef | grep -q '^Send .*unmatched' || fail "a send whose receive is left out is not unmatched"
"$vef" dump --task 0 out.vef | grep -q '^Finalize' || fail "--only leaves out Finalize"
"$vef" check out.vef >out 2>err || fail "vef check of --only"

# The time inside calls that were left out is in the trace as such, and nowhere else: no time outside, which
# would pass in a replay. Capture, info and replay say so.
capture --skip Sendrecv_replace -- "$mpiexec" -n 2 ./selection
"$vef" dump out.vef >text
grep -q 'outside=' text && fail "calls left out pass as time outside: $(grep outside= text)"
grep -q '^left_out Sendrecv_replace 14 time=[1-9][0-9]*$' text || fail "left_out: $(grep left_out text)"
grep -q 'MPI_Sendrecv_replace: 14 calls were left out by choice' err || fail "$ran says: $(cat err)"
"$vef" info out.vef | grep -q '^warning .*MPI_Sendrecv_replace: 14 calls were left out' || fail "vef info does not warn"
"$vef" info --json out.vef | grep -q '"left_out"' || fail "the JSON of vef info has no left_out"
"$vef" replay --net "$here/examples/networks/ideal.yaml" out.vef | grep -q 'MPI_Sendrecv_replace: 14 calls were left out' ||
    fail "vef replay does not warn"
"$vef" assemble text -o again.vef && "$vef" dump again.vef | cmp -s - text || fail "the text form does not round-trip"

# Names that are none.
vef 2 capture --skip Isent -o x.vef -- true
says 'did you mean Isend'
vef 2 capture --only Comm_spawn -o x.vef -- true
says 'only counted'
vef 2 capture --skip Finalize -o x.vef -- true
says 'every trace records it'
vef 2 capture --skip Send --only Recv -o x.vef -- true
says 'not supported together'
vef 2 capture --regions , -o x.vef -- true
says 'missing name of a region'
vef 2 capture --max-size 3KiB -o x.vef -- true
says 'max-size'

# A log that may not grow: the task runs on, what was recorded first is there and the rest is told.
${MPICC:-mpicc.mpich} -O1 -w -o endings "$here/tests/mpi/endings.c" || exit 1
"$vef" capture --force --max-size 1MiB --keep-logs -o out.vef -- "$mpiexec" -n 2 ./endings '' 400000 >out 2>err
status=$?
ran='capture --max-size'
[ $status -eq 0 ] || fail "--max-size: status $status"
says 'recorded up to --max-size: task 0 after [0-9]* events, task 1 after [0-9]* events'
[ "$(grep -c 'exchanged' err)" -eq 2 ] || fail "--max-size harms the program"
for log in out.vef.logs-*/*.vlog; do
    [ "$(wc -c <"$log")" -le 1048576 ] || fail "$log is longer than --max-size"
done
vef 0 info --per-task out.vef
prints full
vef 1 check out.vef
prints 'task 0 was no longer recorded after'
events=$("$vef" dump --task 0 out.vef | tee text | grep -c '^[A-Z]')
[ "$events" -gt 50000 ] && [ "$events" -lt 400001 ] || fail "--max-size keeps $events events"
[ "$(grep -n '^Init' text | cut -d: -f1)" = "$(grep -n '^[A-Z]' text | head -n 1 | cut -d: -f1)" ] || fail "not the first events"

# However it is compiled and linked, also with -I of the folder where vef.h and a header of the library's own
# named mpi.h stand, and as C++.
ln -s "$here/capture" headers # flags are split at spaces
for flags in '-O2 -Iheaders' '-O2 -no-pie -fno-pic' '-O2 -flto' '-O0 -fno-plt' '-x c++' '-x c++ -O2 -flto' '-std=c99'; do
    # shellcheck disable=SC2086
    case $flags in
    *c++*) compiler=${MPICXX:-mpicxx.mpich} ;;
    *) compiler=${MPICC:-mpicc.mpich} ;;
    esac
    command -v "$compiler" >/dev/null || continue
    # shellcheck disable=SC2086
    $compiler -Wall -Wextra -Werror $flags -I"$here" -o selection "$here/tests/mpi/selection.c" >out 2>&1 || { fail "does not compile with $flags"; continue; }
    capture --regions last -- "$mpiexec" -n 2 ./selection
    holds 0 'Region_begin Barrier Region_end'
done

# Fortran.
if ${MPIFORT:-mpifort.mpich} -o selection "$here/capture/vef.f90" "$here/tests/mpi/selection.f90" >out 2>&1; then
    "$mpiexec" -n 1 ./selection >out 2>&1 || fail "the Fortran program does not run without the library"
    capture --regions 'a part' -- "$mpiexec" -n 1 ./selection
    "$vef" dump out.vef | grep -q '^Region_begin name="a part"' || fail "no region from Fortran"
    [ "$("$vef" dump out.vef | grep -c '^Barrier')" -eq 1 ] || fail "--regions with Fortran"
else
    fail "vef.f90 does not compile"
fi

echo "$failures failures"
# One thread ends the region while calls of another one are under way: each is in the trace, or left out and counted.
${MPICC:-mpicc.mpich} -O1 -w -o regions_of_threads "$here/tests/mpi/regions_of_threads.c" -lpthread || exit 1
for _ in 1 2; do
    capture --regions b -- "$mpiexec" -n 2 ./regions_of_threads 1000
    "$vef" check out.vef >out 2>err || fail "vef check where threads switch regions: $(tail -n 1 out)"
done
[ $failures -eq 0 ]
