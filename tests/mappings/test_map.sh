#!/bin/sh
# `vef map`: what it prints, where it takes the grid from, and what it refuses.
set -u
. tests/command.sh

# map STATUS ARGUMENTS…: runs vef map and expects that exit status, and no mapping with another than 0.
map() {
    wanted=$1
    shift
    vef "$wanted" map "$@"
    [ "$wanted" -eq 0 ] || [ ! -s out ] || fail "$ran: prints a mapping that it refuses"
}

# rows EXPRESSION: the CSV rows of the last mapping are those that awk makes of $1 (task) and $2, $3 (x, y).
rows() {
    awk -F, -v OFS=, "NR > 1 && ($1) { print; bad = 1 } END { exit bad || NR != $2 + 1 }" out >wrong ||
        { cat wrong; fail "$ran: rows that are wrong, or not $2"; }
}

cat >rtt.yaml <<'END'
topology: {family: rtt, a: 4}
routing: {algorithm: adaptive}
END
cat >flat.yaml <<'END'
topology: {family: torus, sizes: [4, 2]}
routing: {algorithm: dor}
END
echo 'model: ideal' >ideal.yaml

# The paper's twisted union of 8x8 tasks: x + 4 floor(y / 4) mod 8, y mod 4.
map 0 --show --net rtt.yaml --set endpoints_per_router=2 --tasks 64 --map 'identity . twisted-union(2)' --csv
[ "$(head -n 1 out)" = task,x,y,endpoint,router,router_x,router_y ] || fail 'the heads of the CSV'
rows '$2 != $1 % 8 || $3 != int($1 / 8) || $6 != ($2 + 4 * int($3 / 4)) % 8 || $7 != $3 % 4 ||
      $5 != 8 * $7 + $6 || int($4 / 2) != $5 || $4 % 2 != int($3 / 4)' 64
map 0 --net rtt.yaml --tasks 32 --map=diagonal-shift
[ "$(sed -n 26p out | tr -s ' ')" = ' 24 0 3 27 27 3 3' ] || fail 'task 24, shifted by 3, in the aligned table'
map 0 --net rtt.yaml --tasks 2 --json
grep -q '"router_x": 1' out || fail 'task 1 at router 1 in JSON'
map 0 --net ideal.yaml --tasks 3 --csv
[ "$(tr '\n' ' ' <out)" = 'task,x,y,endpoint 0,0,0,0 1,1,0,1 2,2,0,2 ' ] || fail 'an ideal network'
printf '3 # last first\n2\n1\n0\n' >reverse.txt
map 0 --net flat.yaml --tasks 4 --map 'file(reverse.txt)' --csv
rows '$4 != 3 - $1' 4
map 0 --net rtt.yaml --tasks 32 --map 'random(5)' --csv
cut -d, -f4 out | sed 1d | sort -n | tr '\n' ' ' | grep -q '^0 1 2 .* 31 $' || fail 'random is no permutation'

# Tasks 0 and 7, 1 and 6, … exchange messages and come to neighbouring routers of the torus of 4x2: the
# centre, number 0, for the first of the equals, number 1 for its partner, and so on in pairs.
{
    printf 'vef-trace 1\ntasks 8\n'
    for task in 0 1 2 3 4 5 6 7; do
        printf 'task %s\nInit\nSend to=%s bytes=100 ordinal=0\nRecv from=%s bytes=100 ordinal=0\nFinalize\n' $task $((7 - task)) $((7 - task))
    done
} >opposite.txt
vef 0 assemble -o opposite.vef opposite.txt
map 0 opposite.vef --show --net flat.yaml --map greedy --csv
rows '$4 != ($1 < 4 ? 2 * $1 : 2 * (7 - $1) + 1)' 8
vef 0 replay opposite.vef --net flat.yaml --map greedy --json
grep -q '"average_hops": 1,' out || fail 'greedy: messages take more than a hop'
map 2 --tasks 8 --net flat.yaml --map greedy
says 'mapping greedy: missing traffic between the tasks: expected a trace'
map 2 opposite.vef --net flat.yaml --map 'greedy . transpose'
says 'not supported in a composition'

# Comparisons. A sum of 128 bytes over four tasks on a ring of four routers: by a ring of tasks each sends 6 x 32
# bytes to the next, by way of task 0 the others send 128 bytes over 1, 2 and 1 hops, and receive as many.
{
    printf 'vef-trace 1\ntasks 4\ncomm 0 members=0-3\n'
    for task in 0 1 2 3; do printf 'task %d\nInit\nAllreduce bytes=128 elements=16\nFinalize\n' $task; done
} >sum.txt
vef 0 assemble -o sum.vef sum.txt
echo 'topology: {family: torus, sizes: [4]}' >ring.yaml
for algorithm in ring:768 linear:1024; do
    map 0 sum.vef --net ring.yaml --set "mpi.allreduce=${algorithm%:*}" --map identity --csv
    [ "$(sed -n 2p out | cut -d, -f1-3)" = "identity,1,${algorithm#*:}" ] || fail "hop-bytes of ${algorithm%:*}: $(cat out)"
done
# 0 sends to 2 and back, 1 to 3: neighbours in the best mapping, two hops apart in the usual one, where half of
# each message goes each way round.
cat >across.txt <<'END'
vef-trace 1
tasks 4
task 0
Init
Send to=2 bytes=1000 ordinal=0
Recv from=2 bytes=1000 ordinal=0
Finalize
task 1
Init
Send to=3 bytes=1000 ordinal=0
Finalize
task 2
Init
Recv from=0 bytes=1000 ordinal=0
Send to=0 bytes=1000 ordinal=0
Finalize
task 3
Init
Recv from=1 bytes=1000 ordinal=0
Finalize
END
vef 0 assemble -o across.vef across.txt
map 0 across.vef --net ring.yaml --map identity --map 'swap . identity' --json --simulate -o best.txt
for line in '"name": "identity"' '"order": 2' '"hop_bytes": 6000' '"dilation_mean": 2.0000' '"dilation_max": 2' \
    '"link_load_max": 1000' '"link_load_mean": 750' '"local_bytes": 0' '"bytes": 3000' \
    '"name": "swap . identity"' '"order": 1' '"hop_bytes": 3000' '"dilation_max": 1'; do
    grep -qF "$line" out || fail "the comparison lacks $line"
done
cycles=$(sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out | tr '\n' ' ')
for map in identity 'swap . identity' 'file(best.txt)'; do
    vef 0 replay across.vef --net ring.yaml --map "$map" --json
    sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out
done >replayed
[ "$(sed -n '1,2p' replayed | tr '\n' ' ')" = "$cycles" ] || fail "simulated $cycles, replayed $(tr '\n' ' ' <replayed)"
[ "$(sed -n 2p replayed)" = "$(sed -n 3p replayed)" ] || fail 'the best mapping, written and read'
[ "$(sed -n 1p replayed)" -gt "$(sed -n 2p replayed)" ] || fail 'the usual mapping is not slower'
for net in ring.yaml rtt.yaml '{topology: {family: de-bruijn, symbols: 2, length: 3}}'; do
    map 0 across.vef --net "$net" --map 'random(4)' --map anneal --plot map.svg --force --csv
    grep -q 'bytes over links' map.svg || fail "the picture for $net"
done
# Two mappings, in each the planes by name, twice, the numbers of all tasks, and round numbers beside both scales of
# bytes: each task sends 1 MiB, over 1 MB goes over the busiest link.
map 0 --net '{topology: {family: torus, sizes: [4, 2, 2]}}' --pattern bit-reversal --map 'random(3)' --map identity \
    --plot planes.svg --csv
texts planes.svg | sort | uniq -c | awk '{ $1 = $1; print }' >texts
for text in 'z = 0' 'z = 1'; do
    grep -qx "4 $text" texts || fail "the picture of planes has not four times $text: $(cat texts)"
done
for task in $(seq 0 15); do
    # Every fourth is also at the scale of colours.
    [ "$(sed -n '/id="box0"/,/id="box2"/p' planes.svg | grep -c "<text[^>]*>$task</text>")" -eq $((2 + 2 * (task % 4 == 0))) ] || fail "the picture has not twice task $task: $(cat texts)"
done
grep -qx '4 1.0' texts && grep -qx '2 traffic (MB)' texts && grep -qx '2 load (MB)' texts || fail "the scales of loads: $(cat texts)"
map 2 across.vef --net ring.yaml --plot map.svg && says 'map.svg exists'
map 2 across.vef --net ring.yaml --plot map.gif && says 'map.gif'
vef 2 map across.vef --net ideal.yaml --map identity --plot none.svg
says 'the network has no routers to draw'
map 2 --net rtt.yaml --tasks 4 --plot map.svg && says '--plot: expected with TRACE or --pattern$'
map 2 across.vef --net ring.yaml -o best.txt && says 'best.txt exists'
map 0 across.vef --net ring.yaml --csv # the usual ones
for map in identity 'random(1)' hilbert greedy bisection 'swap . greedy' anneal; do
    grep -q "^$map," out || fail "the usual mappings lack $map"
done
map 0 across.vef --net '{topology: {family: de-bruijn, symbols: 2, length: 3}}' --csv
grep -q '^anneal,' out && ! grep -q '^hilbert,' out || fail 'the usual mappings without a grid'
map 2 across.vef --net '{topology: {family: de-bruijn, symbols: 2, length: 3}}' --map hilbert && says 'no grid of routers'
map 0 across.vef --net '{model: ideal}' --map identity --map anneal --csv
[ "$(sed -n 3p out | cut -d, -f3)" = 0 ] || fail 'hop-bytes without routers'

# A mapping that cannot be used is a row with the reason; each has the grid that it needs. The usual mappings hold
# those of the paper that fit.
{
    printf 'vef-trace 1\ntasks 64\n'
    for task in $(seq 0 63); do
        printf 'task %s\nInit\nSend to=%s bytes=100 ordinal=0\nRecv from=%s bytes=100 ordinal=0\nFinalize\n' \
            "$task" $(((task + 1) % 64)) $(((task + 63) % 64))
    done
} >row.txt
vef 0 assemble -o row.vef row.txt
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'vertical-union(2)' --map 'horizontal-union(2)' \
    --map 'vertical-union(3)' --map 'horizontal-union(2) . grid(8x8)' --simulate --json
for line in '"grid": "8x8"' '"grid": "16x4"' '"order": null' '"time_cycles": null' \
    "not a multiple of 3" "end the mapping with '. grid(16x4)'" '"error": ""'; do
    grep -qF "$line" out || fail "the comparison lacks $line"
done
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'vertical-union(3)' --map identity --csv -o used.txt
grep -qF 'vertical-union(3),,,' out || fail 'the row of a mapping that cannot be used'
[ "$(head -n 1 used.txt)" = '# identity, 64 tasks' ] || fail 'the best mapping beside one that cannot be used'
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'vertical-union(3)' --map identity --csv --plot used.svg
vef 2 map row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'vertical-union(3)'
says 'not a multiple of 3'
# Also for other reasons, known when the mapping is made: a file that is missing, a grid without room for the tasks, a
# library that this build lacks. If none can be used, the table has all reasons. Unknown words end vef map at once.
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'file(none.txt)' --map 'diagonal-shift . grid(4x4)' \
    --map identity --map scotch --csv
[ "$(grep -c ',,,,' out)" -ge 2 ] && [ "$(grep -c '^identity,[12],' out)" -eq 1 ] && grep -q 'No such file' out &&
    grep -q 'the grid 4x4 has 16 places' out || fail "rows of mappings that cannot be used: $(cat out)"
vef 2 map row.vef --net rtt.yaml --set endpoints_per_router=2 --map 'vertical-union(3)' --map 'file(none.txt)' --csv
[ "$(grep -c ',,,,' out)" -eq 2 ] && grep -q 'not a multiple of 3' out || fail "no table of two reasons: $(cat out)"
says 'none of the 2 mappings can be used'
map 2 row.vef --net rtt.yaml --set endpoints_per_router=2 --map identity --map snail && says 'unknown mapping'
# A time limit that is over at once: every optimiser has a mapping, which the column note marks.
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map greedy --map bisection --map swap --map anneal \
    --map 'anneal(link-load)' --map identity --map-time 1ns --csv
[ "$(grep -c ',ended by --map-time,' out)" -eq 5 ] && [ "$(grep -c ',,,,' out)" -eq 0 ] || fail "a limit of 1 ns: $(cat out)"
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --map anneal --map-time 1ns --show --csv
says 'map-time ended the optimiser'
map 0 row.vef --net rtt.yaml --set endpoints_per_router=2 --csv
for map in 'horizontal-union(2)' 'vertical-union(2)' 'twisted-union(2)' 'diagonal-shift . vertical-union(2)'; do
    grep -qF "$map," out || fail "the usual mappings lack $map"
done
! grep -q ',,,,' out || fail 'a usual mapping that cannot be used'
# By bytes 0 and 1 belong together, by messages 0 and 2. Pairs: 0-1 9000 bytes in a message, 0-2 9 bytes in 9, 1-2 none in
# 2 messages; on a line of three the task in the middle has all messages at one hop. Replays know the argument too.
{
    printf 'vef-trace 1\ntasks 3\ntask 0\nInit\nSend to=1 bytes=9000 ordinal=0\n'
    for ordinal in 0 1 2 3 4 5 6 7 8; do printf 'Send to=2 bytes=1 ordinal=%d\n' $ordinal; done
    printf 'Finalize\ntask 1\nInit\nRecv from=0 bytes=9000 ordinal=0\n'
    printf 'Send to=2 bytes=0 ordinal=0\nSend to=2 bytes=0 ordinal=1\nFinalize\ntask 2\nInit\n'
    for ordinal in 0 1 2 3 4 5 6 7 8; do printf 'Recv from=0 bytes=1 ordinal=%d\n' $ordinal; done
    printf 'Recv from=1 bytes=0 ordinal=0\nRecv from=1 bytes=0 ordinal=1\nFinalize\n'
} >two.txt
vef 0 assemble -o two.vef two.txt
line='{topology: {family: mesh, sizes: [3]}}'
map 0 two.vef --net "$line" --map anneal --map 'anneal(messages)' --map 'greedy(messages)' --map 'swap(messages)' --csv
[ "$(cut -d, -f1,3 out | tr '\n' ' ')" = 'name,hop_bytes anneal,9009 anneal(messages),18009 greedy(messages),18009 swap(messages),18009 ' ] ||
    fail "by bytes: $(cat out)"
map 0 two.vef --net "$line" --weigh messages --map anneal --map 'anneal(messages, 3)' --simulate --json
for item in '"hop_messages": 14' '"hop_messages": 13' '"local_messages": 0' '"link_load_max": 11' '"link_load_max": 10' \
    '"messages": 12'; do
    grep -qF "$item" out || fail "by messages: no $item"
done
cycles=$(sed -n 's/^ *"time_cycles": \([0-9]*\).*/\1/p' out | tail -n 1)
vef 0 replay two.vef --net "$line" --map 'anneal(messages, 3)' --json
grep -q "\"time_cycles\": $cycles," out || fail "simulated $cycles cycles by messages, replayed others"
map 0 two.vef --net "$line" --weigh messages --csv
grep -q '^bisection(messages),' out || fail 'the usual mappings by messages'
map 2 two.vef --net "$line" --weigh packets && says "unknown --weigh 'packets': expected one of bytes, messages"
map 2 two.vef --net "$line" --weigh messages --show && says '--weigh and --show: not supported together'
map 2 two.vef --net "$line" --map 'random(messages)' && says 'from 0'

# Three dimensions: z is shifted by x.
map 0 --net '{topology: {family: torus, sizes: [4, 2, 2]}}' --tasks 16 --map 'diagonal-shift(z, x)' --csv
[ "$(head -n 1 out)" = task,x,y,z,endpoint,router,router_x,router_y,router_z ] || fail 'the heads of three dimensions'
rows '$2 != $1 % 4 || $3 != int($1 / 4) % 2 || $4 != int($1 / 8) || $5 != $2 + 4 * $3 + 8 * (($4 + $2) % 2)' 16
map 0 --net '{topology: {family: torus, sizes: [4, 2, 2]}}' --tasks 16 --grid 2x2x4 --map 'transpose(x, z)' --csv
rows '$5 != int($1 / 4) + 4 * (int($1 / 2) % 2) + 8 * ($1 % 2)' 16

# A pattern: the neighbours of an 8x4 torus on RTT(4) are 3/2 - 1/4 hops apart in the mean (Camarero et al., section 3).
map 0 --net rtt.yaml --pattern '{pattern: neighbour, grid: [8, 4]}' --grid 8x4 --map identity --map diagonal-shift --json
for line in '"dilation_mean": 1.2500' '"dilation_mean": 1.5000' '"dilation_max": 2' '"tasks": 32' '"trace": null' \
    '"pattern": "{pattern: neighbour, grid: [8, 4]}"'; do
    grep -qF "$line" out || fail "the pattern lacks $line"
done
map 0 --net flat.yaml --pattern bit-reversal --map anneal --show --csv
[ "$(wc -l <out)" -eq 9 ] || fail 'a mapping for a pattern'
map 2 --net flat.yaml --pattern bit-reversal --tasks 8 && says 'expected --tasks N, a TRACE or a --pattern'
map 2 --net flat.yaml --pattern bit-reversal --simulate && says '--simulate: expected with TRACE$'
map 2 --net flat.yaml --pattern reversal && says 'unknown traffic pattern'
map 2 --net ideal.yaml --pattern uniform && says 'the network has no topology'

# A damaged trace, more tasks than places, and no traffic.
head -c $(($(wc -c <sum.vef) - 60)) sum.vef >cut.vef
vef 1 map cut.vef --net ring.yaml --map identity --csv
says 'trace incomplete'
map 2 opposite.vef --net ring.yaml
says '8 tasks do not fit on 4 endpoints'
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nFinalize\n' >silent.txt
vef 0 assemble -o silent.vef silent.txt
map 0 silent.vef --net ring.yaml --csv
[ "$(awk -F, 'NR > 1 && $3 != 0' out)" = '' ] || fail 'hop-bytes without messages'
vef 1 map silent.vef --net ring.yaml --plot silent.svg
says 'nothing to draw'

# Hosts: six tasks on nodes of two cores, written for launchers and read again.
map 0 --net ring.yaml --set host.cores=2 --tasks 6 --map cyclic -o cyclic.hosts --as hostfile --force --csv
cut -d, -f4 out | sed 1d >cyclic.endpoints
[ "$(tr '\n' ' ' <cyclic.hosts)" = 'node0 node1 node2 node0 node1 node2 ' ] || fail "the hostfile: $(cat cyclic.hosts)"
printf 'login7\nrack-a\nrack-b # third\n\nrack-c\n' >names.txt
map 0 --net ring.yaml --set host.cores=2 --tasks 6 --map cyclic -o cyclic.ranks --as rankfile --hosts names.txt
[ "$(sed -n '5,6p' cyclic.ranks | tr '\n' ' ')" = 'rank 3=login7 slot=1 rank 4=rack-a slot=1 ' ] || fail "the rankfile: $(cat cyclic.ranks)"
for file in 'cyclic.hosts' 'cyclic.ranks, names.txt'; do
    map 0 --net ring.yaml --set host.cores=2 --tasks 6 --map "hosts($file)" --csv
    cut -d, -f4 out | sed 1d | cmp -s - cyclic.endpoints || fail "$file gives another mapping"
done
# Slots decide, in any order; forms of other tools count as the next free core. Two interfaces: cores 0 and 1 are at
# the first endpoint of a node, 2 and 3 at the second.
printf 'rank 2=node1 slot=0:1\nrank 0=node1 slot=3\n# the last\nrank 1=node0   slot=2\n' >slots.txt
map 0 --net ring.yaml --set host.cores=4 --set host.nics=2 --tasks 3 --map 'hosts(slots.txt)' --csv
[ "$(cut -d, -f4 out | sed 1d | tr '\n' ' ')" = '3 1 2 ' ] || fail "slots: $(cat out)"
hosts() { # hosts TEXT MESSAGE: of three tasks on nodes of two cores
    printf '%b' "$1" >hosts.txt
    map 2 --net ring.yaml --set host.cores=2 --tasks 3 --map 'hosts(hosts.txt)'
    says "$2"
}
hosts 'node0\nnode1\n' 'hosts.txt: task 2 has no host'
hosts 'node0\nnode1\nnode2\nnode3\n' 'hosts.txt:4: task 3: out of range: the program has 3 tasks'
hosts 'node0\nnode0\nnode0\n' '3 tasks on one node: expected at most 2'
hosts 'node0\nnode4\n' "hosts.txt:2: host 'node4' is node 4: out of range: the network has 4 nodes"
hosts 'alpha\n' "hosts.txt:1: unknown host 'alpha': expected a name that ends in the number of its node"
hosts 'rank 0=node0 slot=0\nrank 2=node1 slot=0\n' 'task 1 has no host'
hosts 'rank 0=node0 slot=0\nrank 0=node1 slot=0\n' 'hosts.txt:2: duplicate rank 0'
hosts 'rank 0=node0 slot=1\nrank 1=node0 slot=1\nrank 2=node0 slot=0\n' 'slot 1 of its host is taken'
hosts 'rank 0=node0 slot=2\n' 'slot 2: out of range: a node has 2'
hosts 'rank zero=node0\n' "expected 'rank N=HOST slot=CORE'"
hosts 'node0:0\n' "hosts.txt:1: '0': expected the number of tasks of host node0, from 1"
hosts 'node0:two\n' "hosts.txt:1: 'two': expected the number of tasks"
hosts 'node0:2\n' 'hosts.txt: task 2 has no host'
hosts 'node0\nnode1 slot=2\n' "hosts.txt:2: 'slot=2': expected HOST, HOST:TASKS, HOST slots=TASKS, a list"
hosts 'node0 slots=\n' "hosts.txt:1: 'slots=': expected HOST"
hosts 'node[0-1\n' "hosts.txt:1: missing ']'"
hosts 'node[1-0]\n' 'expected numbers and ranges in brackets'
hosts 'node[a]\n' 'expected numbers and ranges in brackets'
hosts 'node0,,node1\n' "hosts.txt:1: '' is not the name of a host"
hosts 'node0;1\n' "hosts.txt:1: 'node0;1' is not the name of a host"
hosts 'node[0-3]\n' 'hosts.txt:1: task 3: out of range'
hosts 'node[0-9]:2\nnode1*x\n' "hosts.txt:2: 'x': expected the number of tasks"
# The files of other launchers, by their manuals: Hydra's machine file fills hosts in order, so does Open MPI's hostfile
# (with room for more tasks); Slurm's lists have ranges, and repeat hosts.
placed() { # placed TEXT ENDPOINTS: of three tasks on nodes of two cores
    printf '%b' "$1" >hosts.txt
    map 0 --net ring.yaml --set host.cores=2 --tasks 3 --map 'hosts(hosts.txt)' --csv
    [ "$(cut -d, -f4 out | sed 1d | tr '\n' ' ')" = "$2 " ] || fail "hosts $1: $(cat out)"
}
placed 'node1:2 # login\nnode0:2\n' '1 1 0'
placed 'node2 slots=2 max_slots=4\nnode1 slots=1\n' '2 2 1'
placed 'node[1-2],node0\n' '1 2 0'
placed 'r0n[2,0-1]\n' '2 0 1'
placed 'node3*2,node1' '3 3 1'
placed 'node[2-3]:1\nnode[0-1]:2\n' '2 3 0'
placed 'node1\nnode1\nnode0\n' '1 1 0'
printf 'a03\na04\nb03\nb04\n' >padded.txt
printf 'b[03-04]\na04\n' >hosts.txt
map 0 --net ring.yaml --tasks 3 --map 'hosts(hosts.txt, padded.txt)' --csv
[ "$(cut -d, -f4 out | sed 1d | tr '\n' ' ')" = '2 3 1 ' ] || fail "padded numbers: $(cat out)"
printf 'node[0-3]\n' >ranges.txt
map 2 --net ring.yaml --tasks 3 --map 'hosts(hosts.txt, ranges.txt)' && says "ranges.txt:1: 'node.*expected the name of a node"
printf 'a\nb\na\n' >twice.txt
map 2 --net ring.yaml --tasks 3 --map 'hosts(cyclic.hosts, twice.txt)' && says "twice.txt: the name 'a' is there twice"
map 2 --net ring.yaml --tasks 3 -o x --as endpoint && says "unknown --as 'endpoint': did you mean endpoints? Expected one of endpoints, hostfile, rankfile"
map 2 --net ring.yaml --tasks 3 --as rankfile && says '--as: expected with --output$'
vef 2 map --net ring.yaml --tasks 4 --map identity -o x --as hostfile --hosts twice.txt
[ ! -e x ] || fail 'a hostfile in spite of an error'

# The grid of the program's own communicator: 4 x 2 processes are a grid 2 wide, in MPI's order of ranks.
cat >grid.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    int extents[2] = {4, 2}, periods[2] = {1, 0};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
END
${MPICC:-mpicc.mpich} -o grid grid.c || exit 1
"$vef" capture -o grid.vef -- "${MPIEXEC:-mpiexec.mpich}" -n 8 ./grid >out 2>err || fail 'capturing a program'
map 0 --show --net flat.yaml --map transpose --csv grid.vef
rows '$2 != $1 % 2 || $3 != int($1 / 2) || $6 != $3 || $7 != $2' 8
map 2 --net flat.yaml --map diagonal-shift grid.vef
says "expected --grid 4x2, or end the mapping with '. grid(4x2)' or '. transpose'"
map 0 --show --net flat.yaml --map diagonal-shift --grid 4x2 --csv grid.vef
rows '$6 != ($1 % 4 + int($1 / 4)) % 4 || $7 != int($1 / 4)' 8
map 0 --show --net flat.yaml --csv grid.vef
rows '$4 != $1' 8

map 2 --net rtt.yaml --tasks 33 && says '33 tasks do not fit on 32 endpoints'
map 2 --net rtt.yaml --set endpoints_per_router=2 --tasks 64 --grid 8x8 --map 'horizontal-union(2)' && says 'expected --grid 16x4'
map 2 --net rtt.yaml --tasks 32 --map diagonal && says 'did you mean diagonal-shift'
map 2 --net rtt.yaml --tasks 32 --grid 8by4 && says 'as 16x8'
map 2 --net rtt.yaml --tasks 0 && says "--tasks: expected a whole number from 1 to 2147483647; found '0'"
map 2 --net rtt.yaml && says 'missing number of tasks'
map 2 --tasks 4 && says 'missing NET.yaml'
map 2 --net none.yaml --tasks 4 && says none.yaml
map 2 --net rtt.yaml missing.vef && says missing.vef
map 2 --net rtt.yaml --tasks 4 --maps identity && says "unknown option '--maps'"
map 2 --net rtt.yaml --tasks 4 --map identity --map transpose && says 'expected one with --show, or without a TRACE'
map 2 --net rtt.yaml --tasks 4 --simulate && says '--simulate: expected with TRACE$'
map 2 --net rtt.yaml --tasks 4 --map anneal && says 'missing traffic between the tasks: expected a trace'
"$vef" map --help >out 2>err || fail 'help'
for stage in identity 'diagonal-shift[(x, y)]' 'horizontal-union(c)' 'vertical-union(c)' \
    'random(seed)' 'file(path)' snake morton hilbert 'greedy[(messages)]' 'swap[(messages)]' 'anneal[(link-load, messages, seed)]' 'union(c, axis)' 'grid(16x8)' 'transpose[(x, y)]' 'twisted-union(c[, y, x])'; do
    grep -qF -- "  $stage" out || fail "help does not list $stage"
done
[ $failures -eq 0 ]
