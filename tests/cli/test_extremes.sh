#!/bin/sh
# Parameters far beyond any network: refused with status 2 and a message, within little memory.
set -u
. tests/command.sh
ulimit -v 4194304

refuse() {
    pattern=$1
    shift
    vef 2 "$@"
    says "$pattern"
    [ ! -s out ] || fail "$ran: refused, and prints"
}
twos=2,2,2,2,2,2,2,2,2,2,2,2
# 3^24 routes of 24 counts of 2 bytes and a link of 4 bytes: 14,005,981 MiB.
refuse 'needs 14005981 MiB (2.82e+11 routes): out of range: at most 1024 MiB' \
    topology "{family: torus, sizes: [$twos,$twos]}"
# 2^24 routers of 48 ports of 6 bytes.
refuse '16777216 routers of 48 ports need 4608 MiB' topology '{family: hypercube, dimensions: 24}'
refuse 'out of range: expected at most 192 MiB' topology '{family: torus, sizes: [256, 256, 256]}'
refuse 'out of range: expected at most 192 MiB' topology '{family: de-bruijn, symbols: 8, length: 8}'
refuse 'k: expected a whole number from 2 to 512' topology '{family: kary-ntree, k: 1000, n: 8}'
refuse 'from 2 to' topology '{family: torus, sizes: [99999999999]}'
refuse 'sizes: more than' topology '{family: torus, sizes: [16777216, 16777216]}'
refuse 'sizes: more than' load "{topology: {family: mesh, sizes: [16777216, 3]}}" --rate 0.1
[ $failures -eq 0 ]
