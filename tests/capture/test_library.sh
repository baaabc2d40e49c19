#!/bin/sh
# What build/libvefcapture.so brings into each program that it is loaded into: zlib, the C library and
# what that is made of. Above all no MPI, which shells and launchers have no use for, nothing of
# configurations and analyses (YAML, Scotch), and no function that none of its libraries has.
set -u
library=$1/libvefcapture.so
failures=0

readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$TMPDIR/needed"
grep -q '^libz\.so' "$TMPDIR/needed" || {
    echo "FAIL: readelf does not tell that $library needs zlib; it told: $(tr '\n' ' ' <"$TMPDIR/needed")"
    failures=$((failures + 1))
}
# With a sanitizer its libraries too, and what those share.
while read -r needed; do
    case $needed in
    libz.so* | libc.so* | libpthread.so* | ld-linux* | libasan.so* | libubsan.so* | libtsan.so* | libm.so* | libgcc_s.so*) ;;
    *)
        echo "FAIL: $library needs $needed"
        failures=$((failures + 1))
        ;;
    esac
done <"$TMPDIR/needed"
nm -D --undefined-only "$library" | awk '$2 ~ /^(yaml_|SCOTCH_|vef_)/ { print "FAIL: nobody has " $2; bad = 1 } END { exit bad }' ||
    failures=$((failures + 1))
exit $failures
