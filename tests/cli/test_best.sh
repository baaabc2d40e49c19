#!/bin/sh
# `vef topology --best` from the outside: the best networks of the papers come first, the forms of output, and
# what is refused.
set -u
. tests/command.sh

# first ROW: the first row of the table of the last run is this one: its cells with bars between them, the
# average rounded to four digits as papers print it and the deviation left out.
first() {
    row=$(awk -F '  +' 'table { printf "%s|%s|%.4f", $2, $3, $4; for (i = 6; i <= NF; i++) printf "|%s", $i; exit }
        /^rank/ { table = 1 }' out)
    [ "$row" = "$1" ] || fail "$ran: the first is $row, not $1"
}

# Zhang, Powell, Deng, section 2.3 and Table 1: <6,12> is the best of iBT(30x30x36; L = 3).
vef 0 topology --best 'ibt sizes=30x30x36 L=3'
first '1|[6, 12]|7.5152|12|8|96'
prints '105 tried, 99 refused, 6 ranked by average'
prints '{family: ibt, sizes: \[30, 30, 36\], bypass_dimensions: 3, lengths: ...}'
prints '^first refused: lengths \[2\]: '
vef 0 topology --best 'ibt sizes=[30, 30, 36]   bypass_dimensions=3 at_most=1' --by diameter --top 2
first '1|[6]|8.2800|15|8|120'
prints '14 tried, 9 refused, 5 ranked by diameter; the first 2'
[ "$(grep -c '^ *[0-9]*  \[' out)" -eq 2 ] || fail "--top 2 does not print 2 rows"

# Andujar, thesis, 3DT paper: C is the best of 10 for k = 4, 49 of 129 paths change the card.
vef 0 topology --best 'twin-torus sizes=4x4x4'
prints '10 tried, 0 refused, 10 ranked by inner'
prints '^ *1  \[x+, x-, y+\] .* 49  *129$'
prints '^ *2  '

# Camara et al., TPDS 2010: the twist of RTT(8) among all of 16x8, average a (4a^2 - 1) / (6a^2).
vef 0 topology --best 'lattice sizes=16x8' --json
prints '"ranked_by": "average"'
prints '"enumerated": 9'
prints '"refused": 0'
[ "$(sed -n 's/^ *"shifts": "\(.*\)",$/\1/p' out | head -n 1)" = '[[], [8]]' ] || fail "RTT(8) is not the first"
[ "$(sed -n 's/^ *"average": \(.*\),$/\1/p' out | head -n 1)" = 5.312500 ] || fail "RTT(8): the average distance"
vef 0 topology --best 'lattice sizes=8x4' --csv --top 1
[ "$(wc -l <out)" -eq 2 ] || fail "CSV is not a head and a row"
[ "$(tail -n 1 out)" = '1,"[[], [4]]",2.625000,1.053269,4,4,16,1' ] || fail "the row of RTT(4) as CSV"

# What a search finds can be looked at: the description that is printed, with the value in place.
vef 0 topology '{family: lattice, sizes: [8, 4], shifts: [[], [4]]}' --json
prints '"average_distance": 2.625'

vef 2 topology --best 'torus sizes=4x4'
says 'ibt (lengths)'
says 'lattice (shifts)'
vef 2 topology --best 'ibt sizes=8x8 L=1' --by inner
says 'expected average or diameter'
vef 2 topology --best 'ibt sizes=8x8 L=1' --by length
says 'average'
vef 2 topology --best 'ibt sizes=8x8'
says "'bypass_dimensions' is missing"
[ $failures -eq 0 ]
