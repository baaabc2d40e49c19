#!/bin/sh
# Results do not depend on --threads: of one run of `vef load`, which several threads simulate together, and of
# `vef replay`.
set -u
. tests/command.sh

# same NAME COMMAND...: the command's JSON with 1, 2, 3 and 8 threads, without its speed and its memory.
same() {
    name=$1
    shift
    for threads in 1 2 3 8; do
        vef 0 "$@" --json --threads $threads
        grep -v -e _per_second -e memory_bytes out >"$name.$threads"
        cmp -s "$name.1" "$name.$threads" || fail "$name: 1 and $threads threads differ"
    done
}

same torus load '{topology: {family: torus, sizes: [16, 16]}}' --rate 0.9 --seeds 1 --max-cycles 8192
same tree load '{topology: {family: kary-ntree, k: 4, n: 4}}' --rate 0.3 --seeds 1 --max-cycles 8192
same long load '{topology: {family: rtt, a: 16}, link: {delay_cycles: 10, credit_delay_cycles: 10}}' --rate 0.2 \
    --seeds 1 --max-cycles 8192
cut -d: -f1 torus.1 | grep -q accepted_load || fail "no figures are compared"

# 32 tasks exchange messages of many packets, all with all.
cat >exchange.goal <<'END_OF_HEAD'
num_ranks 32
END_OF_HEAD
awk 'BEGIN { for (r = 0; r < 32; r++) {
                 print "rank " r " {"; n = 0
                 for (i = 1; i < 32; i++) { print "l" ++n ": send 6000b to " (r + i) % 32 " tag " i }
                 for (i = 1; i < 32; i++) { print "l" ++n ": recv 6000b from " (r + 32 - i) % 32 " tag " i }
                 print "}" } }' >>exchange.goal
vef 0 import exchange.goal --format goal -o exchange.vef
same replay replay exchange.vef --net '{topology: {family: torus, sizes: [16, 16]}}' --map 'random(1)'
prints '"messages"'
vef 2 replay exchange.vef --net '{topology: {family: torus, sizes: [16, 16]}}' --threads 0
says 'expected a whole number from 1 '

[ $failures -eq 0 ]
