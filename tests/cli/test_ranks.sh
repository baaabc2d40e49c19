#!/bin/sh
# vef-mpi: a load simulated by several processes prints what one prints, once; errors are printed once; a process that dies
# ends the others. (tests/netmodel/test_ranks.c has many networks, without MPI.)
set -u
. tests/command.sh
[ -x "$build/vef-mpi" ] || { skip 'vef-mpi was not built'; exit 0; }
mpiexec=${MPIEXEC:-mpiexec.mpich}
# mpi STATUS PROCESSES ARGUMENTS...: as vef of command.sh.
mpi() {
    wanted=$1 processes=$2
    shift 2
    ran="$mpiexec -n $processes vef-mpi $*"
    "$mpiexec" -n "$processes" "$build/vef-mpi" "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || fail "$ran: status $status instead of $wanted"
}
# What only the machine determines.
same() { grep -v '"memory_bytes"\|"packet_hops_per_second"' out; }

network='{topology: {family: dragonfly, a: 4, h: 2}, link: {delay_cycles: 80, credit_delay_cycles: 80}}'
set -- "$network" --rate 0.2,0.4 --lengths 0.5:16,0.5:70 --seeds 2 --max-cycles 4096 --json
vef 0 load "$@"
same >alone
mpi 0 3 load "$@"
same >three
cmp -s alone three || fail 'three processes print something else than one'
[ "$(grep -c '"points"' three)" -eq 1 ] || fail 'not one document'
mpi 0 1 load "$@"
same | cmp -s - alone || fail 'one process of vef-mpi prints something else than vef'

# once WORDS: standard error has them in one line.
once() { [ "$(grep -c -- "$1" err)" -eq 1 ] || fail "$ran: not once '$1'"; }
mpi 2 2 load "$network" --rate 0.2 --nonsense
once "nonsense"
mpi 2 2 load missing.yaml --rate 0.2
once 'missing.yaml'
mpi 2 2 load "$network" --rate 0.2 --set congestion.policy=ecn
once 'congestion with windows'
mpi 2 2 load "$network" --rate 0.2 --sample 1us
once '--sample'
mpi 2 2 load '{model: ideal}' --rate 0.2
once 'model: router'
mpi 2 2 topology "$network"
once 'topology: not supported by 2 processes'

# A process that is killed: mpiexec says so and ends the other.
"$mpiexec" -n 2 "$build/vef-mpi" load '{topology: {family: torus, sizes: [16, 16]}}' --rate 0.3 --precision 0.00001 --max-cycles 1000000000 >out 2>err &
launcher=$!
two_run() { [ "$(processes_of "$build/vef-mpi" | wc -l)" -eq 2 ]; }
wait_for two_run
kill -9 "$(processes_of "$build/vef-mpi" | tail -n 1)"
wait $launcher
[ $? -ne 0 ] || fail 'a run without one of its processes succeeds'
none_run() { [ -z "$(processes_of "$build/vef-mpi")" ]; }
wait_for none_run
grep -qi 'kill' err out || fail 'mpiexec does not say that a process was killed'
[ $failures -eq 0 ]
