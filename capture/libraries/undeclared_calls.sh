#!/bin/sh
# The calls of traces/calls.def, and the functions that capture/real.h adds, that an mpi.h does not declare,
# as declarations without parameters: `undeclared_calls.sh CC FLAGS...`, with the flags by which the compiler
# finds the header. Open MPI 4 does not declare what MPI 4.0 added, MPICH 4.0 not what 4.1 and 5.0 did, and our
# header of the standard ABI almost nothing; what MPI 3.0 removed may be a macro that refuses its use.
set -eu
declared=$(echo '#include <mpi.h>' | "$@" -E -P -x c - | grep -o '\<MPI_[A-Za-z0-9_]* *(' | tr -d '( ')
echo '/* Written by capture/libraries/undeclared_calls.sh. */'
{
    sed -n 's/^CALL([0-9]*, \([A-Za-z0-9_]*\),.*/MPI_\1/p' traces/calls.def
    grep -o 'row([A-Z][a-z_]*)' capture/real.h | sed 's/row(\(.*\))/MPI_\1/'
} | { grep -vxF "$declared" || true; } | sed 's/.*/#undef &\nint &(), P&();/'
