#!/bin/sh
# docs/papers.md, the figures of the papers beside computed ones, is what the program prints, and every
# figure is equal to the last digit printed or differs for a reason that its row gives: status 0.
set -u
. tests/command.sh

vef 0 topology --papers
diff "$here/docs/papers.md" out || fail "docs/papers.md is old; make docs writes it anew"
grep '^| .* : ' out | grep '|  |$' && fail "a figure differs, and the row does not say why"
[ "$(grep -c '^| [^n-]' out)" -gt 75 ] || fail "rows are missing"
vef 2 topology --papers net.yaml && says "unexpected operand 'net.yaml'"
vef 2 topology --papers --json && says '--json: not supported with --papers'
[ $failures -eq 0 ]
