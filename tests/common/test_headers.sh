#!/bin/sh
# Every header of the tree compiles on its own: it includes what it uses. Those of capture/ do with each MPI
# library, whose list of undeclared calls the build ($1) has written. A header that some file of the program includes
# before any other has been compiled so with it.
set -u
: "${CC:=cc}" "${MPICC:=mpicc.mpich}" "${MPIS:=mpich}"
failures=0

# compiles "FLAGS" HEADERS
compiles() {
    flags=$1
    shift
    # shellcheck disable=SC2086 # a list of words
    $CC -std=c17 -D_GNU_SOURCE -I. -Ilib $flags -Wall -Wextra -Werror -fsyntax-only -x c "$@" || failures=1
}
# shellcheck disable=SC2046 # no path of ours holds a blank
awk 'FNR == 1 { first = 1 } first && /^#include/ { gsub(/["<>]/, "", $2); print $2; first = 0 }' \
    $(find common traces workloads netmodel mappings replay interchange study lib cli capture -name '*.c') >"$TMPDIR/compiled"
headers() { find "$@" | grep -vxF -f "$TMPDIR/compiled"; }
mpi_flags() { "$1" -show | tr ' ' '\n' | grep '^-I'; }

# tests/mpi/abi has the rest of a header.
# shellcheck disable=SC2046 # no path of ours holds a blank
compiles "$(mpi_flags "$MPICC")" $(headers common traces workloads netmodel mappings replay study lib cli examples tests -name '*.h' -not -path 'tests/mpi/abi/*')
for mpi in $MPIS; do
    mpicc=$MPICC
    [ "$mpi" = "${MPIS%% *}" ] || mpicc=mpicc.$mpi
    # shellcheck disable=SC2046
    compiles "-I$1/$mpi $(mpi_flags "$mpicc")" \
        $(headers capture -name '*.h' -not -name '*_handles.h') "capture/libraries/${mpi}_handles.h"
done
exit $failures
