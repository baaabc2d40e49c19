# From BookSim2's output to a line "peer|row|value" of bench/compare.sh: packet-hops per second. Its "Hops average" counts
# routers, one more than links.
/^Time taken is/ { cycles = $4 }
/^Accepted packet rate average = / { packets = $6 }
/^Hops average = / { hops = $4 - 1 }
/^Total run time/ { seconds = $4 }
END {
    if (seconds > 0)
        printf "peer|router: torus 16x16, half of saturation|BookSim2 %.3g\n", packets * 256 * cycles * hops / seconds / 1e6
}
