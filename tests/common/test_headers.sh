#!/bin/sh
# Every header of the tree compiles on its own: it includes what it uses.
set -u
: "${CC:=cc}" "${MPICC:=mpicc.mpich}"
mpi=$("$MPICC" -show | tr ' ' '\n' | grep '^-I')
headers=$(find common traces netmodel mappings replay cli capture examples tests -name '*.h' 2>/dev/null)
[ -n "$headers" ] || exit 1
# shellcheck disable=SC2086 # lists of words
$CC -std=c17 -D_GNU_SOURCE -I. $mpi -Wall -Wextra -Werror -fsyntax-only -x c $headers
