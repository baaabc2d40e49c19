#!/bin/sh
# Links and routers that are down, from the outside: the same section in vef topology, load, replay, verify, map and study,
# numbers and names of the network without failures, and what is refused.
set -u
. tests/command.sh

value() { awk -v name="$1" '{ gsub(/[",:]/, " ") } $1 == name { print $2; exit }' out; }
is() { # is NAME WANTED
    awk -v got="$(value "$1")" -v wanted="$2" 'BEGIN { exit !(got > wanted - 1e-6 && got < wanted + 1e-6) }' ||
        fail "$ran: $1 is $(value "$1") instead of $2"
}

cat >ring.yaml <<'END'
topology: {family: torus, sizes: [8]}
failures: {links: [[3, 4]]}
END
cat >torus.yaml <<'END'
topology: {family: torus, sizes: [4, 4]}
endpoints_per_router: 2
failures:
  routers: ["(1, 1)"]
  links: [[2, x+]]
END

# ---- vef topology: a ring without a link is a path, of diameter 7 and mean distance 9/3 ----

vef 0 topology ring.yaml --json
is diameter 7
is average_distance_without_itself 3
is links 7
is links_lost 1
is routers_lost 0
vef 0 topology ring.yaml
prints '^down: 0 of 8 routers, 1 of 8 links, 0 of 8 endpoints$'
prints 'greatest degree  *2'
vef 0 topology ring.yaml --set 'failures.links=[]'
prints 'diameter  *4$'
grep -q '^down' out && fail 'nothing is down'
vef 0 topology '{family: torus, sizes: [8]}' --set failures.link_count=1 --json
is average_distance_without_itself 3
vef 0 topology ring.yaml --csv
prints '"0 of 8 routers, 1 of 8 links, 0 of 8 endpoints"'

# Numbers, names and places are those of the network without failures.
vef 0 topology torus.yaml
prints 'routers  *15  4x4, 1 of them down'
prints 'endpoints  *30  2 on each router'
vef 0 topology torus.yaml --json
prints '"routers_down": \["(1, 1)"\]'
[ "$(grep -c '"port"' out)" -eq 5 ] || fail 'four links of the router, and one'
vef 0 topology torus.yaml --between 4:6
prints 'from router 4 (0, 1) to router 6 (2, 1)'
prints 'distance  *2 hops' # the other way round
prints 'minimal paths  *1$'
vef 2 topology torus.yaml --between 0:5
says '--between: router 5 is down'
vef 2 topology torus.yaml --between '(1, 1):0'
says '--between: router 5 is down'
vef 0 topology torus.yaml --layout folded
prints '^ *6  2  1  *3  *2$'
grep -q '^ *5 ' out && fail 'router 5 has a place'
vef 0 topology torus.yaml --dot
prints '^  6 -- 7;'
grep -q '^  5 ' out && fail 'router 5 is drawn'
vef 2 load torus.yaml --rate 0.1 --pattern tornado
says 'expected a logical grid of its 30 endpoints'

# ---- vef map: endpoints are numbered without gaps, tasks are never on a router that is down ----

vef 0 map --net torus.yaml --tasks 30 --csv
[ "$(awk -F, 'NR > 1 { print $5 }' out | sort -n | uniq -c | awk '{ print $1 ":" $2 }' | tr '\n' ' ')" = \
    '2:0 2:1 2:2 2:3 2:4 2:6 2:7 2:8 2:9 2:10 2:11 2:12 2:13 2:14 2:15 ' ] || fail 'two tasks on each router'
prints '^10,.*,10,6,2,1$' # task 10 on endpoint 10, the first after router 4, at (2, 1)
vef 2 map --net torus.yaml --tasks 31
says '31 tasks'
vef 0 map --net torus.yaml --tasks 30 --map hilbert --csv
grep -q ',5,1,1$' out && fail 'hilbert places a task on router 5'
vef 2 map --net torus.yaml --tasks 16 --grid 4x4 --map identity
says 'a task goes to router (1, 1), which is down'
vef 0 map --net torus.yaml --tasks 4 --grid 4x4 --map identity --csv
prints '^3,3,0,6,3,3,0$' # task 3 at (3, 0), on endpoint 6

# ---- vef verify ----

vef 0 verify torus.yaml
prints '^free of deadlock: routing minimal-adaptive on topology torus'
prints '^down  *1 of 16 routers, 5 of 32 links, 2 of 32 endpoints'
for routing in minimal up-down minimal-adaptive; do
    vef 0 verify torus.yaml --set routing.algorithm=$routing
done
vef 2 verify torus.yaml --set routing.algorithm=dor
says 'routing dor: not supported with these failures: .* down, and packets from endpoint'
says 'expected for this network one of: adaptive, minimal-adaptive, minimal'

# ---- vef load: hops under a low load are the mean distance; the configuration reproduces the network ----

vef 0 load ring.yaml --rate 0.02 --precision 0.02 --json
awk -v hops="$(value average_hops)" 'BEGIN { exit !(hops > 2.94 && hops < 3.06) }' || fail "hops: $(value average_hops)"
awk -v got="$(value accepted_load)" 'BEGIN { exit !(got > 0.019 && got < 0.021) }' || fail "packets are lost: $(value accepted_load)"
is links_lost 1
vef 0 load torus.yaml --rate 0.02 --precision 0.1
prints '^network .*, torus, 15 routers, 30 endpoints$'
prints '^down      1 of 16 routers, 5 of 32 links, 2 of 32 endpoints$'
vef 0 load torus.yaml --rate 0.02 --precision 0.1 --json
prints '"routers": \["(1, 1)"\]'
vef 0 load '{topology: {family: torus, sizes: [4, 4]}, failures: {link_share: 0.1, seed: 9}}' --rate 0.02 --precision 0.1 --json
prints '"link_share": 0.1'
is links_lost 3

# ---- vef replay: one packet over 7 hops instead of 1, 7 cycles and 16 ----

printf 'vef-trace 1\ntasks 8\n' >pair.txt
for task in 0 1 2 3 4 5 6 7; do
    printf 'task %s\nInit\n' $task
    [ $task -eq 3 ] && echo 'Send to=4 bytes=64 ordinal=0'
    [ $task -eq 4 ] && echo 'Recv from=3 ordinal=0'
    echo Finalize
done >>pair.txt
vef 0 assemble pair.txt -o pair.vef
for model in router flow; do
    vef 0 replay pair.vef --net ring.yaml --set model=$model --json
    is average_hops 7
    is time_cycles 23
done
vef 0 replay pair.vef --net ring.yaml
prints 'torus of 8 routers; down: 0 of 8 routers, 1 of 8 links, 0 of 8 endpoints'
vef 0 replay pair.vef --net ring.yaml --set 'failures.links=[]' --json
is average_hops 1
prints '"failures": null'
vef 2 replay pair.vef --net ring.yaml --set 'failures.routers=[3]' --set 'failures.links=[]'
says '8 tasks'

# ---- vef study: the diameter by the number of links down in a ring ----

cat >study.yaml <<'END'
run: topology
networks: {ring: {topology: {family: torus, sizes: [8]}, failures: {link_count: $links}}}
vary: {links: [0, 1]}
END
vef 0 study study.yaml -o results --csv
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "diameter") at = i; next } { print $at }' out | tr '\n' ' ')" = '4 7 ' ] ||
    fail "diameters: $(cat out)"

# ---- what is refused ----

vef 2 topology ring.yaml --set 'failures.links=[[3, 4], [0, 1]]'
says 'failures: endpoint 1 at router 1 is cut off from endpoint 0 at router 0: 5 of 8 endpoints remain connected'
vef 2 load torus.yaml --rate 0.1 --set 'failures.routers=[5, 5]'
says 'failures.routers\[1\]: router 5 is listed twice'
vef 2 topology torus.yaml --set failures.link_share=7
says 'link_share: expected a number from 0 to 1'
sed 's/x+/x*/' torus.yaml >bad.yaml
vef 2 verify bad.yaml
says "bad.yaml:5:11: failures.links\[0\]: unknown router 'x\*'"
vef 2 topology '{model: ideal}' --set failures.link_count=1
vef 0 topology torus.yaml --set failures.disconnected=drop --set 'failures.routers=[1, 4, 6, 9]' --json
is routers_lost 5
is endpoints_lost 10

# ---- a fat tree with k of 4 spines down carries (4 - k) / 4 of what leaves its leaves ----

tree='topology: {family: xgft, m: [4, 4], w: [1, 4]}'
for routing in nca-adaptive d-mod-k; do
    for row in '1 0.75 [4]' '2 0.5 [4, 6]' '3 0.25 [4, 5, 6]'; do
        set -- $row
        vef 0 load "{$tree, routing: {algorithm: $routing}, failures: {routers: ${row#* * }}}" --rate 1 --max-cycles 12000 \
            --pattern '{pattern: shift, by: 4}' --csv
        awk -F, -v wanted="$2" 'NR == 2 { exit !($3 > wanted - 0.01 && $3 < wanted + 0.01) }' out ||
            fail "$routing with $1 spines down: expected $2"
    done
done
# Leaves 0 and 1 have no spine in common: a way leads over leaf 2, down and up again.
apart='failures: {links: [[0, 4], [0, 5], [1, 6], [1, 7]]}'
vef 2 verify "{$tree, routing: {algorithm: d-mod-k}, $apart}"
says 'packets from endpoint 4 at level 1, switch 1 to endpoint 0 at level 1, switch 0 have no way up and then down'
vef 0 verify "{$tree, routing: {algorithm: minimal-adaptive}, $apart}"

[ $failures -eq 0 ]
