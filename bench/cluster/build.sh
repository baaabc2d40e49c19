#!/bin/sh
# Builds a real network from a vef network description: a Linux network namespace for each router (it forwards) and each
# endpoint, a pair of virtual Ethernet interfaces for each link, `tbf` at the rate of the link in both directions, and static
# routes that are those of the description's routing (`vef topology --routes`). Everything has the name PREFIX-….
#
#   sh build.sh VEF PREFIX NETWORK.yaml FOLDER   builds it; FOLDER gets routes.csv, rates (bit/s of endpoints) and devices
#   sh build.sh --plan VEF PREFIX NETWORK.yaml FOLDER   only writes FOLDER: batches of ip and tc, by namespace, in batch/
#   sh build.sh --remove PREFIX                  kills what runs in it, and removes it
#
# Endpoint E is the namespace PREFIX-eE, address 10.77.0.(E+1) on eth0; router R is PREFIX-rR, with an interface pP for its port P
# and one eE for each of its endpoints. Besides, PREFIX-m is a switch without limits for launchers, as the management network
# of a cluster: endpoint E has 10.79.0.(E+1) there on mgmt, PREFIX-m itself 10.79.0.254. At most 250 endpoints.
#
# - No packet is lost in the network: each queue holds CLUSTER_QUEUE bytes, more than all windows of TCP together.
# - An endpoint serves the others in turn, as network interfaces serve connections: in one queue a connection that began first would
#   keep the rest out. tbf alone has the rate; inside it is htb with a class for each other endpoint, all too fast to wait, of which only
#   the turns remain. (With the rate in htb, a class that was lent more than its share later waits until its own share, a 16th of the
#   rate, has repaid it: a message of 4 B after an all-to-all took 100 ms.) Routers have one queue for each link, first in, first out.
# - tbf sees the frames that a cable would carry: segmentation and receive offloads are off. Its bucket holds one, and what
#   passes in 200 us, by which the kernel's timers may be late. A full bucket passes at once, so a link that was idle is early by the time
#   of a frame.
# - Links need no ARP: both ends have the same address, and ARP is off. IPv6 is off, too.
# - TCP: all windows are CLUSTER_WINDOW bytes from the first segment on, many times rate x round trip of any path here, so that flows
#   that share a link have equal shares at once. Without losses nothing changes them: no slow start, no probes for lost segments
#   (tcp_early_retrans; they would answer queues), timeouts of at least 1 s. Congestion control is Reno, the best understood one (bbr
#   measures rates, which idle links do not have; cubic differs after losses only).
set -eu
export LC_ALL=C
queue=${CLUSTER_QUEUE:-16000000}
window=${CLUSTER_WINDOW:-32768}
mtu=${CLUSTER_MTU:-1500}

remove() {
    for ns in $(ip netns list | awk -v p="$1-" 'index($1, p) == 1 { print $1 }'); do
        for signal in TERM KILL; do
            pids=$(ip netns pids "$ns")
            [ -z "$pids" ] || { kill -s "$signal" $pids 2>/dev/null || true; }
        done
        ip netns delete "$ns"
    done
}

if [ "$1" = --remove ]; then
    remove "$2"
    exit
fi
plan=
[ "$1" != --plan ] || { plan=1; shift; }
vef=$1 prefix=$2 network=$3 folder=$4
mkdir -p "$folder"
"$vef" topology "$network" --routes --csv >"$folder/routes.csv"
# Bits per second into and out of an endpoint: its queues and ports, each as fast as the fastest link.
"$vef" topology "$network" --resolved --json >"$folder/resolved.json"
awk '{ gsub(/[",]/, "") }
    $1 == "cycle_ns:" { cycle_ns = $2 } $1 == "phit_bytes:" { bytes = $2 }
    $1 == "injection_queues:" { queues = $2 } $1 == "ejection_ports:" { ports = $2 }
    END { rate = bytes * 8e9 / cycle_ns; printf "%.0f %.0f\n", queues * rate, ports * rate }' "$folder/resolved.json" >"$folder/rates"
read -r up down <"$folder/rates"

# Batches of ip and tc from the routes: `ip` once for all links, then one batch of ip and of tc for each namespace.
rm -rf "$folder/batch"
mkdir "$folder/batch"
: >"$folder/devices"
awk -F, -v p="$prefix" -v dir="$folder" -v mtu="$mtu" -v queue="$queue" -v up="$up" -v down="$down" \
    -v endpoints="$(awk -F, 'NR > 1 && $1 >= n { n = $1 + 1 } END { print n }' "$folder/routes.csv")" -v windows=$((window / mtu + 1)) \
    -v late_s=0.0002 '
    function ip(ns, line) { print line >(dir "/batch/ip." ns) }
    function tc(ns, line) { print line >(dir "/batch/tc." ns) }
    function bucket(rate) { return mtu + 14 + rate / 8 * late_s }
    function fair(ns, dev, e, to, class) {
        tc(ns, "qdisc add dev " dev " parent 1:1 handle 2: htb")
        for (to = 0; to < endpoints; to++) {
            if (to == e)
                continue
            class = sprintf("2:%x", 16 + to)
            tc(ns, sprintf("class add dev %s parent 2: classid %s htb rate 10gbit burst 1mb cburst 1mb quantum %d", dev, class, mtu + 14))
            tc(ns, sprintf("qdisc add dev %s parent %s bfifo limit %d", dev, class, queue))
            tc(ns, "filter add dev " dev " parent 2: protocol ip u32 match ip dst 10.77.0." to + 1 "/32 flowid " class)
        }
    }
    function device(ns, dev, rate) {
        ip(ns, "link set " dev " arp off up")
        print ns, dev, rate >(dir "/devices")
        printf "qdisc add dev %s root handle 1: tbf rate %.0fbit burst %d limit %d\n", dev, rate, bucket(rate), queue >(dir "/batch/tc." ns)
        if (ns ~ /^e/)
            fair(ns, dev, substr(ns, 2))
    }
    function link(ns1, dev1, rate1, ns2, dev2, rate2) {
        print "link add " dev1 " netns " p "-" ns1 " mtu " mtu " address 02:00:00:00:00:01 type veth peer name " dev2 \
            " netns " p "-" ns2 " mtu " mtu " address 02:00:00:00:00:01" >(dir "/batch/links")
        device(ns1, dev1, rate1)
        device(ns2, dev2, rate2)
    }
    function endpoint(e, router) {
        if (e in known)
            return
        known[e] = router
        ip("e" e, "link set lo up")
        link("e" e, "eth0", up, "r" router, "e" e, down)
        ip("e" e, "address add 10.77.0." e + 1 "/32 dev eth0")
        ip("e" e, "route add default dev eth0 src 10.77.0." e + 1 " rto_min 1s initcwnd " windows)
        ip("r" router, "route add 10.77.0." e + 1 "/32 dev e" e)
        print "link add mgmt netns " p "-e" e " type veth peer name e" e " netns " p "-m" >(dir "/batch/links")
        ip("e" e, "address add 10.79.0." e + 1 "/24 dev mgmt")
        ip("e" e, "link set mgmt up")
        ip("m", "link set e" e " master switch up")
    }
    BEGIN {
        ip("m", "link set lo up")
        ip("m", "link add switch type bridge")
        ip("m", "link set switch up")
        ip("m", "address add 10.79.0.254/24 dev switch")
    }
    NR == 1 { next }
    !($4 in routers) {
        routers[$4]
        ip("r" $4, "link set lo up")
        ip("r" $4, "address add 10.78.0." $4 + 1 "/32 dev lo") # where its answers to probes come from
    }
    $3 == 0 { endpoint($1, $4) }
    $3 == 0 { split("", visited) }
    $4 in visited { print "build.sh: the path from " $1 " to " $2 " visits router " $4 " twice: not supported" >"/dev/stderr"; exit 1 }
    { visited[$4] }
    $5 == "" { endpoint($2, $4); next }
    {
        if (!(($4, $5) in linked)) {
            linked[$4, $5] = $6
            linked[$6, $7] = $4
            link("r" $4, "p" $5, $8, "r" $6, "p" $7, $8)
        }
        # A route by destination; where sources differ, a rule for each that differs from the first, with a table for each port.
        if (!(($4, $2) in port)) {
            port[$4, $2] = $5
            ip("r" $4, "route add 10.77.0." $2 + 1 "/32 dev p" $5)
        } else if (port[$4, $2] != $5) {
            if (!(($4, $5) in tables)) {
                tables[$4, $5]
                ip("r" $4, "route add default dev p" $5 " table " 1000 + $5)
            }
            ip("r" $4, "rule add from 10.77.0." $1 + 1 " to 10.77.0." $2 + 1 " lookup " 1000 + $5)
        }
    }
    END { # answers to probes may go where no path of the routing goes: by a neighbour from which one does
        for (key in linked) {
            split(key, ends, SUBSEP)
            for (e in known)
                if (known[e] != ends[1] && !((ends[1], e) in port) && !((ends[1], e) in answer) &&
                    ((linked[key], e) in port || known[e] == linked[key])) {
                    answer[ends[1], e]
                    ip("r" ends[1], "route add 10.77.0." e + 1 "/32 dev p" ends[2])
                }
        }
    }' "$folder/routes.csv"

[ -z "$plan" ] || exit 0

# The devices of a router must be up before its routes: links come first in each batch.
for batch in "$folder"/batch/ip.*; do
    ns=$prefix-${batch##*.}
    ip netns add "$ns"
    # One process for all settings of a namespace: /proc/sys/net is that of the process.
    ip netns exec "$ns" sh -c 'cd /proc/sys/net
        echo 1 >ipv6/conf/all/disable_ipv6
        echo 1 >ipv6/conf/default/disable_ipv6
        echo 0 >ipv4/conf/all/rp_filter
        echo 0 >ipv4/conf/default/rp_filter
        echo reno >ipv4/tcp_congestion_control
        echo 1 >ipv4/tcp_no_metrics_save
        echo 0 >ipv4/tcp_slow_start_after_idle
        echo 0 >ipv4/tcp_early_retrans
        echo "4096 $1 $1" >ipv4/tcp_rmem
        echo "4096 262144 262144" >ipv4/tcp_wmem
        echo 0 >ipv4/icmp_ratelimit
        case $0 in *-r*) echo 1 >ipv4/ip_forward ;; esac' "$ns" "$window"
done
ip -batch "$folder/batch/links"
for batch in "$folder"/batch/ip.*; do
    ns=${batch##*.}
    { grep '^link' "$batch"; grep -v '^link' "$batch" || true; } >"$batch.ordered"
    ip -netns "$prefix-$ns" -batch "$batch.ordered"
    [ ! -e "$folder/batch/tc.$ns" ] || tc -netns "$prefix-$ns" -batch "$folder/batch/tc.$ns"
done
awk '{ devices[$1] = devices[$1] " " $2 } END { for (ns in devices) print ns devices[ns] }' "$folder/devices" |
    while read -r ns devices; do
        ip netns exec "$prefix-$ns" sh -c 'for device; do ethtool -K "$device" tso off gso off gro off; done' "$ns" $devices >/dev/null
    done
