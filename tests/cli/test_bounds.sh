#!/bin/sh
# `vef topology --pattern`: throughput bounds with ideal division against exact linear programs over all minimal
# paths (solved by HiGHS), and closed forms of rings; what it refuses.
set -u
. tests/command.sh

# bound NETWORK PATTERN WANTED: the bounds hold WANTED, and are within 2 % of each other.
bound() {
    vef 0 topology "$1" --pattern "$2" --json
    awk -v wanted="$3" '{ gsub(/[",:]/, " ") }
        $1 == "throughput_bound" { lower = $2 }
        $1 == "throughput_bound_upper" { upper = $2 }
        $1 == "throughput_bound_even" { even = $2 }
        END { exit !(lower > 0 && lower <= wanted * (1 + 1e-9) && upper >= wanted * (1 - 1e-9) &&
            upper <= 1.0201 * lower && even > 0 && even <= upper) }' out || fail "$1, $2: expected $3: $(cat out)"
}

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
bound '{family: rtt, a: 16}' bit-reversal 0.328125
bound '{family: rtt, a: 16}' bit-complement 0.133333333333

# Rings: three hops in one direction; the half way round, either way; and uniform traffic of 8 routers, whose mean
# distance to another is 16/7 over two directions.
bound '{family: torus, sizes: [8]}' tornado 0.333333333333
bound '{family: torus, sizes: [8]}' '{pattern: bit-complement}' 0.5
bound '{family: torus, sizes: [8]}' uniform 0.875

# Two endpoints on each router: both send.
vef 0 topology '{topology: {family: torus, sizes: [8]}, endpoints_per_router: 2}' --pattern tornado
grep -q '16 of 16 endpoints send' out || fail "senders: $(cat out)"
vef 0 topology '{family: torus, sizes: [8]}' --pattern tornado --precision 0.2
vef 2 topology '{family: torus, sizes: [8]}' --pattern zipf
says 'destinations are random: expected uniform or a permutation'
vef 2 topology '{family: torus, sizes: [6]}' --pattern bit-reversal
says 'power of two'
vef 2 topology '{family: torus, sizes: [8]}' --precision 0.1
says '--precision: not supported with the figures of a network: expected --pattern'
vef 2 topology '{family: torus, sizes: [8]}' --pattern tornado --distances
says 'not supported together'
[ $failures -eq 0 ]
