#!/bin/sh
# RTT 32x16 under perfect shuffle, past saturation: packets that go straight on, or along the direction with the most hops
# to go, let the network accept over 10 % more than packets that compare credits alone (30 % and 40 % with three seeds and 32000 cycles).
# The same for packets of one phit on a fat tree.
set -u
export LC_ALL=C # numbers with a decimal point
vef=$1/vef
accepted() {
    "$vef" load examples/validation/twisted-2d.yaml --process poisson --seeds 1 --max-cycles 16000 --pattern perfect-shuffle \
        --rate 0.3 --set routing.selection="$1" --csv 2>/dev/null | tail -1 | cut -d, -f3
}
credits=$(accepted most-credits)
status=0
for selection in straight longest; do
    load=$(accepted $selection)
    awk -v ours="$load" -v credits="$credits" 'BEGIN { exit !(credits > 0 && ours > 1.1 * credits) }' ||
        { echo "FAIL: $selection accepts '$load', most-credits '$credits'"; status=1; }
done

# A fat tree of full bandwidth accepts 0.48 of packets of one phit, as BookSim2 does with anca (docs/results/peers.md), if packets
# spread over the links up; by credits alone, without drawn ties, the packets of a switch all request the same link.
for selection in random least-occupied; do
    load=$("$vef" load examples/validation/booksim.yaml --set 'topology={family: xgft, m: [4, 4, 4], w: [1, 4, 4]}' --rate 0.48 \
        --set "routing={algorithm: nca-adaptive, channels: 4, selection: $selection}" --seeds 1 --max-cycles 4096 --csv 2>/dev/null |
        tail -1 | cut -d, -f3)
    awk -v load="$load" 'BEGIN { exit !(load > 0.47) }' ||
        { echo "FAIL: nca-adaptive by $selection accepts '$load' of 0.48"; status=1; }
done
exit $status
