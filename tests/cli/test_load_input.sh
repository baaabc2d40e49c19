#!/bin/sh
# What a user may get wrong with `vef load` and `vef verify`: refused with status 2, with the place, the reason and what would
# do; and nothing half written where a run is interrupted or cannot write.
set -u
. tests/command.sh

cat >net.yaml <<'END'
topology: {family: torus, sizes: [6, 3]}
packet: {phits: 4}
END

refuse() {
    pattern=$1
    shift
    vef 2 load "$@"
    says "$pattern"
    [ ! -s out ] || fail "$ran: refused, and prints"
}
on() { # PATTERN SETTINGS...: of the network
    pattern=$1
    shift
    settings=
    for setting; do settings="$settings --set $setting"; done
    # shellcheck disable=SC2086
    refuse "$pattern" net.yaml --rate 0.1 $settings
}

# Routing and topology that do not fit: which topologies would, and which routings.
for routing in hop-by-hop-2s hop-by-hop knaive eknaive; do
    on 'expected king-mesh, king-torus' routing.algorithm=$routing
    says 'expected for this network one of: adaptive, dor, minimal-adaptive, .*, up-down$'
done
for routing in tree-adaptive destro; do on 'kary-ntree, not torus' routing.algorithm=$routing; done
for routing in dort dort-adaptive ts-dor; do on 'twin-torus, not torus' routing.algorithm=$routing; done
on 'topology ibt, not torus' routing.algorithm=ibt
refuse 'expected for this network one of: minimal-adaptive, minimal, .*, up-down$' \
    '{topology: {family: de-bruijn, symbols: 2, length: 3}, routing: {algorithm: dor}}' --rate 0.1
refuse 'expected for this network one of: tree-adaptive, destro, ' \
    '{topology: {family: kary-ntree, k: 2, n: 2}, routing: {algorithm: dor}}' --rate 0.1
refuse 'router.flow_control: bubble' --rate 0.1 \
    '{topology: {family: ibt, sizes: [6, 6], bypass_dimensions: 1, lengths: [2]}, routing: {algorithm: ibt}, router: {flow_control: virtual-channels}}'

# Channels too few, queues too short, unknown names.
on 'paths of up to 4 hops need 4' routing.algorithm=minimal routing.channels=2
on 'from 1 to 64' routing.algorithm=dor routing.channels=0
on 'routing adaptive on topology torus: expected at least 2' router.queue_packets=1
on 'from 1 to 65535' router.queue_packets=0
on 'expected no unit_phits' router.buffer.unit_phits=3
on 'did you mean channels' routing.algorithm=dor routing.chanels=3
on 'did you mean torus' topology.family=toris
on 'random, round-robin, oldest, fifo, arrival, longest' router.arbiter=nix
on 'most-free, dimension-order, ' router.injection=nix
on 'did you mean dimension-order' router.injection=dor
on 'bubble, virtual-channels' router.flow_control=nix
on 'adaptive, dor, ' routing.algorithm=nix

# Rates.
for rate in nan inf '' , 0.1, 0.1:0.2:0.1:0.3 0.3x 0.1:0.5:nan 0.1:inf:0.1; do
    refuse '--rate.*0.05:1.0:0.05' net.yaml --rate "$rate"
done
refuse 'more than 0' net.yaml --rate -1
refuse 'at most 1, which' net.yaml --rate 1e9
refuse 'too many numbers: expected at most 1000' net.yaml --rate 0.1:1:1e-9
refuse 'expected a step above 0' net.yaml --rate 0.1:0.5:-0.1
refuse 'more than 0' net.yaml --saturation --rate 0

# Patterns.
for pattern in bit-complement bit-reversal perfect-shuffle; do
    refuse 'has 18 endpoints: expected a power of two, such as 16 or 32' net.yaml --rate 0.1 --pattern $pattern
done
refuse 'a grid of routers whose halves have equal sizes' net.yaml --rate 0.1 --pattern transpose
refuse 'sizes whose product is 18' net.yaml --rate 0.1 --pattern '{pattern: tornado, grid: [5, 5]}'
refuse '--pattern: .*found nothing' net.yaml --rate 0.1 --pattern ''
refuse '--process: .*found nothing' net.yaml --rate 0.1 --process ' '
refuse "found '2'" net.yaml --rate 0.1 --pattern '{pattern: hot-region, share: 2}'
refuse 'did you mean share' net.yaml --rate 0.1 --pattern '{pattern: hot-region, shara: 0.1}'
refuse "key 'file' is missing" net.yaml --rate 0.1 --pattern permutation
permutation() { # WANTED TEXT
    printf "$2" >pairs
    refuse "$1" net.yaml --rate 0.1 --pattern '{pattern: permutation, file: pairs}'
}
permutation "pairs:2: '1 x' is not a pair" '0 1\n1 x\n'
permutation "pairs:1: '0 1 2' is not a pair" '0 1 2\n'
permutation 'pairs:2: endpoint 99 is out of range: expected 0 to 17' '0 1\n1 99\n'
permutation 'pairs:2: duplicate destination 1: first in line 1' '0 1\n2 1\n'
permutation 'pairs:2: duplicate source 0: first in line 1' '0 1\n0 2\n'
permutation 'no sources' ''
permutation 'no sources' '# 0 1\n'
permutation 'not a text file' '0 1\000\n'
permutation 'no endpoint sends to another' '0 0\n'
refuse "cannot open 'absent'" net.yaml --rate 0.1 --pattern '{pattern: permutation, file: absent}'

# Numbers, files.
refuse '1 to 1000' net.yaml --rate 0.1 --seeds 1001
refuse 'expected from 1 to 1000 seeds' net.yaml --rate 0.1 --seeds -1
refuse 'expected more than 0 and less than 1' net.yaml --rate 0.1 --precision 1
refuse "found 'nan'" net.yaml --rate 0.1 --precision nan
refuse 'add up to 0.8' net.yaml --rate 0.1 --lengths 0.5:8,0.3:9
refuse 'a message of 0 phits' net.yaml --rate 0.1 --lengths 0
mkdir folder
refuse 'this is a folder: expected a network file' folder --rate 0.1
refuse 'missing key topology' /dev/null --rate 0.1
vef 2 verify net.yaml --channels 0
says "--channels: expected a whole number from 1 to 4294967295; found '0'"
vef 2 verify net.yaml --set routing.algorithm=dort
says 'expected for this network one of: '
vef 0 load net.yaml --rate 0.1 --seeds 1 --max-cycles 8192 --threads 1000

# So little offered that nothing comes: no figure is made of it, and that is not saturation.
vef 0 load net.yaml --rate 1e-12 --seeds 1 --max-cycles 8192
prints 'no packet arrived'
grep -q 'message n/a: saturated' out && fail 'nothing offered is reported as saturation'
vef 0 load net.yaml --rate 1e-12 --seeds 1 --max-cycles 8192 --json
prints '"saturated": false'
prints '"latency_mean_cycles": null'
prints '"average_hops": null'

# The traffic with its parameters, as given and as not given.
vef 0 load net.yaml --rate 0.1 --seeds 1 --max-cycles 8192 --pattern '{pattern: hot-region, share: 0.4}'
prints '^traffic   hot-region (share: 0.4, part: 0.125, self: false), bernoulli, messages of 4 phits$'

# Nothing to write to: told before the measurement for a plot, and never half a picture.
refuse "cannot write 'nowhere/picture.svg'" net.yaml --rate 0.1 --plot nowhere/picture.svg
if [ -c /dev/full ]; then
    ln -s /dev/full full.svg
    vef 2 load net.yaml --rate 0.1 --seeds 1 --max-cycles 8192 --plot full.svg
    says 'is the disk full'
fi
vef 0 load net.yaml --rate 0.1 --seeds 1 --max-cycles 8192 --plot one.svg
[ "$(grep -c 'translate(' one.svg)" -eq 5 ] || fail 'a plot of one point: three dots, two in the legend'
if [ -c /dev/full ]; then
    for form in --json --csv ''; do
        # shellcheck disable=SC2086
        "$vef" load net.yaml --rate 0.1 --seeds 1 --max-cycles 8192 $form >/dev/full 2>err
        [ $? -eq 2 ] || fail "vef load $form: status where nothing can be written"
        grep -q 'No space left' err || fail "vef load $form says nothing where nothing can be written"
    done
fi

# Interrupted: no result, no half picture, what stood there stays. (TERM, as a shell's background has INT ignored.)
echo old >kept.svg
ls >before
"$vef" load '{family: torus, sizes: [64, 64]}' --rate 0.5:1:0.1 --json --plot kept.svg >cut 2>/dev/null &
sleep 0.5
kill -TERM $!
wait $! 2>/dev/null
[ ! -s cut ] || fail 'interrupted: half a result'
[ "$(cat kept.svg)" = old ] || fail 'interrupted: the old picture is gone'
rm cut && ls >seen && grep -v -x seen seen >after
cmp -s before after || fail "interrupted: leaves $(comm -3 before after)"
[ $failures -eq 0 ]
