#!/bin/sh
# docs/semantics.md says of every call that traces can hold how it is replayed: each name stands in it.
set -u
rows=$(sed -n 's/^CALL([0-9]*, \([A-Za-z_]*\), \([A-Z_]*\).*/\2 \1/p; s/^REGION([0-9]*, \([A-Za-z_]*\)).*/REGION \1/p' \
    traces/calls.def | grep -v '^COUNTED \|^AS ' | cut -d' ' -f2)
[ "$(echo "$rows" | wc -l)" -gt 150 ] || { echo "FAIL: the table of calls is not read"; exit 1; }
tr -c 'A-Za-z_' '\n' <docs/semantics.md | sort -u >"$TMPDIR/words"
status=0
for name in $rows; do
    grep -qx "$name" "$TMPDIR/words" || { echo "FAIL: MPI_$name is not in docs/semantics.md"; status=1; }
done
exit $status
