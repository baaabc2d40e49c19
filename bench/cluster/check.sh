#!/bin/sh
# Checks a network that build.sh has built, before any program runs on it, and prints a table: what, how many values, the value
# expected, the least and the greatest one measured, and whether all are within the tolerance. Status 1: some are not.
#
#   sh check.sh PREFIX FOLDER FLOW     FOLDER as given to build.sh, FLOW the program of flow.c
#
# - path: the routers that answer probes with a growing time to live from each endpoint to each other one are those of the
#   description (the numbers are pairs)
# - link: a flow over each direction of each link, of the shortest path that crosses it; flows that share no link, in neither
#   direction, run at once. Rates are in Mbit/s of payload: 1448 of the 1514 bytes of a frame
# - shared: flows that share links, against max-min fair rates. Acknowledgements take 2 % where flows go both ways
# - round trip: of a byte between the two endpoints farthest apart, in us, and between the nearest
# - lost: packets that queues have dropped since the network was built
set -u
export LC_ALL=C
prefix=$1 folder=$2 flow=$3
mtu=${CLUSTER_MTU:-1500}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
failed=0

in_endpoint() { e=$1; shift; nice -n -10 ip netns exec "$prefix-e$e" "$@"; }

# row WHAT COUNT EXPECTED LEAST MOST FROM TO: FROM and TO are the limits.
row() {
    printf '%-44s %4d %10s %10s %10s  ' "$1" "$2" "$3" "$4" "$5"
    if awk -v least="$4" -v most="$5" -v from="$6" -v to="$7" 'BEGIN { exit !(least >= from && most <= to) }'; then
        echo ok
    else
        echo FAILED
        failed=1
    fi
}

# flows FILE: lines "source destination expected_bit/s", all at once; adds the measured bit/s to each.
flows() {
    port=5000
    begin=$("$flow" now | awk '{ printf "%.3f %.3f", $1 + 0.7, $1 + 2.2 }')
    while read -r source destination _; do
        port=$((port + 1))
        in_endpoint "$destination" "$flow" receive "$port" $begin >"$scratch/rate.$port" &
        in_endpoint "$source" "$flow" send "10.77.0.$((destination + 1))" "$port" "${begin#* }" &
    done <"$1"
    wait
    cat "$scratch"/rate.* | paste -d' ' "$1" -
    rm -f "$scratch"/rate.*
}

# Reads the routes: `links[source, destination]`, a list of links, of which `rate` is the bit/s; `reverse` the other direction.
routes='
    FILENAME == ARGV[1] { split($0, r, " "); up = r[1]; down = r[2]; next }
    $1 !~ /^[0-9]/ { next }
    $3 == 0 { path = "up" $1; rate[path] = up; reverse[path] = "down" $1; hops[$1, $2] = 0 }
    $3 == 0 && $1 >= endpoints { endpoints = $1 + 1 }
    $5 != "" { link = $4 "." $5; path = path " " link; rate[link] = $8; reverse[link] = $6 "." $7; hops[$1, $2] = $3 + 1 }
    $5 == "" { path = path " down" $2; rate["down" $2] = down; reverse["down" $2] = "up" $2; links[$1, $2] = path }'

# ---- path ----
seq 0 "$(tail -n 1 "$folder/routes.csv" | cut -d, -f1)" >"$scratch/endpoints"
while read -r source; do
    while read -r destination; do
        [ "$source" = "$destination" ] || echo "$source $destination"
    done <"$scratch/endpoints" | in_endpoint "$source" sh -c 'while read -r source destination; do
            echo $source $destination $("$0" trace 10.77.0.$((destination + 1))); done' "$flow"
done <"$scratch/endpoints" >"$scratch/traced"
awk -F, 'NR > 1 { pair = $1 " " $2; if (!(pair in path)) order[++n] = pair; path[pair] = path[pair] " 10.78.0." $4 + 1 }
    END { for (i = 1; i <= n; i++) print order[i] path[order[i]] }' "$folder/routes.csv" >"$scratch/described"
pairs=$(wc -l <"$scratch/described")
same=$(sort "$scratch/traced" "$scratch/described" | uniq -d | wc -l)
printf '%-44s %4s %10s %10s %10s\n' check n expected least most
row 'path: of each pair, router by router' "$pairs" "$pairs" "$same" "$same" "$pairs" "$pairs"

# ---- link ----
awk -F, -v payload="$((mtu - 52))" -v frame="$((mtu + 14))" "$routes"'
    END {
        for (most = 0; most <= 64; most++)
            for (s = 0; s < endpoints; s++)
                for (d = 0; d < endpoints; d++)
                    if (s != d && hops[s, d] == most)
                        place(s, d)
    }
    function place(s, d,    n, l, i, news, round, free, least) {
        n = split(links[s, d], l, " ")
        for (i = 1; i <= n; i++)
            news += !(l[i] in covered)
        if (!news)
            return
        for (round = 1; !free; round++)
            for (free = i = 1; i <= n; i++)
                free = free && !((round, l[i]) in used) && !((round, reverse[l[i]]) in used)
        round--
        least = rate[l[1]]
        for (i = 1; i <= n; i++) {
            used[round, l[i]]
            used[round, reverse[l[i]]]
            least = rate[l[i]] < least ? rate[l[i]] : least
        }
        for (i = 1; i <= n; i++)
            covered[l[i]]
        print round, s, d, least * payload / frame
    }' "$folder/rates" "$folder/routes.csv" | sort -n >"$scratch/plan"
for round in $(cut -d' ' -f1 "$scratch/plan" | uniq); do
    awk -v round="$round" '$1 == round { print $2, $3, $4 }' "$scratch/plan" >"$scratch/round"
    flows "$scratch/round"
done >"$scratch/links"
for expected in $(cut -d' ' -f3 "$scratch/links" | sort -un); do
    set -- $(awk -v e="$expected" '$3 == e { n++; m = $4 / 1e6; least = n == 1 || m < least ? m : least; most = m > most ? m : most }
        END { printf "%d %.2f %.2f %.2f %.2f %.2f", n, e / 1e6, least, most, 0.97 * e / 1e6, 1.01 * e / 1e6 }' "$scratch/links")
    row 'link: a flow in each direction of each link' "$@"
done

# ---- shared ----
# shared WHAT TOLERANCE SOURCE:DESTINATION...
shared() {
    what=$1 tolerance=$2
    shift 2
    awk -F, -v payload="$((mtu - 52))" -v frame="$((mtu + 14))" -v flows="$*" "$routes"'
        END { # max-min: again and again the link with the least rate for each of its flows
            count = split(flows, flow, " ")
            for (f = 1; f <= count; f++) {
                split(flow[f], pair, ":")
                way[f] = links[pair[1], pair[2]]
            }
            for (left = count; left > 0;) {
                split("", weight)
                for (f = 1; f <= count; f++)
                    if (!(f in share))
                        for (i = split(way[f], l, " "); i > 0; i--)
                            weight[l[i]]++
                least = 0
                for (link in weight)
                    if (!least || rate[link] / weight[link] < least) {
                        least = rate[link] / weight[link]
                        worst = link
                    }
                for (f = 1; f <= count; f++)
                    if (!(f in share) && index(" " way[f] " ", " " worst " ")) {
                        share[f] = least
                        left--
                        for (i = split(way[f], l, " "); i > 0; i--)
                            rate[l[i]] -= least
                    }
            }
            for (f = 1; f <= count; f++) {
                split(flow[f], pair, ":")
                print pair[1], pair[2], share[f] * payload / frame
            }
        }' "$folder/rates" "$folder/routes.csv" >"$scratch/round"
    flows "$scratch/round" >"$scratch/shares"
    set -- $(awk -v t="$tolerance" '{ n++; x = $4 / $3; least = n == 1 || x < least ? x : least; most = x > most ? x : most; sum += $3 }
        END { printf "%d %.2f %.3f %.3f %.3f %.3f", n, sum / n / 1e6, least, most, 1 - t, 1 + t }' "$scratch/shares")
    row "$what" "$@"
}
last=$(tail -n 1 "$scratch/endpoints")
near=$((last / 2 + 1))
all=$(while read -r e; do echo "$e:$(((e + 4) % (last + 1)))"; done <"$scratch/endpoints")
echo
printf '%-44s %4s %10s %10s %10s\n' 'shared (least and most over the expected)' n 'mean rate' least most
shared 'both directions of a path' 0.05 0:$near $near:0
shared 'two flows out of an endpoint' 0.06 0:1 0:$near
shared 'two flows into an endpoint' 0.06 1:0 $near:0
shared 'four flows into an endpoint' 0.1 1:0 2:0 $near:0 $((near + 1)):0
shared 'four flows over one link, or the last one' 0.1 0:$near 1:$near 2:$near 3:$near
shared 'two flows that share nothing' 0.03 0:1 $near:$((near + 1))
shared 'each endpoint to that four further' 0.15 $all

# ---- round trip, losses ----
for destination in 1 $near; do
    in_endpoint "$destination" "$flow" echo 4999 &
    us=$(in_endpoint 0 "$flow" ping "10.77.0.$((destination + 1))" 4999 200)
    wait
    row "round trip of a byte to endpoint $destination, us" 200 - "$us" "$us" 0 2000
done
lost=$(for ns in $(cut -d' ' -f1 "$folder/devices" | sort -u); do tc -netns "$prefix-$ns" -s qdisc show; done |
    awk '/dropped/ { sub(/,/, "", $7); n += $7 } END { print n + 0 }')
row 'lost: packets' 1 0 "$lost" "$lost" 0 0
exit "$failed"
