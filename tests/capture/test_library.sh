#!/bin/sh
# What the capture libraries bring into each program that they are loaded into. The preloaded one, which
# is in shells and launchers too: the C library only. Those of MPI libraries: zlib besides, no MPI, whose
# variables they take from the program's library, nothing of configurations and analyses (YAML, Scotch), and
# no function that none of their libraries has.
set -u
build=$1
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

for library in libvefcapture $(printf 'libvefcapture-%s ' $MPIS); do
    readelf -d "$build/$library.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$TMPDIR/needed"
    grep -q '^libc\.so' "$TMPDIR/needed" || fail "readelf does not tell that $library needs the C library; it told: $(tr '\n' ' ' <"$TMPDIR/needed")"
    # With a sanitizer its libraries too, and what those share.
    while read -r needed; do
        case $library:$needed in
        *:libc.so* | *:libpthread.so* | *:libdl.so* | *:ld-linux* | *:libasan.so* | *:libubsan.so* | *:libtsan.so* | *:libm.so* | *:libgcc_s.so*) ;;
        libvefcapture-*:libz.so*) ;;
        *) fail "$library needs $needed" ;;
        esac
    done <"$TMPDIR/needed"
    nm -D --undefined-only "$build/$library.so" | awk -v library="$library" '
        $2 ~ /^(yaml_|SCOTCH_|vef_|P?MPI_)/ && !(library != "libvefcapture" && $2 ~ /^vef_(caller|preload_(find|started|mpi_runs|report))$/) { print "FAIL: nobody has " $2; bad = 1 }
        END { exit bad }' || failures=$((failures + 1))
done
exit $failures
