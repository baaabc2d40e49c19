#!/bin/sh
# `vef verify` from the outside: exit statuses, the cycle of a ring without bubble followed from router to router,
# JSON, and what is not understood.
set -u
. tests/command.sh

cat >net.yaml <<'END'
topology: {family: torus, sizes: [4, 4]}
routing: {algorithm: dor}
END

vef 0 verify net.yaml
grep -q '^free of deadlock: routing dor on topology torus' out || fail 'the verdict'
# Two dimensions of 4: rings in both directions, one for each row and column.
grep -qE '^rings kept by bubble +16$' out || fail 'the number of rings'
grep -qE '^longest path +4 hops$' out || fail 'the longest path'

vef 0 verify '{topology: {family: rtt, a: 16}, routing: {algorithm: adaptive}}' --json
grep -q '"free_of_deadlock": true' out || fail 'the verdict in JSON'
grep -q '"longest_path_hops": 16' out || fail 'RTT(16) has diameter 16'
vef 0 verify '{family: mesh, sizes: [4, 3]}'

# Without bubble a ring of four queues: each step leads to the router of the next, and there are four.
vef 1 verify net.yaml --without-bubble
grep -q '^not free of deadlock' out || fail 'the verdict'
sed -n '/^a cycle/,/^and into it/p' out | grep '^  router' |
    sed 's/^  router \(([0-9, ]*)\):.* to router \(([0-9, ]*)\) (.*/\1|\2/' >steps
awk -F'|' '
    NR == 1 { first = $1 }
    NR > 1 && $1 != to { exit bad = 1 }
    { to = $2; seen[$1]++ }
    END {
        for (router in seen)
            if (seen[router] > 1)
                bad = 1
        exit bad || NR != 4 || to != first
    }' steps || fail "no ring of four: $(cat steps)"
vef 1 verify net.yaml --without-bubble --json
grep -q '"free_of_deadlock": false' out || fail 'the verdict in JSON'
[ "$(grep -c '"places_needed": 1' out)" -eq 5 ] || fail 'four steps and an entry'

# Adaptive channels in the queue of their escape.
vef 1 verify '{family: torus, sizes: [4, 4]}' --channels 1
# A bubble needs two places.
vef 1 verify net.yaml --set router.queue_packets=1
grep -q 'no escape that queues of 1 place could ever accept' out || fail 'the reason'

# Datelines instead of a bubble: two queues for each link, no ring, and one place is enough.
vef 0 verify net.yaml --set router.flow_control=virtual-channels --set router.queue_packets=1
grep -qE '^rings kept by bubble +0$' out || fail 'rings in spite of datelines'
# Both classes in one queue: the ring again.
vef 1 verify net.yaml --set router.flow_control=virtual-channels --channels 1
grep -q '^not free of deadlock' out || fail 'the verdict'

# Twin tori: the inner link takes four channels.
dort='{topology: {family: twin-torus, sizes: [3, 2, 3]}, routing: {algorithm: dort, unsafe: true, inner_channels: %d}'
dort="$dort, router: {flow_control: virtual-channels}}"
vef 0 verify "$(printf "$dort" 4)"
vef 1 verify "$(printf "$dort" 3)"
prints 'waits for inner, channel'

# UGAL over routers of a dragonfly: local hops before and after the first global link need channels of their own
# (BookSim2 has one for both).
dragonfly='{topology: {family: dragonfly, endpoints_per_router: 2, a: 4, h: 2}, routing: {algorithm: ugal-l, intermediate: router}}'
vef 0 verify "$dragonfly"
vef 0 verify "$dragonfly" --merge local=0,1,2,3
vef 1 verify "$dragonfly" --merge local=0,0,1,2
prints 'in the queue of global'
vef 2 verify "$dragonfly" --merge global=0,1,2
says 'expected 2 numbers of queues from 0 to 1, one for each virtual channel'
vef 2 verify "$dragonfly" --merge local=0,0,1,2 --channels 2
says 'not supported together'
vef 2 verify "$dragonfly" --merge optical=0,0
says "unknown class of links 'optical': expected one of local, global"

# Places of less than a packet, which a bubble cannot be kept in.
vef 2 verify net.yaml --set router.buffer.unit_phits=4
says 'bubbles are places for whole packets'
vef 0 verify net.yaml --set router.buffer.unit_phits=4 --set router.flow_control=virtual-channels

vef 2 verify '{model: ideal}'
says 'no routing'
vef 2 verify
vef 2 verify nowhere.yaml
vef 2 verify net.yaml --set routing.algorithm=none

[ $failures -eq 0 ]
