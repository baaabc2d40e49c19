#!/bin/sh
# Measures programs on a network that build.sh has built.
#
#   sh run.sh VEF PREFIX NETWORK RUN REPETITION MAPPING...
#
# NETWORK is the name of RUN/networks/NETWORK.yaml, RUN the folder of results:
#
#   networks/NETWORK.yaml           the network as built
#   mappings/MAPPING.map            one endpoint per line, of task 0, 1, …: as `vef replay --map 'file(…)'` reads it
#   bin/LIBRARY/…                   the examples and the preloaded object, built here
#   measured.csv                    a row for each run, appended:
#     network,program,library,mapping   names; LIBRARY is mpich or openmpi
#     repetition                        from 1
#     captured                          0: plain; 1: under vef capture
#     seconds                           from when the last task has left MPI_Init until the last one enters MPI_Finalize
#     drops                             packets lost in queues of the network during the run
#     retransmits                       segments that TCP sent again
#   traces/PROGRAM-LIBRARY.vef      captured on the star, mapping linear
#   traces/NETWORK/PROGRAM-LIBRARY.vef   captured on other networks, mapping linear
#
# Variables: LIBRARIES (openmpi mpich: of other networks than the star captures are of the first),
# PROGRAMS (the list of programs, default the file beside this script), ONLY (names of programs), CAPTURES (0: no captures;
# else how many), CLUSTER_FOREIGN (folder of programs that are not ours).
set -u
export LC_ALL=C
vef=$1 prefix=$2 network=$3 run=$4 repetition=$5
shift 5
here=$(dirname "$(realpath "$0")")
run=$(realpath "$run")
libraries=${LIBRARIES:-openmpi mpich}
tasks=16
limit_s=${CLUSTER_LIMIT:-60}
export CLUSTER_PREFIX="$prefix" CLUSTER_TIMES="$run/times" CLUSTER_TASKS="$tasks" CLUSTER_SETTLE=1 CLUSTER_NICE="${CLUSTER_NICE:--15}"

counters() {
    for ns in $(cut -d' ' -f1 "$run/built/$network/devices" | sort -u); do
        tc -netns "$prefix-$ns" -s qdisc show
    done | awk '/dropped/ { sub(/,/, "", $7); n += $7 } END { printf "%d ", n }'
    for endpoint in $(seq 0 $((tasks - 1))); do
        ip netns exec "$prefix-e$endpoint" cat /proc/net/snmp
    done | awk '$1 == "Tcp:" && $2 ~ /^[0-9]/ { n += $13 } END { printf "%d\n", n }'
}

# Ends what runs in the network.
end() {
    for ns in m $(seq -f e%g 0 $((tasks - 1))); do ip netns pids "$1-$ns"; done | xargs -r kill 2>/dev/null
}

# launch LIBRARY MAPPING WRAPPER... -- COMMAND...: the wrapper, such as vef capture, gets mpiexec's command.
launch() {
    library=$1
    hosts=$(awk '/^[0-9]/ { printf "%s10.79.0.%d", comma, $1 + 1; comma = "," }' "$run/mappings/$2.map")
    shift 2
    wrapper=
    while [ "$1" != -- ]; do wrapper="$wrapper $1"; shift; done
    shift
    rm -f "$CLUSTER_TIMES" "$CLUSTER_TIMES.begun"
    preload=$run/bin/preload.so
    if [ "$library" = openmpi ]; then
        CLUSTER_SETTLE='' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 "$limit_s" \
            ip netns exec "$prefix-m" $wrapper mpiexec.openmpi -np "$tasks" -host "$hosts" \
            --mca plm_rsh_agent "sh $here/shell.sh" --mca oob_tcp_if_include 10.79.0.0/24 \
            --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 \
            --mca btl_base_warn_component_unused 0 --mca mpi_preconnect_mpi 1 -x LD_PRELOAD="$preload" "$@"
    else
        UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 MPIR_CVAR_NOLOCAL=1 timeout -k 5 "$limit_s" \
            ip netns exec "$prefix-m" $wrapper mpiexec.mpich -n "$tasks" -hosts "$hosts" -localhost 10.79.0.254 \
            -launcher ssh -launcher-exec "$here/shell.sh" -env LD_PRELOAD "$preload" "$@"
    fi
}

# measure PROGRAM LIBRARY MAPPING REPETITION CAPTURED COMMAND...
measure() {
    program=$1 library=$2 mapping=$3 repetition=$4 captured=$5
    shift 5
    wrapper=
    if [ "$captured" = 1 ]; then
        trace=$run/traces/$network/$program-$library.vef
        [ "$network" != star ] || trace=$run/traces/$program-$library.vef
        mkdir -p "$(dirname "$trace")"
        wrapper="$vef capture --clock cpu --skip Sendrecv_replace,Improbe --force -o $trace"
    fi
    before=$(counters)
    launch "$library" "$mapping" $wrapper -- "$@" >"$run/out" 2>"$run/err" </dev/null &
    launched=$!
    # All tasks may have written their times, and hang in MPI_Finalize (preload.c).
    over=0
    while kill -0 "$launched" 2>/dev/null; do
        sleep 0.1
        [ "$(wc -l 2>/dev/null <"$CLUSTER_TIMES")" != "$tasks" ] || over=$((over + 1))
        [ "$over" -lt 50 ] || end "$prefix"
    done
    wait "$launched"
    status=$?
    seconds=$(awk -v tasks="$tasks" '$1 > begin { begin = $1 } $2 > end { end = $2 }
        END { if (NR == tasks) printf "%.6f", (end - begin) / 1e9 }' "$CLUSTER_TIMES" 2>/dev/null)
    if [ -z "$seconds" ] || { [ "$captured" = 1 ] && [ "$status" != 0 ]; }; then
        echo "run.sh: not counted, and run again: $network $program $library $mapping: status $status: $(grep -v '^-*$' "$run/err" | tail -n 2)" >&2
        return 1
    fi
    echo "$network,$program,$library,$mapping,$repetition,$captured,$seconds,$(echo "$before $(counters)" |
        awk '{ print $3 - $1 "," $4 - $2 }')" >>"$run/measured.csv"
}

# each FUNCTION ARGUMENT...: for all programs and libraries, with the program's name and the library, then the command after --.
each() {
    sed -e 's/#.*//' -e '/^ *$/d' "${PROGRAMS:-$here/programs}" | while read -r program command; do
        case " ${ONLY:-$program} " in *" $program "*) ;; *) continue ;; esac
        for library in $libraries; do
            words=$(echo "$command" | sed -e "s|EXAMPLES|$run/bin/$library|" -e "s|FOREIGN|${CLUSTER_FOREIGN:-/nonexistent}|" \
                -e "s|LIBRARY|$library|")
            [ -x "${words%% *}" ] || continue
            "$@" "$program" "$library" $words </dev/null
        done
    done
}

plain() { # REPETITION MAPPING PROGRAM LIBRARY COMMAND...
    repetition=$1 mapping=$2 program=$3 library=$4
    shift 4
    measure "$program" "$library" "$mapping" "$repetition" 0 "$@" ||
        measure "$program" "$library" "$mapping" "$repetition" 0 "$@"
}

capture() { # REPETITION PROGRAM LIBRARY COMMAND...
    repetition=$1 program=$2 library=$3
    shift 3
    for _ in 1 2 3 4 5; do
        ! measure "$program" "$library" linear "$repetition" 1 "$@" || break
    done
}

[ -e "$run/measured.csv" ] ||
    echo network,program,library,mapping,repetition,captured,seconds,drops,retransmits >"$run/measured.csv"
for mapping; do
    each plain "$repetition" "$mapping"
done
if [ "$repetition" -le "${CAPTURES:-1}" ]; then
    # Predictions of all networks need captures on one; those on others are for comparison.
    [ "$network" = star ] || libraries=${libraries%% *}
    each capture "$repetition"
fi
