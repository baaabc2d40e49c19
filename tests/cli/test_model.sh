#!/bin/sh
# `vef model` and `vef load --map` from the outside: numbers of the paper's closed forms, a simulation beside the
# model, shares and mappings that are refused.
set -u
. tests/command.sh

echo 'topology: {family: rtt, a: 4}' >rtt.yaml

# Camarero et al., Figure 5 at alpha 1: 4 / 2 phits and 3/2 - 1/4, or 3/2, hops.
vef 0 model rtt.yaml --grid 8x4 --map identity --map diagonal-shift --alpha 0,1 --csv
[ "$(grep ',1,' out | tr '\n' ' ')" = 'identity,1,2.000000,2.000000,2.000000,1.250000,1.250000 diagonal-shift,1,2.000000,2.000000,2.000000,1.500000,1.500000 ' ] ||
    fail "alpha 1: $(cat out)"
# At alpha 0 the paper rounds: 4 / (2 x 4 / 3) = 1.5 phits, and 8/3 hops. No formula for others, or without a torus of tasks.
[ "$(grep 'identity,0,' out | cut -d, -f5,7)" = 1.500000,2.666667 ] || fail "alpha 0: $(cat out)"
vef 0 model rtt.yaml --grid 8x4 --map 'random(1)' --alpha 1 --csv
[ "$(sed 1d out | cut -d, -f5,7)" = n/a,n/a ] || fail "a formula of a random mapping: $(cat out)"
vef 0 model rtt.yaml --grid 8x4 --mesh --alpha 1 --csv
[ "$(sed 1d out | cut -d, -f5,7)" = n/a,n/a ] || fail "a formula without a torus: $(cat out)"
# Every formula of section 3, a = 6, alpha 0.25: 4 / (T / 4 + 3 G / 4) phits, D / 4 + 3 K / 4 hops.
formula() { # formula FAMILY MAPPING TASKS-ON-A-ROUTER T D
    vef 0 model "{topology: {family: $1, a: 6}, endpoints_per_router: $3}" --grid 12x$((6 * $3)) --map "$2" --alpha 0.25 --csv
    awk -F, -v family="$1" -v T="$4" -v D="$5" 'NR == 2 {
            G = family == "rt" ? 6 : 4; K = family == "rt" ? 4.5 : 4
            load = $5 - 4 / (T / 4 + 3 * G / 4); hops = $7 - (D / 4 + 3 * K / 4)
            exact = family == "rt" ? $4 : $5 # nothing is rounded on RT
            exit !(load < 1e-6 && load > -1e-6 && hops < 1e-6 && hops > -1e-6 && exact - $5 < 1e-5 && $5 - exact < 1e-5) }' out ||
        fail "$1 $2: $(cat out)"
}
formula rt identity 1 1 1
formula rtt identity 1 2 1.333333333
formula rtt diagonal-shift 1 2 1.5
formula rt 'vertical-union(2)' 2 1 0.75
formula rtt 'vertical-union(2)' 2 1 0.916666667
formula rtt 'diagonal-shift . vertical-union(2)' 2 1.5 1
formula rtt 'diagonal-shift ∘ vertical-union(2)' 2 1.5 1
formula rtt 'twisted-union(2)' 2 1 1
# Figure 6, two tasks on a router: 4 phits per cycle and router.
vef 0 model rtt.yaml --set endpoints_per_router=2 --grid 8x8 --map 'twisted-union(2)' --alpha 1 --json
for line in '"map": "twisted-union(2)"' '"throughput": 2.000000' '"throughput_per_router": 4.000000' '"hops": 1.000000' '"tasks": 64'; do
    grep -qF "$line" out || fail "the model lacks $line"
done
vef 0 model rtt.yaml --csv # a torus of as many tasks as endpoints, eleven shares
[ "$(wc -l <out)" -eq 12 ] || fail "the usual shares: $(cat out)"
vef 0 model rtt.yaml --alpha 0:0.5:0.25 --csv
[ "$(cut -d, -f2 out | sed 1d | tr '\n' ' ')" = '0 0.25 0.5 ' ] || fail "shares: $(cat out)"
vef 0 model rtt.yaml --map identity --map diagonal-shift --grid 8x4 --plot model.svg
grep -q 'diagonal-shift' model.svg || fail 'the plot'
vef 2 model rtt.yaml --plot model.svg
says 'model.svg exists'

# A simulation of neighbours alone is at 2 phits per cycle, less what waits for the same links.
vef 0 load rtt.yaml --set packet.phits=4 --set router.injection_queues=64 --set router.ejection_ports=4 --map diagonal-shift \
    --pattern '{pattern: local, alpha: 1, grid: [8, 4]}' --saturation --rate 4 --precision 0.03 --seeds 1 --json
accepted=$(sed -n 's/^ *"accepted_load": \([0-9.]*\).*/\1/p' out | tail -n 1)
awk -v a="${accepted:-0}" 'BEGIN { exit !(a > 1.7 && a <= 2.02) }' || fail "simulated ${accepted:-no} phits per cycle"
# The model beside the simulation, on RT(4) with 32 tasks: 4 / (alpha + 4 (1 - alpha) s) phits, alpha + 3 (1 - alpha) s hops, where
# s is 1, or 32 / 31 if no task sends to itself. Four tasks that wait beside the full link of its own lose a few percent.
value() { awk -v name="$1" '{ gsub(/[",:]/, " ") } $1 == name { found = $2 } END { print found }' out; } # the last
near() { # near NAME WANTED TOLERANCE
    awk -v got="$(value "$1")" -v wanted="$2" -v by="$3" 'BEGIN { exit !(got != "" && got != "null" && got >= wanted - by && got <= wanted + by) }' ||
        fail "$ran: $1 is $(value "$1") instead of $2 +- $3"
}
simulate() {
    vef 0 load '{topology: {family: rt, a: 4}, packet: {phits: 4}, router: {injection_queues: 64, ejection_ports: 4}}' --precision 0.03 \
        --seeds 1 --pattern "$1" --rate "$2" --json
}
simulate '{pattern: local, alpha: 0.5}' 0.05
near model_load 1.559748428 1e-6
near model_hops 2.048387097 1e-6
near model_hops_deviation 0 0.03
[ "$(value model_load_deviation)" = null ] || fail 'a deviation of an accepted load that is the offered one'
simulate '{pattern: local, alpha: 0.5, grid: [8, 4], self: true}' 4
near model_load 1.6 1e-6
near model_hops 2 1e-6
near model_load_deviation -0.05 0.06
awk -v load="$(value accepted_load)" -v deviation="$(value model_load_deviation)" \
    'BEGIN { difference = load / 1.6 - 1 - deviation; exit !(difference < 1e-6 && difference > -1e-6) }' || fail 'the deviation'
vef 0 load '{topology: {family: rt, a: 4}}' --pattern '{pattern: local, alpha: 1}' --rate 0.05 --precision 0.1 --seeds 1
prints '^model: the first link is full at 4.0000 phits/cycle/endpoint; 1.0000 hops'
prints '^offered 0.0500: hops [+-][0-9.]* %$'
vef 0 load '{topology: {family: torus, sizes: [4, 4]}}' --pattern '{pattern: local, alpha: 0}' --saturation --precision 0.1 --seeds 1 --json
awk -v peak="$(value peak_accepted_load)" -v model="$(value model_load)" -v deviation="$(value peak_model_deviation)" \
    'BEGIN { difference = peak / model - 1 - deviation; exit !(model > 0 && difference < 1e-6 && difference > -1e-6) }' ||
    fail "the deviation of the peak: $(cat out)"
for traffic in 'uniform:1' '{pattern: local}:2'; do # endpoints of a router that communicate with others alone are no grid
    vef 0 load "{topology: {family: rt, a: 4}, endpoints_per_router: ${traffic##*:}}" --pattern "${traffic%:*}" --rate 0.05 \
        --precision 0.1 --seeds 1 --json
    [ "$(value model_load)" = null ] || fail "a model of $traffic"
done

# A mapping of the pattern's endpoints: neighbours of a ring of 8 that are 3 routers apart, as 3 t mod 8.
printf '0\n3\n6\n1\n4\n7\n2\n5\n' >thirds.txt
for map in identity:1 'file(thirds.txt):3'; do
    vef 0 load '{topology: {family: torus, sizes: [8]}}' --pattern neighbour --map "${map%:*}" --rate 0.02 --precision 0.2 --seeds 1 --json
    grep -q "\"average_hops\": ${map#*:}," out || fail "hops with ${map%:*}"
done
vef 2 load rtt.yaml --rate 0.1 --grid 8x4
says '--grid: expected a --map'
vef 2 load rtt.yaml --rate 0.1 --map greedy
says 'missing traffic between the tasks'

refused() { # refused MESSAGE ARGUMENTS...
    words=$1
    shift
    vef 2 model "$@"
    says "$words"
}
refused '--alpha: 1.5: out of range: expected 0 to 1' rtt.yaml --alpha 0.5,1.5
refused '--alpha' rtt.yaml --alpha half
refused 'no topology' '{model: ideal}'
refused 'expected one of exactly 3 tasks' rtt.yaml --tasks 3 --grid 2x2
refused '33 tasks do not fit on 32 endpoints' rtt.yaml --tasks 33
refused '1 tasks: expected 2 to 4096' rtt.yaml --tasks 1
refused 'did you mean diagonal-shift' rtt.yaml --map diagonal
[ $failures -eq 0 ]
