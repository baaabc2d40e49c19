#!/bin/sh
# `vef fit pingpong` from the outside: a measurement of a few sizes under mpiexec, whose file vef reads back;
# fits of made-up measurements, whose keys follow from how they were made; files of measurements with errors.
set -u
. tests/command.sh

# Exact times: Send 100 + s/10, Isend 100 (+ s/10 if eager), Recv 200 + s/10, half a round trip 600 + s/2 up
# to 1024 B, and 2000 + s/4 above; the clock takes 10 ns. So the rest is 300 + 0.3 s up to 1024 B. Above, the
# replay adds two messages of 32 B, 2 x 309.6 ns, a send's 100 ns and a receive's 200.1 ns: 1080.7 + s/4.
awk 'BEGIN {
    print "# vefpingpong 1"
    print "# host 0 made-up"; print "# host 1 made-up"
    print "# wall_ns 0 1000"; print "# cpu_ns 0 1000"
    print "kind,bytes,ns,delay_ns"
    for (i = 0; i < 5; i++) print "clock,0,10,0"
    for (i = 0; i < 5; i++) { print "blocked,1024,500,2000000"; print "blocked,1025,2000000,2000000" }
    for (s = 20; s <= 40000; s += 20 + int(s / 80) * 20)
        for (i = 0; i < 5; i++) {
            eager = s <= 1024
            printf "roundtrip,%d,%d,0\n", s, 10 + 2 * (eager ? 600 + s / 2 : 2000 + s / 4)
            printf "isend,%d,%d,0\n", s, 110 + (eager ? s / 10 : 0)
            printf "put,%d,%d,0\nget,%d,%d,0\naccumulate,%d,%d,0\n", s, 1010 + s / 20, s, 1210 + s / 10, s, 710 + s / 4
            printf "flush,%d,%d,0\ntrain,%d,%d,0\nreduce,%d,%d,0\n", s, 810, s, 410 + s / 20, s, 60 + s / 20
            if (eager) printf "send,%d,%d,0\nreceive,%d,%d,0\n", s, 110 + s / 10, s, 210 + s / 10
        }
}' >exact.csv
vef 0 fit pingpong -o exact.yaml --measured exact.csv
for line in 'eager_threshold: 1 KiB' 'model: ideal' \
    '{up_to: 1 KiB, fixed: 100.0 ns, per_byte: 0.10000 ns}' '{fixed: 100.0 ns, per_byte: 0.00000 ns}' \
    '{up_to: 1 KiB, fixed: 200.0 ns, per_byte: 0.10000 ns}' '{fixed: 200.1 ns, per_byte: 0.00000 ns}' \
    'flush_time:' '{fixed: 800.0 ns, per_byte: 0.00000 ns}' '{fixed: 400.0 ns, per_byte: 0.05000 ns}' 'reduce_cost: 0.05000 ' \
    '{fixed: 1000.0 ns, per_byte: 0.05000 ns}' '{fixed: 1200.0 ns, per_byte: 0.10000 ns}' '{fixed: 700.0 ns, per_byte: 0.25000 ns}' \
    '{up_to: 1 KiB, fixed: 300.0 ns, per_byte: 0.30000 ns}' '{fixed: 1080.7 ns, per_byte: 0.25000 ns}'; do
    grep -qF "$line" exact.yaml || fail "the file lacks '$line': $(grep -v '^#' exact.yaml)"
done
vef 0 map --net exact.yaml --tasks 2
vef 2 fit pingpong -o exact.yaml --measured exact.csv
says 'exact.yaml exists'
cp exact.yaml former.yaml
vef 0 fit pingpong -o exact.yaml --measured exact.csv --force
cmp -s exact.yaml former.yaml || fail 'the same measurements give another file'
vef 0 fit pingpong -o plotted.yaml --measured exact.csv --plot fit.svg
for part in Send Put 'half a round trip'; do texts fit.svg | grep -qx "$part" || fail "the plot lacks $part"; done

# Between two hosts with a network of 0.1 ns a byte: of half a round trip, the network has s/10, and 2 x 3.2 ns for the two
# messages of 32 B, a send 100 + s/10 or 100. So a receive has 500 + 0.3 s up to 1024 B, and 1893.6 + 0.15 s above.
sed 's/^# host 1 .*/# host 1 another/' exact.csv >apart.csv
echo '{model: flow, topology: {family: star, endpoints: 2}, link: {bandwidth: 80 Gbit/s, phit: 1 B}, host: {cores: 3}}' >net.yaml
vef 0 fit pingpong -o apart.yaml --measured apart.csv --net net.yaml
for line in 'eager_threshold: 1 KiB' 'family: star' 'receive_overhead:' \
    '{up_to: 1 KiB, fixed: 100.0 ns, per_byte: 0.10000 ns}' '{fixed: 100.0 ns, per_byte: 0.00000 ns}' \
    '{up_to: 1 KiB, fixed: 500.0 ns, per_byte: 0.30000 ns}' '{fixed: 1893.6 ns, per_byte: 0.15000 ns}'; do
    grep -qF "$line" apart.yaml || fail "the file lacks '$line': $(grep -v '^#' apart.yaml)"
done
! grep -q 'memory_time\|cores\|model: ideal' apart.yaml || fail "a machine of one node: $(grep -v '^#' apart.yaml)"
vef 1 fit pingpong -o refused.yaml --measured exact.csv --net net.yaml
says "two tasks on host 'made-up': expected two hosts"
vef 2 fit pingpong -o refused.yaml --measured apart.csv --net '{model: ideal}'
says 'expected a network of at least two endpoints with links'

# The replay of a ping-pong with the files: half a round trip is what was measured, to the rounding of six
# times to whole ns.
for bytes in 400 20000; do
    cat >pingpong.goal <<END
num_ranks 2
rank 0 {
l1: send ${bytes}b to 1 tag 0
l2: recv ${bytes}b from 1 tag 0
l2 requires l1
}
rank 1 {
l1: recv ${bytes}b from 0 tag 0
l2: send ${bytes}b to 0 tag 0
l2 requires l1
}
END
    rm -f pingpong.vef
    vef 0 import pingpong.goal --format goal -o pingpong.vef
    for machine in exact apart; do
        vef 0 replay pingpong.vef --net $machine.yaml --map block --json $([ $machine = apart ] || echo --set host.cores=2)
        ns=$(sed -n 's/^ *"time_ns": \([0-9]*\).*/\1/p' out)
        awk -v s="$bytes" -v ns="${ns:-0}" 'BEGIN {
            wanted = 2 * (s <= 1024 ? 600 + s / 2 : 2000 + s / 4)
            exit !(ns > wanted - 8 && ns < wanted + 8)
        }' || fail "$machine: the replay of $bytes B took ${ns:-no} ns"
    done
done

# broken LINE TEXT MESSAGE: exact.csv with that line replaced.
broken() {
    awk -v n="$1" -v text="$2" 'NR == n { print text; next } { print }' exact.csv >broken.csv
    vef 2 fit pingpong -o broken.yaml --measured broken.csv
    says "broken.csv:$1: $3"
    [ ! -e broken.yaml ] || fail 'a file for broken measurements'
}
broken 1 'kind,bytes,ns,delay_ns' 'not a file of measurements'
broken 4 '# wall_ns 0 many' 'wall_ns'
broken 6 'kind,size' "'kind,size': expected the line"
broken 9 'sendrecv,1,2,3' "unknown kind 'sendrecv'"
broken 9 'send,1,2' '3 fields: expected 4'
broken 9 'send,1,2,3,4' '5 fields: expected 4'
broken 9 'send,1 KiB,2,3' 'bytes: expected'
broken 9 'send,0,2,3' 'bytes: out of range'
broken 9 'send,1,-2,3' 'ns: expected'
broken 9 'send,1,nan,3' 'ns: expected'
head -c 1000 exact.csv >cut.csv
vef 2 fit pingpong -o broken.yaml --measured cut.csv
says 'the line is cut'
: >empty.csv
vef 2 fit pingpong -o broken.yaml --measured empty.csv
says 'empty.csv: this is an empty file: expected measurements'
vef 2 fit pingpong -o broken.yaml --measured missing.csv
says 'missing.csv'
head -n 30 exact.csv >few.csv
vef 1 fit pingpong -o broken.yaml --measured few.csv
says 'too few'
sed 's/^# cpu_ns 0 1000/# cpu_ns 0 400/' exact.csv >busy.csv
vef 1 fit pingpong -o broken.yaml --measured busy.csv
says 'a task ran for 40 %'
[ ! -e broken.yaml ] || fail 'a file for a busy machine'
vef 0 fit pingpong -o busy.yaml --measured busy.csv --accept-noise
says 'warning: busy'
grep -q '^# NOT RELIABLE: busy' busy.yaml || fail 'the warning in the file'
sed 's/^# host 1 .*/# host 1 other/' exact.csv >two.csv
"$vef" fit pingpong -o two.yaml --measured two.csv --accept-noise >out 2>err || fail 'two nodes'
grep -q '^model: loggp' two.yaml || fail 'two nodes are loggp'

vef 2 fit
says 'expected pingpong'
vef 2 fit latency -o x.yaml
says "unknown kind 'latency': expected pingpong"
vef 2 fit pingpong
says 'missing -o'
vef 2 fit pingpong -o x.yaml --measured exact.csv mpiexec -n 2
says 'not supported together'
vef 2 fit pingpong -o x.yaml --sizes 0
says 'expected a whole number from 1 to 100000'
vef 2 fit pingpong -o x.yaml ./no-such-launcher
says 'cannot run'
vef 1 fit pingpong -o x.yaml false
says 'ended with status 1'
ls x.yaml* >/dev/null 2>&1 && fail 'a failed measurement leaves files'

# A measurement with each MPI library, chosen by its launcher. A slow or shared machine may time out before it has
# enough, or be too noisy: then it says so.
MPIS=${MPIS:-mpich}
for mpi in $MPIS; do
    launcher=mpiexec.$mpi
    [ "$MPIS" != "$mpi" ] || launcher=${MPIEXEC:-$launcher}
    rm -f real.*
    "$vef" fit pingpong -o real.yaml --save real.csv --sizes 60 --repetitions 5 --largest '256 KiB' --time '60 s' \
        --accept-noise --quiet "$launcher" -n 2 >out 2>err
    status=$?
    case $status in
    0)
        vef 0 map --net real.yaml --tasks 2
        "$vef" fit pingpong -o again.yaml --measured real.csv --accept-noise --force >out 2>err || fail 'the saved measurements'
        cmp -s real.yaml again.yaml || fail 'the saved measurements give another file'
        ;;
    1) grep -q 'too few' err || fail 'status 1 without the reason' ;;
    *) fail "a measurement with $launcher: status $status" ;;
    esac
    grep -q "^# library 0 $([ "$mpi" = mpich ] && echo MPICH || echo 'Open MPI')" real.csv || fail "not measured with $mpi"
    grep -q '^roundtrip,' real.csv || fail 'no round trips measured'
    # The sizes follow from the seed: at most 60, within the limit.
    awk -F, '$1 == "roundtrip" && ($2 < 1 || $2 > 262144) { bad = 1 } $1 == "roundtrip" { size[$2] } END { for (s in size) n++; exit bad || n > 60 }' real.csv ||
        fail 'sizes out of range'
    # The program of another library: each task is alone, which is told once.
    for other in $MPIS; do
        [ "$other" != "$mpi" ] || continue
        VEF_PINGPONG=$build/vefpingpong-$other "$vef" fit pingpong -o other.yaml "$launcher" -n 2 >out 2>err
        [ $? -eq 1 ] || fail "vefpingpong-$other with $launcher: status is not 1"
        [ "$(grep -c '^vefpingpong: expected 2 tasks, not 1: start it with the launcher of ' err)" -eq 1 ] || fail 'the reason is not told once'
    done
done
[ $failures -eq 0 ]
