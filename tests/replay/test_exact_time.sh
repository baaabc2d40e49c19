#!/bin/sh
# No time is lost in rounding. A token goes along a chain of 20 tasks, each of which computes for 31 ns before it sends: 19 x
# 31 ns of computation, with cycles of 32 ns or of 32/3 ns; and the wavefronts of a sweep. Times are in ns.
set -u
. tests/command.sh

# chain GAP LAST: the last task computes for LAST ns when it has the token, which is of 4 bytes.
chain() {
    {
        printf 'vef-trace 1\ntasks 20\n'
        for task in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
            printf 'task %d\nInit\n' $task
            [ $task -eq 0 ] || printf 'Recv from=%d\n' $((task - 1))
            [ $task -eq 19 ] || printf 'Send to=%d bytes=4 gap=%s\n' $((task + 1)) "$1"
            [ $task -lt 19 ] && echo Finalize || printf 'Finalize gap=%s\n' "$2"
        done
    } >chain.txt
    vef 0 assemble --force -o chain.vef chain.txt
}

# takes NS NETWORK [OPTION...]: the replay of `trace` takes exactly so long, and the causes of each task add up to its end (each of
# the 15 is shown to 1 ps), none of them contention.
takes() {
    expected=$1
    network=$2
    shift 2
    vef 0 replay "$trace" --net "$network" --json "$@"
    found=$(sed -n 's/^ *"time_ns": \([0-9.e+]*\),$/\1/p' out | head -1)
    awk -v found="$found" -v wanted="$expected" 'BEGIN { exit !(found != "" && (found - wanted) ^ 2 < 1e-8) }' ||
        fail "$trace on $network: $found ns instead of $expected"
    vef 0 replay "$trace" --net "$network" --explain --once --csv "$@"
    awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) name[$i] = i; next } NF == 0 { exit }
        { sum = 0; for (cause in name) if (cause ~ /_ns$/) sum += $name[cause]; tasks++
          wrong = sum - 2 * $name["end_ns"] - $name["imbalance_ns"]; if ($name["contention_ns"] != 0 || wrong ^ 2 > 0.0015 ^ 2) exit bad = 1 }
        END { exit bad || !tasks }' out || fail "$trace on $network: the causes of a task do not add up: $(cat out)"
}

trace=chain.vef
chain 31 0
# Computation alone, and with the parameters of LogGP: o, L and o for each of 19 messages of a byte or more, (s - 1) G besides.
takes 589 '{model: ideal}'
takes 589 '{model: ideal}' --time-limit '1 s' # in the order of time
# A third of 31 ns is 10,333 1/3 ps, of which a task carries the third into its next gap: it has none.
takes 196.327 '{model: ideal}' --set host.compute_scale=0.3333333333333333
takes "$(awk 'BEGIN { printf "%.3f", 19 * (31 + 2 * 0.089 + 1234.567 + 3 * 0.007) }')" \
    '{model: loggp, latency: 1234.567 ns, overhead: 0.089 ns, gap: 0 ns, gap_per_byte: 0.007 ns}'
# Overheads of the host, exactly, before the send and after the arrival.
takes "$(awk 'BEGIN { printf "%.3f", 19 * (31 + 0.4 + 0.35) }')" '{model: ideal, host: {send_overhead: 0.4 ns, receive_overhead: 0.35 ns}}'

# A line of routers: a message of one phit to the next router takes 2 cycles (MODEL.md, Latency: 1 hop of one cycle, and one of
# the phit). Without routers' cycles it leaves when it is sent.
line='topology: {family: mesh, sizes: [20]}, link: {bandwidth: 1 Gbit/s, phit: 4 B}'
takes $((19 * (31 + 2 * 32))) "{model: flow, $line}"
# With them it leaves with the next cycle: 31 ns become one, once a hop; the gaps of the task before are not rounded.
takes $((19 * (32 + 2 * 32))) "{$line}"
chain 33 0
takes $((19 * (2 * 32 + 2 * 32))) "{$line}"
takes $((19 * (33 + 2 * 32))) "{model: flow, $line}"
chain 64 1
takes $((19 * (64 + 2 * 32) + 1)) "{$line}"
# Cycles of 32/3 ns: 31 ns end within the third one. Cycle k begins at 32 k / 3 ns, to the ps below.
chain 31 0
takes "$(awk 'BEGIN { printf "%.3f", int(19 * (3 + 2) * 32000 / 3) / 1000 }')" \
    '{topology: {family: mesh, sizes: [20]}, link: {bandwidth: 3 Gbit/s, phit: 4 B}}'
# Two gaps between two messages are one of their sum: 16 + 16 ns is one cycle.
sed 's/^Send \(.*\) gap=31$/Pcontrol gap=16\nSend \1 gap=16/' chain.txt >two.txt
vef 0 assemble --force -o chain.vef two.txt
takes $((19 * (32 + 2 * 32))) "{$line}"

# A sweep of B blocks over X x Y tasks takes X + Y - 2 + B phases (docs/generate.md), here of 90 ns; with a latency L for each
# step, and nothing else, X + Y - 2 of these besides (Hoisie, Lubeck and Wasserman, "Performance and scalability analysis of
# teraflop-scale parallel architectures using multidimensional wavefront applications", IJHPCA 14(4), 2000).
trace=sweep.vef
vef 0 generate '{workload: sweep, grid: [6, 5], tasks: 30, octants: 1, angles: 6, angle_blocks: 2, z_blocks: 10, block: [4, 4, 20], iterations: 1, compute: 90 ns}' -o sweep.vef
takes $(((6 + 5 - 2 + 20) * 90)) '{model: ideal}'
takes "$(awk 'BEGIN { printf "%.3f", (6 + 5 - 2) * (90 + 1.7) + 20 * 90 }')" \
    '{model: loggp, latency: 1.7 ns, overhead: 0 ns, gap: 0 ns, gap_per_byte: 0 ns}'

# Flushes of a window in a file: one that completes a Put takes no time here, two without an operation as long as they took.
printf '%s\n' 'vef-trace 1' 'tasks 2' 'clock "wall"' 'times "all"' 'comm 0 members=0-1' 'comm 1 parent=0 by=Win_allocate members=0-1' \
    'task 0' Init 'Put target=1 bytes=8 comm=1' 'Win_flush_all comm=1 gap=5 time=700' 'Win_flush_all comm=1 gap=5 time=300' \
    'Win_flush_all comm=1 gap=5 time=40' Finalize 'task 1' Init Finalize >flush.txt
vef 0 assemble --force -o flush.vef flush.txt
trace=flush.vef
takes $((3 * 5 + 300 + 40)) '{model: ideal}'
[ $failures -eq 0 ]
