#!/bin/sh
# traces/calls.def against the functions of MPI 5.0 (mpi_5_0_functions) and the mpi.h of each MPI library that is
# installed: every function is in the table, once, as a call or among those not wrapped; the capture libraries
# have a wrapper of each call, which no program can find; `grep -rn "MPI_Send(" capture/` finds the wrapper of a call,
# except of those that are only counted; and capture/CALLS.md is what the table says.
set -u
build=$1
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# One name a line. Declarations end with a semicolon and hold no braces; attributes may go before.
declared() {
    echo '#include <mpi.h>' >"$TMPDIR/declares.c"
    "$1" -E -P "$TMPDIR/declares.c" | tr '\n' ' ' | tr ';' '\n' | grep -v typedef |
        sed 's/__attribute__ *(([^)]*([^)]*)[^)]*))//g; s/__attribute__ *(([^)]*))//g' |
        sed -n 's/^[^(]*[ *]\(MPIX\{0,1\}_[A-Za-z0-9_]*\) *(.*/\1/p'
}
calls() { sed -n 's/^CALL([0-9]*, \([A-Za-z0-9_]*\),.*/MPI_\1/p' traces/calls.def; }
passed() { sed -n 's/^NOT_WRAPPED(\([A-Za-z0-9_]*\),.*/\1/p' traces/calls.def; }

calls | sort >"$TMPDIR/calls"
passed | sort >"$TMPDIR/passed"
sort "$TMPDIR/calls" "$TMPDIR/passed" >"$TMPDIR/table"
twice=$(uniq -d "$TMPDIR/table" | tr '\n' ' ')
[ -z "$twice" ] || fail "more than one row: $twice"
sort -u tests/capture/mpi_5_0_functions >"$TMPDIR/standard"
missing=$(comm -23 "$TMPDIR/standard" "$TMPDIR/table" | tr '\n' ' ')
[ -z "$missing" ] || fail "MPI 5.0 has these, the table has no row of them: $missing"
# MPI 5.0 and MPICH's mpi.h have all of the table, but conversions that it has as macros; others' a part of it.
for mpi in $MPIS; do
    declared "mpicc.$mpi" | sort -u >"$TMPDIR/declared"
    [ "$(wc -l <"$TMPDIR/declared")" -gt 350 ] || fail "$mpi: mpi.h seems to declare $(wc -l <"$TMPDIR/declared") functions only"
    missing=$(comm -23 "$TMPDIR/declared" "$TMPDIR/table" | tr '\n' ' ')
    [ -z "$missing" ] || fail "$mpi: mpi.h declares these, the table has no row of them: $missing"
    [ "$mpi" = mpich ] || continue
    unknown=$(sort -u "$TMPDIR/declared" "$TMPDIR/standard" | comm -13 - "$TMPDIR/table" | grep -v '_\(c2f\|f2c\)$' | tr '\n' ' ')
    [ -z "$unknown" ] || fail "$mpi: the table has rows of these, neither mpi.h nor MPI 5.0 has them: $unknown"
done
numbers=$(sed -n 's/^[CR][A-Z]*(\([0-9]*\), .*/\1/p' traces/calls.def | sort | uniq -d | tr '\n' ' ')
[ -z "$numbers" ] || fail "numbers of more than one row: $numbers"

for mpi in $MPIS abi; do
    library=$build/libvefcapture-$mpi.so
    nm --defined-only "$library" | awk '$3 ~ /^MPI_/ { print $3 }' | sort >"$TMPDIR/wrapped"
    cmp -s "$TMPDIR/calls" "$TMPDIR/wrapped" ||
        fail "$mpi: calls (<) and wrappers (>) differ: $(diff "$TMPDIR/calls" "$TMPDIR/wrapped" | grep '^[<>]' | head -n 20 | tr '\n' ' ')"
done
sed -n '/^CALL([0-9]*, [A-Za-z0-9_]*, COUNTED/d; s/^CALL([0-9]*, \([A-Za-z0-9_]*\),.*/MPI_\1/p' traces/calls.def | sort >"$TMPDIR/recorded"
grep -rhv '^ \{0,1\}/\{0,1\}\*' --include='*.c' --include='*.def' capture/ | grep -o '\<MPI_[A-Za-z0-9_]*(' | tr -d '(' | sort -u >"$TMPDIR/found"
hidden=$(comm -23 "$TMPDIR/recorded" "$TMPDIR/found" | tr '\n' ' ')
[ -z "$hidden" ] || fail "a search for \"NAME(\" in capture/ does not find the wrappers of $hidden"
# What each library shows is what the others look up, and no more: a program could find it in place of its own.
exports() { # exports LIBRARY NAMES...
    found=$(nm -D --defined-only "$build/$1" | awk '{ print $3 }' | sort | tr '\n' ' ')
    shift
    [ "$found" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || fail "$library shows $found"
}
for mpi in $MPIS abi; do
    library=libvefcapture-$mpi.so
    exports $library vef_capture_hooks vef_capture_region
done
library=libvefcapture.so
exports $library __asan_default_options vef_caller vef_capture_region vef_preload_find vef_preload_mpi_runs vef_preload_report vef_preload_started

awk -f docs/wrap.awk -f capture/calls_page.awk traces/calls.def | cmp -s - capture/CALLS.md ||
    fail "capture/CALLS.md is not what traces/calls.def says: run make docs"
for name in $(cat "$TMPDIR/table"); do
    grep -q "\`$name\`" capture/CALLS.md || fail "capture/CALLS.md does not name $name"
done
exit $failures
