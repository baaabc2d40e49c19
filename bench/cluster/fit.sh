#!/bin/sh
# Fits the nodes of the cluster to measurements that are not those of predicted runs.
#
#   sh fit.sh VEF RUN [PREFIX]
#
# - `vef fit pingpong --net` between two nodes over the management network, which has no limits, without segmentation offload. So
#   half a round trip is the work for a message and its frames, not the transfer.
# - All nodes are one machine. Between two of them a message costs wake-ups of tasks that wait in the kernel, which is time, but
#   not work that keeps a core from other tasks; among all, routers and queues (tbf, htb) work too. In a ring of all nodes (ring.c) on the
#   star the cores do nothing else than messages of 8 B. The ratio of their time for one of these to what the first fit has for
#   it scales all costs of messages.
#
# Writes RUN/host-LIBRARY.yaml for each of $LIBRARIES (mpich openmpi): the sections mpi and host, and the factor; and the
# measurements, RUN/fit-LIBRARY.csv.
set -eu
export LC_ALL=C
vef=$(realpath "$1") run=$(realpath "$2") prefix=${3:-vef$$}
here=$(dirname "$(realpath "$0")")
nodes=16
export CLUSTER_PREFIX="$prefix" CLUSTER_NICE="${CLUSTER_NICE:--15}" UCX_TLS=tcp,self MPIR_CVAR_NOLOCAL=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# on LIBRARY TASKS DEVICE COMMAND...: the command, then the launcher of so many tasks that use that interface, in the management
# network; then PROGRAM, if it is set.
on() {
    library=$1 tasks=$2 device=$3 hosts=$(seq -s , -f '10.79.0.%g' 1 "$2")
    shift 3
    if [ "$library" = mpich ]; then
        set -- "$@" mpiexec.mpich -n "$tasks" -hosts "$hosts" -localhost 10.79.0.254 -launcher ssh -launcher-exec "$here/shell.sh" \
            -env LD_PRELOAD "$run/bin/preload.so" -env UCX_NET_DEVICES "$device"
    else
        set -- "$@" mpiexec.openmpi -np "$tasks" -host "$hosts" --bind-to none --mca plm_rsh_agent "sh $here/shell.sh" \
            --mca oob_tcp_if_include 10.79.0.0/24 --mca pml ob1 --mca btl tcp,self --mca osc ^ucx --mca btl_tcp_if_include "$device" \
            --mca mpi_yield_when_idle 1 --mca btl_base_warn_component_unused 0 -x LD_PRELOAD="$run/bin/preload.so"
    fi
    ip netns exec "$prefix-m" nice -n -10 "$@" ${PROGRAM:-}
}

cat >"$run/pair.yaml" <<'END'
model: flow
topology: {family: star, endpoints: 2}
link: {bandwidth: 100 Gbit/s}
packet: {mtu: 1448 B, header: 66 B}
END
sh "$here/build.sh" "$vef" "$prefix" "$run/networks/star.yaml" "$run/built/fit"
trap 'sh "$here/build.sh" --remove "$prefix"' EXIT
for endpoint in 0 1; do
    ip netns exec "$prefix-e$endpoint" ethtool -K mgmt tso off gso off gro off >/dev/null
    ip netns exec "$prefix-m" ethtool -K "e$endpoint" tso off gso off gro off >/dev/null
done
for library in ${LIBRARIES:-mpich openmpi}; do
    # Tasks wait in the kernel while nothing arrives (preload.c), which the fit takes for a busy machine.
    on "$library" 2 mgmt "$vef" fit pingpong --force -o "$run/fit.yaml" --save "$run/fit-$library.csv" --net "$run/pair.yaml" \
        --accept-noise --quiet --sizes 80 --repetitions 20 --largest '256 KiB' --time '60 s'
    "mpicc.$library" -O2 "$here/ring.c" -o "$run/bin/$library/ring" -lm
    # MPICH may hang in MPI_Finalize (preload.c).
    PROGRAM=$run/bin/$library/ring on "$library" "$nodes" eth0 timeout -k 5 30 >"$run/ring" 2>/dev/null </dev/null || true
    step_ns=$(grep -m 1 -x '[0-9]*' "$run/ring") || { echo "fit.sh: $library: no result of ring.c" >&2; exit 1; }
    awk -v preset="$library" -v work_ns="$((step_ns * $(nproc) / nodes))" '
        function cost(line) { return match(line, /fixed: [0-9.]+ ns, per_byte: [0-9.]+ ns/) }
        /^model:/ { exit }
        { line[++lines] = $0 }
        /^  [a-z_]+:/ { key = $1; first = 1 }
        cost($0) && first && (key == "send_overhead:" || key == "receive_overhead:") {
            split(substr($0, RSTART, RLENGTH), word, " ")
            pair_ns += word[2] + 8 * word[5]
        }
        cost($0) { first = 0 }
        END {
            factor = work_ns / pair_ns
            printf "# Work for a message of 8 B: %.1f us between two nodes, %d us among all: costs of messages times %.2f\n",
                pair_ns / 1000, work_ns / 1000, factor
            for (i = 1; i <= lines; i++) {
                if (line[i] ~ /^  [a-z_]+:/) scaled = line[i] ~ /overhead/
                if (scaled && cost(line[i])) {
                    split(substr(line[i], RSTART, RLENGTH), word, " ")
                    printf "%sfixed: %.1f ns, per_byte: %.5f ns%s\n", substr(line[i], 1, RSTART - 1), word[2] * factor,
                        word[5] * factor, substr(line[i], RSTART + RLENGTH)
                } else
                    print line[i]
                if (line[i] == "mpi:") print "  preset: " preset
            }
        }' "$run/fit.yaml" >"$run/host-$library.yaml"
done
rm "$run/fit.yaml" "$run/ring"
