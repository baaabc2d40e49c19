#!/bin/sh
# traces/calls.def against the mpi.h that is installed: every function that mpi.h declares stands in the
# table, once, as a call or among those not wrapped; the capture library has a wrapper of each call
# under both its names and of nothing else; and capture/CALLS.md is what the table says.
set -u
build=$1
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# One name a line. Declarations end with a semicolon and hold no braces.
declared() {
    echo '#include <mpi.h>' >"$TMPDIR/declares.c"
    "${MPICC:-mpicc.mpich}" -E -P "$TMPDIR/declares.c" | tr '\n' ' ' | tr ';' '\n' |
        sed -n 's/^[^(]*[ *]\(MPIX\{0,1\}_[A-Za-z0-9_]*\)(.*/\1/p'
}
calls() { sed -n 's/^CALL([0-9]*, \([A-Za-z0-9_]*\),.*/MPI_\1/p' traces/calls.def; }
passed() { sed -n 's/^NOT_WRAPPED(\([A-Za-z0-9_]*\),.*/\1/p' traces/calls.def; }
exported() { nm -D --defined-only "$build/libvefcapture.so" | awk '{ print $3 }'; }

declared | sort -u >"$TMPDIR/declared"
calls | sort >"$TMPDIR/calls"
passed | sort >"$TMPDIR/passed"
[ "$(wc -l <"$TMPDIR/declared")" -gt 500 ] || fail "mpi.h seems to declare $(wc -l <"$TMPDIR/declared") functions only"

sort "$TMPDIR/calls" "$TMPDIR/passed" >"$TMPDIR/table"
twice=$(uniq -d "$TMPDIR/table" | tr '\n' ' ')
[ -z "$twice" ] || fail "more than one row: $twice"
missing=$(comm -23 "$TMPDIR/declared" "$TMPDIR/table" | tr '\n' ' ')
[ -z "$missing" ] || fail "mpi.h declares these, the table has no row of them: $missing"
unknown=$(comm -13 "$TMPDIR/declared" "$TMPDIR/table" | tr '\n' ' ')
[ -z "$unknown" ] || fail "the table has rows of these, mpi.h does not declare them: $unknown"
numbers=$(sed -n 's/^[CR][A-Z]*(\([0-9]*\), .*/\1/p' traces/calls.def | sort | uniq -d | tr '\n' ' ')
[ -z "$numbers" ] || fail "numbers of more than one row: $numbers"

exported | grep '^MPI_' | sort >"$TMPDIR/wrapped"
exported | grep '^PMPI_' | sed 's/^P//' | sort >"$TMPDIR/wrapped_too"
cmp -s "$TMPDIR/calls" "$TMPDIR/wrapped" ||
    fail "calls (<) and wrappers (>) differ: $(diff "$TMPDIR/calls" "$TMPDIR/wrapped" | grep '^[<>]' | tr '\n' ' ')"
cmp -s "$TMPDIR/calls" "$TMPDIR/wrapped_too" ||
    fail "calls (<) and PMPI_ names (>) differ: $(diff "$TMPDIR/calls" "$TMPDIR/wrapped_too" | grep '^[<>]' | tr '\n' ' ')"

awk -f capture/calls_page.awk traces/calls.def | cmp -s - capture/CALLS.md ||
    fail "capture/CALLS.md is not what traces/calls.def says: run make docs"
for name in $(cat "$TMPDIR/table"); do
    grep -q "\`$name\`" capture/CALLS.md || fail "capture/CALLS.md does not name $name"
done
exit $failures
