#!/bin/sh
# Logs of several programs, damaged as accidents do it (tests/mpi/mutate_logs.c: bits, digits of headers, cut, zeroed, doubled,
# exchanged and missing parts and files): `vef gather` refuses them with a reason, or writes a trace in which
# `vef check` finds nothing but tasks that are cut short.
# VEF_ROUNDS sets (48).
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
rounds=${VEF_ROUNDS:-48}
first=${VEF_SEED:-1}

"${CC:-cc}" -O1 -w -o mutate "$here/tests/mpi/mutate_logs.c" || exit 1
${MPICC:-mpicc.mpich} -O1 -w -o random_program "$here/tests/mpi/random_program.c" "$here/tests/mpi/random_groups.c" || exit 1
${MPICC:-mpicc.mpich} -O1 -w -pthread -o random_threads "$here/tests/mpi/random_threads.c" || exit 1
# recorded NAME COMMAND...: its logs are in the folder NAME.
recorded() {
    name=$1
    shift
    timeout 50 "$vef" capture --force --keep-logs -o "$name.vef" "$@" >out 2>err
    mv "$name.vef.logs-"* "$name" || fail "$name: $(cat err)"
}
recorded small "$mpiexec" -n 4 ./random_program 7 60 1
recorded long "$mpiexec" -n 3 ./random_program 11 200 1
recorded threads "$mpiexec" -n 3 ./random_threads 5 60 1 none
recorded killed "$mpiexec" -n 3 ./random_program 5 60 1 1 70
recorded ring --max-size 1MiB --when-full ring "$mpiexec" -n 3 ./random_program 3 60 40

refused=0 written=0
for seed in $(seq "$first" $((first + rounds - 1))); do
    case $((seed % 5)) in
    0) logs=small ;; 1) logs=long ;; 2) logs=threads ;; 3) logs=killed ;; 4) logs=ring ;;
    esac
    rm -rf damaged made.vef
    cp -r $logs damaged
    ./mutate "$seed" damaged/task-*
    ran="gather of $logs, seed $seed"
    "$vef" gather -o made.vef damaged >out 2>err
    status=$?
    if [ $status -gt 1 ]; then
        [ $status -eq 2 ] && [ -s err ] && [ ! -e made.vef ] || fail "$ran: status $status"
        refused=$((refused + 1))
        continue
    fi
    [ -e made.vef ] || fail "$ran: status $status without a trace"
    written=$((written + 1))
    faulty=$(grep -c ' is faulty: ' err)
    "$vef" check made.vef >out 2>err
    if [ $? -gt 1 ] || [ "$faulty" -gt 0 ] || grep -v 'is cut short after\|was no longer recorded after\|: [0-9]* faults*$\|: no fault' out >other; then
        fail "$ran: vef check finds more than tasks that are cut short: $(head -n 3 other)"
    fi
done
[ $((refused + written)) -eq "$rounds" ] && [ $refused -gt 0 ] && [ $written -gt 0 ] || fail "$refused refused, $written written"

# Tasks of different runs under one name of a job: whole logs that contradict each other.
rm -rf mixed && mkdir mixed
cp long/task-000000* long/task-000001* mixed
cp threads/task-000002* mixed
./mutate 0 mixed/task-*.vlog
vef 1 gather -o mixed.vef mixed
says 'mixed.vef is faulty: .*: expected logs of one run'
vef 1 check mixed.vef
mkdir whole
cp long/*.vlog whole
./mutate 0 whole/task-*.vlog
vef 0 gather -o whole.vef whole
vef 0 check whole.vef
echo "$rounds sets of logs: $refused refused, $written written"
[ $failures -eq 0 ]
