#!/bin/sh
# A quick subset of docs/results/validation.md: short runs are within 3 % of what the papers measured, or between that and the
# bound in theory (`quick` lines of tests/validation/*.table); and the page tells of every row and gain, measured or
# not.
set -u
export LC_ALL=C # numbers with a decimal point
failures=0
build=$1
work=$TMPDIR/build
mkdir -p "$work" && ln -s "$(cd "$build" && pwd)/vef" "$work/vef" || exit 1
sh tests/validation/validate.sh "$work" --quick || failures=1

awk -F' *[|] *' '/^table / { quiet = 0; print substr($0, 7) }
    /^quiet/ { quiet = 1 }
    /^(row|latency) / && !quiet { print $2 }
    /^gain / { print substr($1, 6) }' tests/validation/*.table >"$TMPDIR/names"
[ "$(wc -l <"$TMPDIR/names")" -gt 50 ] || { echo "FAIL: rows are missing"; failures=1; }
while read -r name; do
    grep -qF -- "$name" docs/results/validation.md ||
        { echo "FAIL: docs/results/validation.md does not tell of '$name'; make validation writes it anew"; failures=1; }
done <"$TMPDIR/names"
cut -d'|' -f1 tests/validation/*.table | grep '^\(row\|latency\) ' | sort | uniq -d | grep . &&
    { echo "FAIL: two rows of one name"; failures=1; }

# Figures 4 % below the published one, or beyond the bound, are found.
for wrong in 0.2356 0.2600; do
    printf 'rt-32x16\t0.25\t%s\t0.0001\t50\t1\ttrue\nrt-32x16\tbound\t0.25\n' $wrong >"$TMPDIR/results"
    awk -v results="$TMPDIR/results" -v only=rt-32x16 -f docs/wrap.awk -f tests/validation/page.awk tests/validation/twisted.table &&
        { echo "FAIL: $wrong passes for 0.24548 below 0.25"; failures=1; }
done
[ $failures -eq 0 ]
