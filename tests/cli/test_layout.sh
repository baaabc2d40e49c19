#!/bin/sh
# `vef topology --layout`, `--svg` and `--dot`: the lengths that the papers print, the picture, and
# what is refused. Camara et al., TPDS 2010, section 8.1; the king paper, section 2.
set -u
. tests/command.sh

vef 0 topology '{family: rtt, a: 4}' --layout trellis
prints '64 links of length 1 to sqrt(5)'
prints '8 columns, 4 rows'
vef 0 topology '{family: king-torus, sizes: [8, 8]}' --layout folded-king
prints 'the others have length 2 to sqrt(8)'
vef 0 topology '{family: diagonal-torus, sizes: [9, 9]}' --layout folded-king --json
prints '"length_greatest_squared": 8'
prints '"length_least_elsewhere": 2'
vef 0 topology '{family: torus, sizes: [8, 8]}' --layout folded --csv
prints '^router,x,y,column,row$'
[ "$(wc -l <out)" -eq 65 ] || fail "a row for each of 64 routers"

vef 2 topology '{family: torus, sizes: [8, 8]}' --layout trellis
says 'rectangular twisted tori'
says 'folded'
vef 2 topology '{family: torus, sizes: [8, 8]}' --layout folden
for layout in grid folded folded-king trellis square; do says " $layout\(,\|$\)"; done

vef 0 topology '{family: rtt, a: 4}' --dot
prints '^graph '
[ "$(grep -c -e ' -- ' out)" -eq 64 ] || fail "64 links"
vef 0 topology '{family: rtt, a: 4}' --dot --layout trellis
[ "$(grep -c -e 'pos=' out)" -eq 32 ] || fail "the places of 32 routers"

vef 0 topology '{family: rtt, a: 4}' --layout trellis --svg trellis.svg
[ "$(grep -c 'stroke-width="5"' trellis.svg)" -eq 1 ] || fail "one thick line in the picture"
texts trellis.svg | grep -q 'the longest, sqrt(5)' || fail "the picture does not name the longest link"
[ $failures -eq 0 ]
