#!/bin/sh
# `vef compare`: the numbers are those of vef load and vef replay on each network alone; pictures; what it refuses.
set -u
. tests/command.sh

echo 'topology: {family: torus, sizes: [4, 4]}' >torus.yaml
echo 'topology: {family: mesh, sizes: [4, 4]}' >mesh.yaml

few='--precision 0.05 --seeds 1'
# shellcheck disable=SC2086 # options
vef 0 compare torus.yaml mesh.yaml --pattern bit-complement --rate 0.05,0.9 $few --csv
cut -d, -f1-7 out >compared.csv
[ "$(wc -l <compared.csv)" -eq 5 ] || fail "rows: $(cat compared.csv)"
[ "$(awk -F, 'NR > 1 { print $NF }' out | tr '\n' ' ')" = 'stable stable stable saturated ' ] || fail "states: $(cat out)"
for net in torus mesh; do
    # shellcheck disable=SC2086
    vef 0 load $net.yaml --pattern bit-complement --rate 0.05,0.9 $few --csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%.5f %.5f %.2f\n", $at["offered_load"], $at["accepted_load"], $at["latency_mean_ns"] }' out >alone
    awk -F, -v net=$net '$1 == net { printf "%.5f %.5f %s\n", $3, $4, $7 }' compared.csv | cmp -s - alone ||
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
awk -F, 'NR > 1 && $7 < 3200 { exit 1 }' out || fail "longer links: $(cat out)"

# Networks of other cycles: a hop takes 40 ns in the router and 50 ns on the link, 16 and 20 cycles of 2.56 ns at 100 Gbit/s,
# 63 and 79 of 0.64 ns at 400 Gbit/s, and the tail 15 cycles more. So the faster network takes more cycles, 157 instead of
# 51, and less time: 100.48 instead of 130.56 ns; queues add 0.01 x 16 / 2 cycles. It accepts 4 x as much: a hundredth of 400
# Gbit/s are 500 MB/s.
for bandwidth in 100 400; do
    echo "{topology: {family: mesh, sizes: [2]}, router: {delay: 40 ns}, link: {bandwidth: $bandwidth Gbit/s, delay: 50 ns,
        phit: 32 B}, packet: {phits: 16}}" >of$bandwidth.yaml
done
vef 0 compare of100.yaml of400.yaml --rate 0.01 --seeds 1 --csv
[ "$(awk -F, 'function near(a, b, of) { return a > b * (1 - of) && a < b * (1 + of) ? "yes" : "no" }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { x = NR == 2 ? 1 : 4; print near($at["latency_mean_ns"], NR == 2 ? 130.56 : 100.48, 0.005),
        near($at["accepted_bytes_per_s"], x * 1.25e8, 0.05) }' out | tr '\n' ' ')" = 'yes yes yes yes ' ] ||
    fail "100 and 400 Gbit/s: $(cat out)"
vef 0 compare of100.yaml of400.yaml --rate 0.01 --seeds 1
prints '^of400: cycle 0.64 ns '
awk '$1 == "of400" && NF == 5 { found = $4 > 3.8 && $4 < 4.2 } END { exit !found }' out ||
    fail "400 relative to 100 Gbit/s: $(cat out)"
grep -q 'by default' out && fail 'a default of a file that has all keys'
# What a network file does not say.
vef 0 load torus.yaml --rate 0.1 --seeds 1
prints '; by default: link.bandwidth 1 Gbit/s, link.delay 1 cycle, router.delay 0$'

printf 'vef-trace 1\ntasks 16\n' >pairs.txt
for task in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    printf 'task %d\nInit\nSend to=%d bytes=4000 ordinal=0\nRecv from=%d ordinal=0\nFinalize\n' $task $((15 - task)) $((15 - task))
done >>pairs.txt
vef 0 assemble pairs.txt -o pairs.vef
vef 0 replay pairs.vef --net torus.yaml --set link.bandwidth='10 Gbit/s' --json
prints '"defaults": \["link.delay 1 cycle", "router.delay 0"\]'
vef 0 compare torus.yaml mesh.yaml '{model: ideal}' --trace pairs.vef --csv
cut -d, -f2 out | sed 1d >compared
for net in torus.yaml mesh.yaml '{model: ideal}'; do
    vef 0 replay pairs.vef --net "$net" --json
    sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out
done >alone
cmp -s compared alone || fail "replays: compared $(cat compared), alone $(cat alone)"
vef 0 compare torus.yaml mesh.yaml --trace pairs.vef --map anneal --json
[ "$(grep -c '"average_hops": 1.0000' out)" -eq 2 ] || fail "a mapping for all: $(cat out)"
# shellcheck disable=SC2086
vef 0 compare torus.yaml mesh.yaml --rate 0.1 $few --plot loads.svg
vef 0 compare torus.yaml mesh.yaml --trace pairs.vef --plot times.svg
for picture in loads times; do
    grep -q '>mesh<' $picture.svg || fail "the picture $picture"
done
# Long names, and times of 0.
long='{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: adaptive, adaptive_channels: 2}, router: {queue_packets: 10, injection_queue_packets: 8}, packet: {phits: 4}}'
vef 0 compare "$long" torus.yaml --trace pairs.vef --bars times --plot long.svg
texts long.svg | grep -qxF "$long" || fail "a long name: $(texts long.svg)"
vef 0 compare '{model: ideal}' --trace pairs.vef --plot zero.svg
# shellcheck disable=SC2086
vef 0 compare torus.yaml mesh.yaml --vary routing.algorithm=dor,adaptive --rate 0.1 $few --plot vary.svg
texts vary.svg | grep -qx 'mesh, routing.algorithm=adaptive' || fail 'the name of a curve'
vef 2 compare torus.yaml --rate 0.1 --plot loads.gif

# ---- --vary: rows are those of the network with --set; commas in brackets belong to a value ----

# shellcheck disable=SC2086
vef 0 compare torus.yaml --vary routing.algorithm=dor,adaptive --vary 'topology.sizes=[4, 4],[8, 4]' --set link.delay_cycles=5 \
    --rate 0.9 $few --csv
head -n 1 out | grep -q '^network,routing.algorithm,topology.sizes,rate,' || fail "columns: $(cat out)"
tr -d '"' <out | sed 's/\[\([0-9]*\), \([0-9]*\)\]/\1x\2/' | awk -F, 'NR > 1 { print $1, $2, $3, $6 }' >varied
for routing in dor adaptive; do
    for sizes in 4x4 8x4; do
        # shellcheck disable=SC2086
        vef 0 load torus.yaml --set routing.algorithm=$routing --set "topology.sizes=[${sizes%x*}, ${sizes#*x}]" --set link.delay_cycles=5 \
            --rate 0.9 $few --csv
        awk -F, -v name="torus $routing $sizes" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print name, $at["accepted_load"] }' out
    done
done >alone
# The tables have six digits and four.
paste -d ' ' varied alone | awk '{ difference = $4 - $8 } $1 != $5 || $2 != $6 || $3 != $7 || difference > 1e-4 || -difference > 1e-4 { exit 1 }
    END { exit NR != 4 }' || fail "varied: $(cat varied alone)"
vef 0 compare torus.yaml mesh.yaml --trace pairs.vef --vary link.delay_cycles=1,50 --csv
[ "$(cut -d, -f1,2 out | tr '\n' ' ')" = 'network,link.delay_cycles torus,1 torus,50 mesh,1 mesh,50 ' ] || fail "replays: $(cat out)"

# ---- names: without what all files share, as far as they differ ----

names() { # names WANTED PATH...
    wanted_names=$1
    shift
    for path; do mkdir -p "$(dirname "$path")" && cp torus.yaml "$path" 2>/dev/null; done
    vef 0 compare "$@" --trace pairs.vef --csv
    [ "$(cut -d, -f1 out | sed 1d | tr '\n' ' ')" = "$wanted_names " ] || fail "names: $(cat out)"
}
names 'one two' "$TMPDIR/deep/one.yaml" "$TMPDIR/deep/er/two.yaml"
names 'one.yaml one.yml' "$TMPDIR/deep/one.yaml" "$TMPDIR/deep/one.yml"
names 'rt/net.yaml rtt/net.yaml' "$TMPDIR/nets/rt/net.yaml" "$TMPDIR/nets/rtt/net.yaml"
names 'rt.d/net.yaml rt.d/er/net.yaml net.yaml' nets/rt.d/net.yaml nets/rt.d/er/net.yaml nets/net.yaml

refused() { # refused MESSAGE ARGUMENTS...
    words=$1
    shift
    vef 2 compare torus.yaml --rate 0.1 "$@"
    says "$words"
    [ ! -s out ] || fail 'numbers in spite of an error'
}
refused '--vary routing.algorithm: expected KEY=VALUE,VALUE, as in' --vary routing.algorithm
refused '--vary a=1,,2: empty value' --vary a=1,,2
refused "'1' is listed twice" --vary a=1,1
refused 'key a is given twice' --vary a=1 --vary a=2
refused "unknown key 'algoritm': did you mean algorithm" --vary routing.algoritm=dor
refused '36 networks: expected at most 32' --vary a=1,2,3,4,5,6 --vary b=1,2,3,4,5,6

# A receive whose message is never sent, and a missing network: found before anything is measured.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stall.txt
vef 0 assemble stall.txt -o stall.vef
vef 1 compare torus.yaml --trace stall.vef
grep -q no-send out || fail 'the stall'
vef 2 compare torus.yaml none.yaml --rate 0.1
says none.yaml
[ ! -s out ] || fail 'numbers in spite of an error'
vef 2 compare torus.yaml --rate 0.1 --trace pairs.vef
says '--trace and --rate: not supported together'
vef 2 compare torus.yaml
says 'missing --rate LOADS or --saturation'
vef 2 compare --rate 0.1
says 'missing'
# A fair comparison has as many virtual channels and as much memory at each port: adaptive has two channels and the escape, dor
# under bubble flow control one; a queue holds 4 packets of 64 phits of 4 B.
rt=$here/examples/networks/rt-4.yaml
once='--rate 0.1 --seeds 1 --precision 0.3 --json'
# shellcheck disable=SC2086
vef 0 compare "$rt" --vary routing.algorithm=dor,adaptive $once
says 'unequal hardware of a port: .*=dor has 1 virtual channel and 1 KiB of buffers, .*=adaptive has 3 virtual channels and 3 KiB of'
[ "$(grep -c '"total_channels": 3,*$' out)" -eq 1 ] && [ "$(grep -c '"port_buffer_bytes": 1024,*$' out)" -eq 1 ] || fail 'channels of compare'
# shellcheck disable=SC2086
vef 0 compare "$rt" --vary routing.algorithm=dor,adaptive $once --set router.buffer.per_port_phits=768
says 'dor has 1 virtual channel and 3 KiB of buffers, .*=adaptive has 3 virtual channels and 3 KiB of buffers: expected equal ones for a fair comparison$'
# shellcheck disable=SC2086
vef 0 compare "$rt" --vary link.delay_cycles=1,2 $once
! grep -q unequal err || fail 'a warning where the hardware is the same'
# shellcheck disable=SC2086
vef 0 load "$rt" $once
prints '"total_channels": 3,'
[ $failures -eq 0 ]
