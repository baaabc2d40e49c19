#!/bin/sh
# The calls of traces/calls.def that the mpi.h of an MPI library does not declare, as declarations
# without parameters: `undeclared_calls.sh MPICC`, with the library's compiler wrapper. Open MPI 4
# does not declare what MPI 4.0 added; what MPI 3.0 removed may be a macro that refuses its use.
set -eu
declared=$(echo '#include <mpi.h>' | "$1" -E -P -x c - | grep -o '\<MPI_[A-Za-z0-9_]* *(' | tr -d '( ')
echo '/* Written by capture/libraries/undeclared_calls.sh. */'
sed -n 's/^CALL([0-9]*, \([A-Za-z0-9_]*\),.*/MPI_\1/p' traces/calls.def |
    { grep -vxF "$declared" || true; } | sed 's/.*/#undef &\nint &(), P&();/'
