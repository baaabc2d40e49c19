#!/bin/sh
# `vef topology --pattern`: throughput bounds with ideal division against exact linear programs over all minimal
# paths (solved by HiGHS), and closed forms of rings; what it refuses.
set -u
. tests/command.sh

# bound NETWORK PATTERN WANTED: the bounds hold WANTED, and are within 2 % of each other. Even division and dimension order
# are divisions too, so the lower bound is at least theirs.
bound() {
    vef 0 topology "$1" --pattern "$2" --json
    awk -v wanted="$3" '{ gsub(/[",:]/, " ") }
        $1 == "throughput_bound" && !lower { lower = $2 } # not that of the cut
        $1 == "throughput_bound_upper" { upper = $2 }
        $1 == "throughput_bound_even" { even = $2 }
        $1 == "throughput_bound_dimension_order" { order = $2 + 0 } # null: 0
        END { exit !(lower > 0 && lower <= wanted * (1 + 1e-9) && upper >= wanted * (1 - 1e-9) &&
            upper <= 1.0201 * lower && even > 0 && even <= lower * (1 + 1e-9) &&
            order <= lower * (1 + 1e-9)) }' out || fail "$1, $2: expected $3: $(cat out)"
}

value() { awk -v name="$1" '{ gsub(/[",:]/, " ") } $1 == name { print $2; exit }' out; }

# Linear programs.
bound '{family: mesh, sizes: [4, 4]}' bit-reversal 1
bound '{family: torus, sizes: [4, 4]}' bit-reversal 2
bound '{family: mesh, sizes: [8, 8]}' transpose 0.454545454545
bound '{family: torus, sizes: [8, 8]}' transpose 0.666666666667
bound '{family: torus, sizes: [8, 8]}' bit-reversal 0.888888888889
bound '{family: mesh, sizes: [8, 4]}' perfect-shuffle 0.5
bound '{family: rt, a: 4}' bit-reversal 1
bound '{family: rtt, a: 4}' bit-reversal 1.2
bound '{family: rtt, a: 4}' perfect-shuffle 0.5
bound '{family: rt, a: 16}' bit-reversal 0.25
# Silent endpoints: 480 of 512 send, and accepted load is over all.
awk -v lower="$(value accepted_load_bound)" -v upper="$(value accepted_load_bound_upper)" \
    'BEGIN { exact = 0.25 * 480 / 512; exit !(lower <= exact && exact <= upper && upper < 1.021 * lower) }' ||
    fail "accepted load of RT under bit reversal: $(cat out)"
bound '{family: rtt, a: 16}' bit-reversal 0.328125
bound '{family: rt, a: 16}' bit-complement 0.125
bound '{family: rtt, a: 16}' bit-complement 0.133333333333
bound '{family: rt, a: 16}' perfect-shuffle 0.125
bound '{family: rtt, a: 16}' perfect-shuffle 0.125
# Bit reversal if y is numbered first: router (x, y) has the number y + 16 x.
awk 'BEGIN { for (x = 0; x < 32; x++) for (y = 0; y < 16; y++) {
        number = y + 16 * x
        reversed = 0
        for (bit = 0; bit < 9; bit++) { reversed = 2 * reversed + number % 2; number = int(number / 2) }
        print x + 32 * y, int(reversed / 16) + 32 * (reversed % 16)
    } }' >y-first.txt
bound '{family: rt, a: 16}' '{pattern: permutation, file: y-first.txt}' 0.25
bound '{family: rtt, a: 16}' '{pattern: permutation, file: y-first.txt}' 0.272727272727

# Rings: three hops in one direction; the half way round, either way; and uniform traffic of 8 routers, whose mean
# distance to another is 16/7 over two directions.
bound '{family: torus, sizes: [8]}' tornado 0.333333333333
bound '{family: torus, sizes: [8]}' '{pattern: bit-complement}' 0.5
bound '{family: torus, sizes: [8]}' uniform 0.875

# Random destinations. Neighbours load each link of a torus with a quarter of what an endpoint sends. Groups of two routers of
# a ring send one group on: routers of even number 2 or 3 hops, of odd number 1 or 2, so each link has 1 + 1/2 + 1/2. Fully
# connected routers, whose fullest link has: of a hot region of 2 of 8, 1/4 from one of them to the other, besides 3/4 of a
# seventh; of an incast, all of a source; of Zipf on 4, 1 / (1 + 1/3 + 1/4) from router 1 to router 0. Along a cycle of the
# Hoffman-Singleton graph with three endpoints on each router, links carry the packets of six.
bound '{family: torus, sizes: [8, 8]}' neighbour 4
bound '{family: torus, sizes: [8]}' '{pattern: group-shift, groups: 4}' 0.5
bound '{topology: {family: slim-fly, q: 5}, endpoints_per_router: 3}' two-hop-cycle 0.166666666667
bound '{family: complete, routers: 8}' '{pattern: hot-region, part: 0.25}' 2.8
bound '{family: complete, routers: 5}' '{pattern: incast, sources: 2}' 1
bound '{family: complete, routers: 4}' zipf 1.583333333333
bound '{family: complete, routers: 8}' '{pattern: uniform-bisection, grid: [2, 4]}' 4
bound '{family: complete, routers: 8}' '{pattern: local, grid: [8], alpha: 0.5}' 3.111111111111

# Uniform traffic of many routers: two stars of 61 routers, of which 61 x 61 / 121 phits cross the link between; and 8x4 and
# 16x8 rectangular tori, whose links are alike along x: the bound is that of the mean distance along x.
awk 'BEGIN { for (i = 1; i <= 120; i++) print (i <= 60 ? 0 : 121), i; print "0 121" }' >stars.txt
bound '{family: edges, file: stars.txt}' uniform 0.032518140285
bound '{family: rt, a: 4}' uniform 0.96875
bound '{family: rt, a: 8}' uniform 0.49609375

# All paths. A tornado on a ring sends 5/8 over the shortest way, of three hops, and 3/8 over the other, of five. Half a turn of
# a Slim Fly: the linear program of Nexullance (docs/results/published.md).
all_paths() {
    vef 0 topology "$1" --pattern "$2" --all-paths --json
    awk -v wanted="$3" '{ gsub(/[",:]/, " ") }
        $1 == "throughput_bound" && !lower { lower = $2 }
        $1 == "throughput_bound_upper" { upper = $2 }
        END { exit !(lower > 0 && lower <= wanted * (1 + 1e-9) && upper >= wanted * (1 - 1e-9) && upper <= 1.0201 * lower) }' out ||
        fail "$1, $2, all paths: expected $3: $(cat out)"
}
all_paths '{family: torus, sizes: [8]}' tornado 0.533333333333
all_paths '{topology: {family: slim-fly, q: 5}, endpoints_per_router: 4}' '{pattern: shift, by: 100}' 0.583333333333

# Dimension order: three hops in one direction; ties of uniform traffic divided evenly; 7 routers of a mesh of 8x8 turn at
# one router under the transposition (Dally and Towles: k - 1); all of bit complement over the middle of rows of 32.
is() { # is NAME WANTED
    awk -v got="$(value "$1")" -v wanted="$2" 'BEGIN { exit !(got > wanted * 0.999999 && got < wanted * 1.000001) }' ||
        fail "$ran: $1 is $(value "$1") instead of $2"
}
order() {
    vef 0 topology "$1" --pattern "$2" --json
    is throughput_bound_dimension_order "$3"
}
order '{family: torus, sizes: [8]}' tornado 0.333333333333
order '{family: torus, sizes: [8]}' uniform 0.875
order '{family: mesh, sizes: [8, 8]}' transpose 0.142857142857
order '{family: rt, a: 16}' bit-complement 0.125
vef 0 topology '{family: kary-ntree, k: 2, n: 3}' --pattern uniform
prints '^dimension order  *not defined on this topology'

# The bottleneck: the middle of a row of four routers, which 2 x 2 / 3 phits of uniform traffic cross in each direction;
# and the two cuts across the rows of RT, 32 links for 256 endpoints.
printf '0 1\n1 2\n2 3\n' >row.txt
vef 0 topology '{family: edges, file: row.txt}' --pattern uniform --json
is throughput_bound_even 0.75
grep -q '"cut": {' out || fail "no cut: $(cat out)"
is routers 2
is links 1
[ "$(grep -c '"share": 0.[45]' out)" -eq 2 ] || fail "the two directions of the middle link: $(cat out)"
vef 0 topology '{family: rt, a: 16}' --pattern bit-complement
prints '^cut  *32 links from 256 routers to the others'
vef 0 topology '{family: torus, sizes: [8]}' --pattern tornado
grep -q '^cut' out && fail 'a cut of a ring under tornado: three hops limit it, no cut'

# Own bandwidths, on a dumbbell of 3 and 3 routers: 3 x 3 / 5 phits of uniform traffic cross the middle; at ten times the
# network's 1 Gbit/s the links at the ends bind, each with the traffic of one endpoint; at a quarter the middle again.
dumbbell() { # dumbbell MIDDLE WANTED
    printf '0 2\n1 2\n2 3 %s\n3 4\n3 5\n' "$1" >dumbbell.txt
    bound '{family: edges, file: dumbbell.txt}' uniform "$2"
}
dumbbell '' 0.555555555556
dumbbell '10 Gbit/s' 1
dumbbell '250 Mbit/s' 0.138888888889
is throughput_bound_even 0.138888888889
awk '{ gsub(/[",:]/, " ") } $1 == "cut" { cut = 1 } cut && $1 == "throughput_bound" { exit !($2 > 0.13888 && $2 < 0.13889) }' out ||
    fail "the cut of a slow link: $(cat out)"

# A program: 4000 bytes from tasks 0 and 1 to task 2 share a link of 1 Gbit/s for 64 us; next to task 2, 32 us.
printf 'vef-trace 1\ntasks 3\ntask 0\nInit\nSend to=2 bytes=4000 ordinal=0\nFinalize\ntask 1\nInit\nSend to=2 bytes=4000 ordinal=0\nFinalize\ntask 2\nInit\nRecv from=0 ordinal=0\nRecv from=1 ordinal=0\nFinalize\n' >three.txt
vef 0 assemble three.txt -o three.vef
vef 0 topology '{family: mesh, sizes: [3]}' --trace three.vef --json
awk -v got="$(value transfer_ns)" 'BEGIN { exit !(got <= 64000 && got * 1.02 >= 64000) }' || fail "transfer_ns: $(cat out)"
is transfer_ns_even 64000
is transfer_ns_dimension_order 64000
is senders 2
is bytes 8000
is throughput_bound 0.5
printf '0\n2\n1\n' >places.txt
vef 0 topology '{family: mesh, sizes: [3]}' --trace three.vef --map 'file(places.txt)' --json
is transfer_ns_even 32000
vef 0 topology '{family: mesh, sizes: [3]}' --trace three.vef
prints '^even division  *0.500000 (0.064 ms)'
vef 2 topology '{family: mesh, sizes: [2]}' --trace three.vef
says 'tasks'
vef 2 topology '{family: mesh, sizes: [3]}' --pattern uniform --map identity
says '--map: expected with --trace$'
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nFinalize\n' >silent.txt
vef 0 assemble silent.txt -o silent.vef
vef 2 topology '{family: mesh, sizes: [3]}' --trace silent.vef
says 'silent.vef: nothing is sent'

vef 0 topology '{family: rt, a: 4}' --pattern bit-reversal
prints '^as accepted load .* phits/cycle/endpoint'
vef 0 topology '{family: rt, a: 16}' --pattern bit-complement
grep -q '^as accepted load' out && fail 'all endpoints send: both units are the same'

# Two endpoints on each router: both send.
vef 0 topology '{topology: {family: torus, sizes: [8]}, endpoints_per_router: 2}' --pattern tornado
grep -q '16 of 16 endpoints send' out || fail "senders: $(cat out)"
vef 0 topology '{family: torus, sizes: [8]}' --pattern tornado --precision 0.2
vef 2 topology '{family: torus, sizes: [6]}' --pattern bit-reversal
says 'power of two'
vef 2 topology '{family: torus, sizes: [8]}' --precision 0.1
says '--precision: expected with --pattern or --trace$'
vef 2 topology '{family: torus, sizes: [8]}' --pattern tornado --distances
says 'not supported together'
[ $failures -eq 0 ]
