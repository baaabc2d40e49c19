#!/bin/sh
# Fits the nodes of the cluster to measurements between two of them: `vef fit pingpong --net`. No run that is predicted takes part.
#
#   sh fit.sh VEF RUN [PREFIX]
#
# The messages take the management network, which has no limits, without segmentation offload. So half a round trip is the work for
# the message and its frames. With the links of the cluster the work for one frame is hidden by the transfer of another, and tbf
# forgives a link that was idle more than a node takes. Writes RUN/host-LIBRARY.yaml for each of $LIBRARIES (mpich openmpi), the
# sections mpi and host, and the measurements, RUN/fit-LIBRARY.csv.
set -eu
export LC_ALL=C
vef=$(realpath "$1") run=$(realpath "$2") prefix=${3:-vef$$}
here=$(dirname "$(realpath "$0")")
hosts=10.79.0.1,10.79.0.2
export CLUSTER_PREFIX="$prefix" CLUSTER_NICE="${CLUSTER_NICE:--15}" UCX_TLS=tcp,self UCX_NET_DEVICES=mgmt MPIR_CVAR_NOLOCAL=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# fit LIBRARY LAUNCHER…. Tasks wait in the kernel while nothing arrives (preload.c), which the fit takes for a busy machine.
fit() {
    library=$1
    shift
    "$vef" fit pingpong --force -o "$run/fit.yaml" --save "$run/fit-$library.csv" --net "$run/pair.yaml" --accept-noise --quiet \
        --sizes 80 --repetitions 20 --largest '256 KiB' --time '60 s' ip netns exec "$prefix-m" "$@"
    awk -v preset="$library" '/^model:/ { exit } { print } /^mpi:/ { print "  preset: " preset }' "$run/fit.yaml" >"$run/host-$library.yaml"
    rm "$run/fit.yaml"
}

cat >"$run/pair.yaml" <<'END'
model: flow
topology: {family: star, endpoints: 2}
link: {bandwidth: 100 Gbit/s}
packet: {mtu: 1448 B, header: 66 B}
END
sh "$here/build.sh" "$vef" "$prefix" "$run/pair.yaml" "$run/built/pair"
for endpoint in 0 1; do
    ip netns exec "$prefix-e$endpoint" ethtool -K mgmt tso off gso off gro off >/dev/null
    ip netns exec "$prefix-m" ethtool -K "e$endpoint" tso off gso off gro off >/dev/null
done
trap 'sh "$here/build.sh" --remove "$prefix"' EXIT
for library in ${LIBRARIES:-mpich openmpi}; do
    if [ "$library" = mpich ]; then
        fit mpich mpiexec.mpich -n 2 -hosts "$hosts" -localhost 10.79.0.254 -launcher ssh -launcher-exec "$here/shell.sh" \
            -env LD_PRELOAD "$run/bin/preload.so"
    else
        fit openmpi mpiexec.openmpi -np 2 -host "$hosts" --bind-to none --mca plm_rsh_agent "sh $here/shell.sh" \
            --mca oob_tcp_if_include 10.79.0.0/24 --mca pml ob1 --mca btl tcp,self --mca osc ^ucx --mca btl_tcp_if_include mgmt \
            --mca mpi_yield_when_idle 1 --mca btl_base_warn_component_unused 0 -x LD_PRELOAD="$run/bin/preload.so"
    fi
done
