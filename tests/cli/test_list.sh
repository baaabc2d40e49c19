#!/bin/sh
# `vef list`: docs/reference.md is what it prints; a single list is a part of that; an unknown one is
# refused with those there are.
set -u
vef=$1/vef
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
"$vef" list >"$TMPDIR/all" || fail "vef list: status $?"
diff docs/reference.md "$TMPDIR/all" || fail "docs/reference.md is old; make docs writes it anew"
for list in networks topology mappings collectives calls; do
    "$vef" list $list >"$TMPDIR/one" || fail "vef list $list: status $?"
    [ -s "$TMPDIR/one" ] || fail "vef list $list says nothing"
    while IFS= read -r line; do
        grep -qxF -e "$line" docs/reference.md || fail "vef list $list: not in docs/reference.md: $line"
    done <"$TMPDIR/one"
done
"$vef" list maps >"$TMPDIR/out" 2>"$TMPDIR/err"
[ $? -eq 2 ] || fail "vef list maps: status"
grep -q "networks, topology, mappings, collectives, calls" "$TMPDIR/err" || fail "vef list maps does not name the lists"
[ $failures -eq 0 ]
