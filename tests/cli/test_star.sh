#!/bin/sh
# A single switch: all commands work without a link between routers, and the throughput of its queues is that of Karol, Hluchyj
# and Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch" (IEEE Trans. Communications, 1987).
set -u
. tests/command.sh

star() { echo "{topology: {family: star, endpoints: $1}$2}"; }
# accepts LEAST MOST NETWORK: of 1 phit per cycle and endpoint, to all endpoints with equal probability.
accepts() {
    vef 0 load "$3" --pattern '{pattern: uniform, self: true}' --rate 1 --max-cycles 40000 --csv
    awk -F, -v least="$1" -v most="$2" 'NR == 2 && ($3 < least || $3 > most) { exit 1 } END { exit NR != 2 }' out ||
        fail "$3: expected $1 to $2 of the offered load"
}

# Table I of the paper, the saturation throughput of N inputs with one queue each: 0.7500, 0.6553, 0.6184; without a bound on N
# 2 - sqrt(2) = 0.5858.
accepts 0.740 0.760 "$(star 2 '')"
accepts 0.645 0.666 "$(star 4 '')"
accepts 0.608 0.628 "$(star 8 '')"
accepts 0.580 0.600 "$(star 64 ', packet: {phits: 1}')"
# Without the head of the line nothing is lost but what the length of the queue costs.
voq='router: {virtual_output_queues: true, injection_queue_packets: 64'
accepts 0.98 1 "$(star 16 ", $voq}")"
accepts 0.94 1 "$(star 16 ", $voq, arbiter: islip, iterations: 4}")"

vef 0 topology '{family: star, endpoints: 16}' --json
for line in '"routers": 1' '"endpoints": 16' '"links": 0' '"diameter": 0' '"average_distance": 0' '"throughput_bound": null' \
    '"vertex_symmetric": "yes"'; do prints "^  $line,"; done
vef 0 topology '{family: star, endpoints: 4}' --set endpoints_per_router=3 --json
prints '"endpoints": 12'
vef 0 topology '{family: star, endpoints: 16}' --pattern shift
prints '16 of 16 endpoints send'
vef 2 topology '{family: star, endpoints: 16}' --layout square
says 'two routers or more'
vef 0 verify "$(star 16 '')"
prints '^free of deadlock'
vef 2 topology '{family: star, endpoints: 4097}'
says 'expected a whole number from 2 to 4096'
vef 2 topology "$(star 16 ', failures: {routers: [0]}')"
says 'no endpoint is left'
vef 0 topology "$(star 16 ', failures: {link_share: 0.5}')"

# Each task sends 1 MiB to the next: nothing contends, and 1 GB/s carries it in 1.0486 ms, in both models.
vef 0 generate '{tasks: 16, workload: ring, bytes: 1 MiB}' -o ring.vef
for model in router flow; do
    vef 0 replay ring.vef --json \
        --net "{model: $model, topology: {family: star, endpoints: 16}, link: {bandwidth: 1 GB/s}, packet: {bytes: 4 KiB}}"
    awk '{ gsub(/[",:]/, " ") } $1 == "execution_time_ns" { exit !($2 >= 1048576 && $2 < 1.01 * 1048576) }' out ||
        fail "$ran: expected 1.0486 ms"
done
[ $failures -eq 0 ]
