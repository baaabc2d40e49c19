#!/bin/sh
# `vef list`: docs/reference.md is what it prints; a single list is a part of that; an unknown one is
# refused with those there are; and a disk that is full is told.
set -u
vef=$1/vef
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
"$vef" list all >"$TMPDIR/all" || fail "vef list all: status $?"
diff docs/reference.md "$TMPDIR/all" || fail "docs/reference.md is old; make docs writes it anew"
for list in networks topologies routings topology traffic mappings collectives calls workloads; do
    "$vef" list $list >"$TMPDIR/one" || fail "vef list $list: status $?"
    [ -s "$TMPDIR/one" ] || fail "vef list $list says nothing"
    ! grep -vxF -f docs/reference.md "$TMPDIR/one" || fail "vef list $list: these lines are not in docs/reference.md"
done
"$vef" list example | diff examples/networks/all-keys.yaml - || fail "all-keys.yaml is old; make docs writes it anew"
# What the file says is what is taken where it says nothing.
configuration() { "$vef" load "$1" --rate 0.1 --seeds 1 --max-cycles 4096 --json | sed -n '/"configuration"/,/^ *},*$/p'; }
configuration '{topology: {family: torus, sizes: [8, 3]}}' >"$TMPDIR/defaults"
configuration examples/networks/all-keys.yaml >"$TMPDIR/all-keys"
[ -s "$TMPDIR/defaults" ] || fail "no configuration"
diff "$TMPDIR/defaults" "$TMPDIR/all-keys" || fail "all-keys.yaml does not hold the defaults"
"$vef" list maps >"$TMPDIR/out" 2>"$TMPDIR/err"
[ $? -eq 2 ] || fail "vef list maps: status"
grep -q "networks, topologies, routings, topology, traffic, mappings, jobs, collectives, calls, workloads, studies, limits, variables, example, plugin, completion, options, man" "$TMPDIR/err" || fail "vef list maps does not name the lists"

# What cannot be written is told, also by commands that leave all they print in the stream's buffer.
full() {
    "$vef" "$@" 2>"$TMPDIR/err" >/dev/full
    [ $? -eq 2 ] || fail "vef $*: status where nothing can be written"
    grep -q 'No space left on device' "$TMPDIR/err" || fail "vef $*: says $(cat "$TMPDIR/err") where nothing can be written"
}
if [ -c /dev/full ]; then
    full list networks
    full list calls
    full --help
    full --version
    full topology --help
    for form in --json --csv --distances --dot --between=0:1 --layout=grid; do
        full topology '{family: rtt, a: 4}' $form
    done
    full topology --best 'ibt sizes=8x8 L=1'
fi
[ $failures -eq 0 ]
