#!/bin/sh
# A cluster in a box: builds networks of Linux namespaces from vef network descriptions, checks them, runs MPI programs on them with
# both MPI libraries and several mappings, captures them, and has vef predict every run (`make cluster`, as root).
#
#   sh cluster.sh BUILD RUN        BUILD is the build folder, RUN the folder of results (run.sh describes it)
#
# Networks are RUN/networks/*.yaml, at first those of the folder networks/ beside this script. Variables, besides those of build.sh
# and run.sh: NETWORKS (their names), MAPPINGS (linear random; star: linear alone), FIRST (1) and REPETITIONS (3): the first and the
# last, CHECK=0 (no checks).
# Networks have at least 16 endpoints. Needs iproute2, ethtool, util-linux, MPICH and Open MPI; kernel with veth, tbf, htb, u32.
#
# Steps, each a script beside this one: build.sh, check.sh -> RUN/checks.txt, run.sh -> RUN/measured.csv and traces, for each network;
# then fit.sh, predict.sh and table.awk -> RUN/table.md. All namespaces and processes end with this script.
#
# Tasks go before other load of the machine: niceness -10, and -15 for their sessions, where the scheduler divides cores among
# sessions first (sched_autogroup; niceness alone then has no effect outside a session). So do, while this runs, kernel threads that
# move packets (ksoftirqd), by -20.
set -u
export LC_ALL=C
fail() { echo "cluster.sh: $1" >&2; exit "${2:-1}"; }
[ $# = 2 ] || fail 'usage: cluster.sh BUILD RUN' 2
[ "$(id -u)" = 0 ] || fail 'network namespaces need root: run as root, or in a virtual machine of your own' 2
for needed in ip tc ethtool unshare mpiexec.mpich mpiexec.openmpi mpicc.mpich mpicc.openmpi; do
    command -v "$needed" >/dev/null || fail "$needed is missing: install iproute2, ethtool, util-linux, mpich and openmpi-bin" 2
done
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
vef=$(realpath "$1/vef")
mkdir -p "$2"
run=$(realpath "$2")
prefix=vef$$
autogroup=$(sed 's/.* //' "/proc/$$/autogroup" 2>/dev/null)
softirq=$(pgrep -x 'ksoftirqd/[0-9]*')
child=

finish() {
    trap '' INT TERM HUP
    [ -z "$child" ] || kill "$child" 2>/dev/null
    sh "$here/build.sh" --remove "$prefix"
    renice -n 0 -p $softirq >/dev/null 2>&1
    [ -z "$autogroup" ] || echo "$autogroup" >"/proc/$$/autogroup"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A step in the background, so that a signal ends it at once.
step() {
    "$@" &
    child=$!
    wait "$child"
    status=$?
    child=
    return "$status"
}

ip netns add "$prefix-m" 2>/dev/null && ip -netns "$prefix-m" link add probe type dummy 2>/dev/null
ip netns list | grep -q "^$prefix-m" || fail 'no network namespaces here (in a container: needs CAP_SYS_ADMIN)' 2
ip netns delete "$prefix-m"
renice -n -20 -p $softirq >/dev/null
[ -z "$autogroup" ] || echo -15 >"/proc/$$/autogroup"

mkdir -p "$run/networks" "$run/mappings" "$run/bin/mpich" "$run/bin/openmpi"
ls "$run"/networks/*.yaml >/dev/null 2>&1 || cp "$here"/networks/*.yaml "$run/networks"
cc -O2 -shared -fPIC "$here/preload.c" -o "$run/bin/preload.so" -ldl || exit 1
cc -O2 "$here/flow.c" -o "$run/bin/flow" || exit 1
for library in mpich openmpi; do
    for source in "$root"/examples/*.c; do
        "mpicc.$library" -O2 -I"$root" "$source" -o "$run/bin/$library/$(basename "$source" .c)" -lm || exit 1
    done
    "mpifort.$library" -O2 "$root/examples/wavefront.f90" -J "$run/bin" -o "$run/bin/$library/wavefront" || exit 1
done
seq 0 15 >"$run/mappings/linear.map"
"$vef" map --tasks 16 --net '{topology: {family: star, endpoints: 16}}' --map 'random(1)' -o "$run/mappings/random.map" --force >/dev/null

networks=${NETWORKS:-$(ls "$run/networks" | sed -n 's/\.yaml$//p')}
# All networks in each repetition, so that a change of the machine meets all of them.
for repetition in $(seq "${FIRST:-1}" "${REPETITIONS:-3}"); do
    for network in $networks; do
        step sh "$here/build.sh" "$vef" "$prefix" "$run/networks/$network.yaml" "$run/built/$network" || exit 1
        if [ "${CHECK:-1}" != 0 ] && [ "$repetition" = 1 ]; then
            echo "== $network"
            step sh "$here/check.sh" "$prefix" "$run/built/$network" "$run/bin/flow" || echo "cluster.sh: $network: a check failed" >&2
            echo
        fi >>"$run/checks.txt"
        mappings=${MAPPINGS:-linear random}
        [ "$network" != star ] || mappings=linear
        step nice -n -10 sh "$here/run.sh" "$vef" "$prefix" "$network" "$run" "$repetition" $mappings
        sh "$here/build.sh" --remove "$prefix"
    done
done
if [ -e "$here/predict.sh" ]; then
    step sh "$here/fit.sh" "$vef" "$run" "$prefix" || exit 1
    step sh "$here/predict.sh" "$vef" "$run" || exit 1
    for part in summary pairs worst all; do
        awk -v part="$part" -f "$here/table.awk" "$run/measured.csv" "$run/predicted.csv"
    done | tee "$run/table.md"
fi
