#!/bin/sh
# vef-mpi: a load or a replay of several processes prints what one prints, once; errors are printed once; a process that dies
# ends the others. (tests/netmodel/test_ranks.c and tests/replay/test_replay_divided.c have many networks, without MPI.)
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

# A replay: eager messages and rendezvous between neighbours and across the network, and collectives of two communicators.
awk 'BEGIN { n = 32
    print "vef-trace 1\ntasks", n "\ncomm 1 parent=0 by=Comm_split members=0-30/2"
    for (t = 0; t < n; t++) { printf "task %d\nInit\n", t
        for (i = 0; i < 6; i++) {
            printf "Irecv from=%d gap=%d\nSend to=%d bytes=%d gap=20\nWait requests=%d\n",
                (t + n - 5 * i - 1) % n, 60 + 7 * t, (t + 5 * i + 1) % n, i % 2 ? 3000 : 70, i
            print "Allreduce bytes=64 elements=8"
            if (t % 2 == 0) print "Bcast comm=1 root=3 bytes=2500" }
        print "Finalize" } }' >app.txt
vef 0 assemble app.txt -o app.vef
for format in --json '--csv --per-task' '--csv --per-link' ''; do
    set -- app.vef "$network" --eager-threshold 1KiB $format
    vef 0 replay "$@"
    same >alone
    for processes in 2 3; do
        mpi 0 $processes replay "$@"
        same | cmp -s alone - || fail "$ran: prints something else than one process"
    done
done

# What one process has to find out: the first one does, alone. A receive whose send never comes.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stuck.txt
vef 0 assemble stuck.txt -o stuck.vef
vef 1 replay stuck.vef "$network" --json
cp out alone
mpi 1 2 replay stuck.vef "$network" --json
cmp -s alone out || fail "$ran: prints something else than one process"
[ "$(grep -c 'stalled (no-send): task 1, event 1 (MPI_Recv)' err)" -eq 1 ] || fail "$ran: not one cause: $(cat err)"

larger='{topology: {family: dragonfly, a: 4, h: 2, endpoints_per_router: 2}}'
# Jobs: the replays together and alone are divided. In the batch the third job waits for the first.
awk 'BEGIN { print "vef-trace 1\ntasks 10"
    for (t = 0; t < 10; t++)
        printf "task %d\nInit gap=%d\nAllreduce bytes=6000 elements=750\nBarrier\nFinalize\n", t, 11 * t }' >small.txt
vef 0 assemble small.txt -o small.vef
for options in '--job app.vef --job small.vef,start=2us --explain --json' '--job app.vef --job small.vef --no-alone --csv --per-link' \
    '--job app.vef --job small.vef --job app.vef --batch fcfs --json' '--job app.vef --job small.vef'; do
    set -- $options --net "$larger"
    vef 0 replay "$@"
    same >alone
    mpi 0 3 replay "$@"
    same | cmp -s alone - || fail "$ran: prints something else than one process"
done
mpi 2 3 replay --job app.vef --job missing.vef --net "$network"
[ "$(grep -c 'missing.vef' err)" -eq 1 ] || fail "$ran: not one error: $(cat err)"

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
mpi 2 2 replay missing.vef "$network"
once 'missing.vef'
mpi 2 2 replay app.vef '{model: ideal}'
once 'model: router'
for option in --explain '--sample 1us' '--timeline t.json' '--html t.html'; do
    mpi 2 2 replay app.vef "$network" $option
    once "${option%% *}: not supported by several processes: expected one"
done
mpi 2 2 replay app.vef "$network" --time-limit 1us
once 'a time limit: not supported by several processes: expected one'
mpi 2 2 replay app.vef "$network" --set host.gap=5ns
once 'host.gap: not supported'
mpi 2 2 topology "$network"
once 'topology: not supported by 2 processes'

# A process that is killed: mpiexec says so and ends the other.
"$mpiexec" -n 2 "$build/vef-mpi" load '{topology: {family: torus, sizes: [16, 16]}}' --rate 0.3 --precision 0.00001 --max-cycles 1000000000 >out 2>err &
launcher=$!
# Beyond MPI_Init, for which mpiexec has other words: each has computed for a second.
two_run() {
    [ "$(processes_of "$build/vef-mpi" | wc -l)" -eq 2 ] || return 1
    for process in $(processes_of "$build/vef-mpi"); do
        [ "$(awk '{ print $14 }' /proc/"$process"/stat)" -ge "$(getconf CLK_TCK)" ] || return 1
    done
}
wait_for two_run
kill -9 "$(processes_of "$build/vef-mpi" | tail -n 1)"
wait $launcher
[ $? -ne 0 ] || fail 'a run without one of its processes succeeds'
none_run() { [ -z "$(processes_of "$build/vef-mpi")" ]; }
wait_for none_run
grep -qi 'kill' err out || fail 'mpiexec does not say that a process was killed'
[ $failures -eq 0 ]
