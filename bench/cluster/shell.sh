#!/bin/sh
# The remote shell of mpiexec: sh shell.sh [-x …] HOST COMMAND…, as ssh would be called. HOST is the address of an endpoint on the
# management network, 10.79.0.(E+1); the command runs in the namespace $CLUSTER_PREFIX-eE under the host name eE.
while [ "${1#-}" != "$1" ]; do shift; done
host=e$((${1##*.} - 1))
shift
exec ip netns exec "$CLUSTER_PREFIX-$host" unshare --uts sh -c 'hostname "$1"; shift; exec sh -c "$*"' sh "$host" "$@"
