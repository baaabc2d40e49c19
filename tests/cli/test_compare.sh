#!/bin/sh
# `vef compare`: the numbers are those of vef load and vef replay on each network alone; pictures; what it refuses.
set -u
. tests/command.sh

echo 'topology: {family: torus, sizes: [4, 4]}' >torus.yaml
echo 'topology: {family: mesh, sizes: [4, 4]}' >mesh.yaml

few='--precision 0.05 --seeds 1'
# shellcheck disable=SC2086 # options
vef 0 compare torus.yaml mesh.yaml --pattern bit-complement --rate 0.05,0.9 $few --csv
cut -d, -f1-6 out >compared.csv
[ "$(wc -l <compared.csv)" -eq 5 ] || fail "rows: $(cat compared.csv)"
[ "$(awk -F, 'NR > 1 { print $NF }' out | tr '\n' ' ')" = 'stable stable stable saturated ' ] || fail "states: $(cat out)"
for net in torus mesh; do
    # shellcheck disable=SC2086
    vef 0 load $net.yaml --pattern bit-complement --rate 0.05,0.9 $few --csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%.5f %.5f %.1f\n", $at["offered_load"], $at["accepted_load"], $at["latency_mean_cycles"] }' out >alone
    awk -F, -v net=$net.yaml '$1 == net { printf "%.5f %.5f %.1f\n", $3, $4, $6 }' compared.csv | cmp -s - alone ||
        fail "$net: compared $(cat compared.csv), alone $(cat alone)"
done
# shellcheck disable=SC2086
vef 0 compare torus.yaml mesh.yaml --rate 0.9 $few --json
grep -q '"pattern": "uniform"' out || fail 'the pattern'
[ "$(grep -c '"peak_accepted_load"' out)" -eq 2 ] || fail 'a peak for each network'
awk '/"relative"/ { gsub(/,/, ""); print $2 }' out >relative
awk 'NR == 1 && $1 != 1 || NR == 2 && $1 >= 1 { exit 1 }' relative || fail "the mesh against the torus: $(cat relative)"
# --set is for all networks.
# shellcheck disable=SC2086
vef 0 compare torus.yaml mesh.yaml --set link.delay_cycles=100 --rate 0.05 $few --csv
awk -F, 'NR > 1 && $6 < 100 { exit 1 }' out || fail "longer links: $(cat out)"

printf 'vef-trace 1\ntasks 16\n' >pairs.txt
for task in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    printf 'task %d\nInit\nSend to=%d bytes=4000 ordinal=0\nRecv from=%d ordinal=0\nFinalize\n' $task $((15 - task)) $((15 - task))
done >>pairs.txt
vef 0 assemble pairs.txt -o pairs.vef
vef 0 compare torus.yaml mesh.yaml '{model: ideal}' --trace pairs.vef --csv
cut -d, -f2 out | sed 1d >compared
for net in torus.yaml mesh.yaml '{model: ideal}'; do
    vef 0 replay pairs.vef --net "$net" --json
    sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out
done >alone
cmp -s compared alone || fail "replays: compared $(cat compared), alone $(cat alone)"
vef 0 compare torus.yaml mesh.yaml --trace pairs.vef --map anneal --json
[ "$(grep -c '"average_hops": 1.0000' out)" -eq 2 ] || fail "a mapping for all: $(cat out)"
if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2086
    vef 0 compare torus.yaml mesh.yaml --rate 0.1 $few --plot loads.svg
    vef 0 compare torus.yaml mesh.yaml --trace pairs.vef --plot times.svg
    for picture in loads times; do
        grep -q 'mesh.yaml' $picture.svg || fail "the picture $picture"
    done
    vef 2 compare torus.yaml --rate 0.1 --plot loads.pdf
fi

# A receive whose message is never sent, and a missing network: found before anything is measured.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stall.txt
vef 0 assemble stall.txt -o stall.vef
vef 1 compare torus.yaml --trace stall.vef
grep -q no-send out || fail 'the stall'
vef 2 compare torus.yaml none.yaml --rate 0.1
says none.yaml
[ ! -s out ] || fail 'numbers in spite of an error'
vef 2 compare torus.yaml --rate 0.1 --trace pairs.vef
says '--trace: not supported with --rate'
vef 2 compare torus.yaml
says 'missing --rate LOADS or --saturation'
vef 2 compare --rate 0.1
says 'missing'
[ $failures -eq 0 ]
