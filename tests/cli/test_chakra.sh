#!/bin/sh
# `vef import --format chakra`: traces of Chakra that are written here, node by node (chakra_write.py), with calls and
# end times that follow by hand.
. tests/command.sh
set -u
command -v python3 >/dev/null || { skip 'traces of Chakra: no python3'; exit 0; }
ideal='{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' # cycles of 1 ns

# written NAME: the files NAME.0.et, … from the text on stdin.
written() {
    rm -f $1.*.et $1.vef
    python3 "$here/tests/cli/chakra_write.py" $1 || fail "writing $1"
}
# imported NAME FILE NS: from that file, or prefix; where messages take no time, it takes so long.
imported() {
    rm -f $1.vef
    vef 0 import $2 --format chakra -o $1.vef
    cp err import.err
    vef 0 check $1.vef
    vef 0 replay $1.vef --net "$ideal" --json
    prints "\"time_ns\": $3,"
    prints '"stalled": null'
    mv import.err err
}

# Data parallel: forward 10 us, backward 20 us, then the sum of gradients beside the backward pass of the layer
# before it (30 us, rank 1: 45), whose own sum follows; the optimiser takes 5 us.
for rank in 0 1 2 3; do
    late=30
    [ $rank -ne 1 ] || late=45
    cat <<END
rank
0 COMP us=10
1 COMP us=20 on=0
2 COLL on=1 is_cpu_op=0 comm_type=0 comm_size=1048576
3 COMP us=$late on=1
4 COLL on=3 comm_type=0 comm_size=4096
5 COMP us=5 on=2,4 ctrl=4
END
done | written data
imported data data.2.et $(((10 + 20 + 45 + 5) * 1000))
! grep -q threads err || fail 'one thread computes and starts the sums'
imported data data $(((10 + 20 + 45 + 5) * 1000))
vef 0 dump data.vef
prints 'Iallreduce bytes=1048576 elements=262144'
prints 'Iallreduce bytes=4096 elements=1024'
[ "$(grep -c '^Iallreduce' out)" -eq 8 ] || fail 'two sums in each of four ranks'
# The ring of n ranks sends 2 (n - 1) messages from each.
vef 0 replay data.vef --net "$ideal" --set mpi.allreduce=ring --json
prints "\"messages\": $((2 * 4 * 2 * 3)),"

# Two branches, each with a barrier: B starts once A has, as every rank must call them in one order. Rank 0 is
# ready for them at 10 and 20 us, rank 1 at 30 and 5: both end at 30.
for times in '10 20' '30 5'; do
    set -- $times
    cat <<END
rank
1 COMP us=$1
2 COLL on=1 comm_type=9
3 COMP us=$2
4 COLL on=3 comm_type=9
5 COMP us=1 on=2,4
6 COMP us=29 on=3
END
done | written branches
imported branches branches.1.et 49000
says 'independent nodes are threads, up to [23] in a rank'

# A ring: each rank computes r x 10 us, sends to the next, and receives from the one before, although the receive
# depends on the send and messages are long; then 1 us. Rank 0 waits for rank 3: 30 + 1.
for rank in 0 1 2 3; do
    cat <<END
rank
7 COMP us=$((10 * rank))
8 SEND on=7 comm_dst=$(((rank + 1) % 4)) comm_size=10000000 comm_tag=3
9 RECV on=8 comm_src=$(((rank + 3) % 4)) comm_size=10000000 comm_tag=3
10 COMP us=1 on=9
END
done | written ring
imported ring ring.0.et 31000
vef 0 info ring.vef --json
prints '"messages": 4,'
prints '"message_bytes": 40000000,'
# On LogGP: the last message leaves at 30 us, and takes 500 ns.
vef 0 replay ring.vef --json --net '{model: loggp, latency: 500 ns, overhead: 0 ns, gap: 0 ns, gap_per_byte: 0 ns,
    overhead_per_byte: 0 ns, rendezvous_bytes: 1 GiB}'
prints '"time_ns": 31500,'

# Messages of one pair with two tags, received in the other order; branches without dependencies.
written tags <<'END'
rank
0 SEND comm_dst=1 comm_size=1 comm_tag=1
1 COMP us=9
2 SEND on=1 comm_dst=1 comm_size=2 comm_tag=2
rank
0 RECV comm_src=0 comm_size=2 comm_tag=2
1 RECV comm_src=0 comm_size=1 comm_tag=1 on=0
2 COMP us=4 on=1
END
imported tags tags $((9000 + 4000))
vef 0 dump tags.vef
prints 'Irecv from=0 bytes=2 tag=2'
prints 'Irecv from=0 bytes=1 tag=1'
! grep -q 'another size' err || fail 'sizes agree'

# The two sides of a message name different sizes: that of the send counts. A receive without a size agrees.
written unequal <<'END'
rank
0 SEND comm_dst=1 comm_size=100
1 SEND on=0 comm_dst=1 comm_size=200
2 SEND on=1 comm_dst=1 comm_size=300
rank
0 RECV comm_src=0 comm_size=100
1 RECV comm_src=0 comm_size=250 on=0
2 RECV comm_src=0 on=1
END
imported unequal unequal 0
says '1 receives have another size than their send, whose size counts'
vef 0 info unequal.vef --json
prints '"message_bytes": 600,'

# Process groups: of a declaration, all ranks if it has none; of those that use them if there is no declaration.
# The whole of some operations is divided among the ranks: 10 bytes among 4, 3 each.
declared='[{\"pg_name\":\"5\",\"pg_desc\":\"x\",\"ranks\":[0,2],\"group_size\":2},{\"pg_name\":\"6\",\"ranks\":[]}]'
for rank in 0 1 2 3; do
    cat <<END
rank
100 METADATA groups=$(echo "$declared" | tr -d '\\')
1 COLL comm_type=7 comm_size=10 pg_name=6 ctrl=100
2 COLL comm_type=5 comm_size=77 pg_name=0 on=1
END
    case $rank in
    0 | 2) echo "3 COLL comm_type=2 comm_size=8 pg_name=5 on=2" ;;
    *) echo "3 COLL comm_type=6 comm_size=8 pg_name=odd on=2" ;;
    esac
done | written groups
imported groups groups 0
says '4 calls of collectives with a root take the first rank of the group as root'
says '4 calls of collectives divide their bytes unevenly'
says '1 process groups are not declared'
vef 0 dump groups.vef
prints 'comm 1 parent=0 by=Comm_create members=0,2'
prints 'comm 2 parent=0 by=Comm_create members=0-3'
prints 'comm 3 parent=0 by=Comm_create members=1,3'
prints 'Ireduce_scatter_block comm=2 bytes=3'
prints 'Ibcast bytes=77'
prints 'Iallgather comm=1 bytes=8'
prints 'Ialltoall comm=3 bytes=4'

# All collectives of the schema, and what is left out.
{
    for rank in 0 1; do
        echo rank
        for type in 0 1 2 3 4 5 6 7 8 9; do echo "$type COLL comm_type=$type comm_size=16 ctrl=$((type - 1))"; done
        cat <<'END'
20 COLL comm_type=10 comm_size=16 us=3 on=9
21 COLL is_cpu_op=1 us=4 on=20
22 SEND tensor_size=5 us=5 on=21
23 COMP num_ops=7 on=22
24 LOAD us=6 on=23 tensor_size=9
25 STORE on=24 tensor_size=9
26 COMP us=1 on=25,99
END
    done
} | sed 's/ctrl=-1//' | written every
imported every every $(((3 + 4 + 5 + 6 + 1) * 1000))
says '2 dependencies on nodes that are not in the file are left out'
says '4 nodes of remote memory take their duration'
says '2 computations have num_ops, but no duration'
says '2 nodes of communication with is_cpu_op take their duration'
says '2 collectives without a comm_type from 0 to 9'
says '2 sends and receives without comm_dst or comm_src'
vef 0 dump every.vef
for call in Iallreduce Ireduce Iallgather Igather Iscatter Ibcast Ialltoall Ibarrier; do
    [ "$(grep -c "^$call " out)" -eq 2 ] || [ "$(grep -c "^$call$" out)" -eq 2 ] || fail "two $call"
done
[ "$(grep -c '^Ireduce_scatter_block bytes=8 ' out)" -eq 4 ] || fail 'two Ireduce_scatter_block in each'

# Compressed files are read as they are; so are files whose nodes come before what they depend on.
gzip -c data.1.et >zipped.et && mv zipped.et data.1.et
imported data data.0.et $(((10 + 20 + 45 + 5) * 1000))
written backward <<'END'
rank
5 COMP us=1 on=4
4 COMP us=2 on=3
3 COMP us=4
END
imported backward backward 7000

# ---- refused ----

# refused PATTERN: the trace on stdin.
refused() {
    written wrong
    vef 2 import wrong.0.et --format chakra -o wrong.vef
    says "$1"
    [ ! -e wrong.vef ] || fail "a trace remains: $1"
}
refused 'wrong.0.et: node 1 depends on itself' <<'END'
rank
1 COMP us=1 on=2
2 COMP us=1 ctrl=1
END
refused 'wrong.0.et: a second node with ID 1' <<'END'
rank
1 COMP us=1
1 COMP us=1
END
refused 'wrong.0.et: message 1: unknown type of node' <<'END'
rank
1 12
END
refused 'wrong.0.et: node 3: comm_dst 4 is out of range: there are files of 1 ranks' <<'END'
rank
3 SEND comm_dst=4 comm_size=1
END
refused 'wrong.0.et: node 3: comm_src is 4: expected the rank of the file' <<'END'
rank
3 SEND comm_dst=0 comm_src=4 comm_size=1
END
refused 'wrong.0.et: node 3: its size is out of range' <<'END'
rank
3 SEND comm_dst=0 comm_size=-1000
END
refused "rank 1, node 4: ALL_GATHER is collective 0 of process group 'a', which is BARRIER in rank 0, node 3" <<'END'
rank
3 COLL comm_type=9 pg_name=a
rank
4 COLL comm_type=2 pg_name=a
END
refused "process group '0': rank 1 calls 0 collectives, other ranks 1" <<'END'
rank
3 COLL comm_type=9
rank
END
refused "process group 'a': rank 7 is out of range: there are files of 1 ranks" <<'END'
rank
1 METADATA groups=[{"pg_name":"a","ranks":[0,7]}]
3 COLL comm_type=9 pg_name=a
END
refused "process group 'a': rank 1, which is not in it, calls 1 collectives" <<'END'
rank
1 METADATA groups=[{"pg_name":"a","ranks":[0]}]
3 COLL comm_type=9 pg_name=a
rank
3 COLL comm_type=9 pg_name=a
END
rm -f ring.1.et
vef 2 import ring.3.et --format chakra -o wrong.vef
says 'ring.1.et is missing: expected a file for each rank, from 0 on'
vef 2 import nothing --format chakra -o wrong.vef
says 'nothing.0.et is missing'
: >empty.0.et
vef 2 import empty --format chakra -o wrong.vef
says 'empty.0.et: empty: expected GlobalMetadata'
printf 'VEF1 2 4 1 0 0 TRUE\nC0 0 1\n' >text.0.et
vef 2 import text --format chakra -o wrong.vef
says 'text.0.et: '

# JSON, of which there are four forms; in a file of any name.
json() {
    printf "$2" >json.0.et
    vef 2 import json.0.et --format chakra -o json.vef
    says "json.0.et: $1"
    mv json.0.et trace.json
    vef 2 import trace.json --format chakra -o json.vef
    says "trace.json: $1"
}
json 'execution trace of PyTorch: convert it by chakra_converter' '{\n "schema": "1.0.2-chakra.0.0.4", "nodes": []}'
json 'device trace of PyTorch (Kineto): link it' '{"schemaVersion": 1, "traceEvents": []}'
json "JSON trace of Chakra's feeder" '{\n\t"workload_graph": [{"Id": 1}]}'
json 'JSON, as chakra_jsonizer writes it' '{\r\n  "version": "0.0.4"\r\n}{\n  "id": "1"\n}'
# Cut anywhere: a message with the name, except where a message ends.
size=$(wc -c <data.0.et)
cut=1
ends=0
while [ $cut -lt "$size" ]; do
    head -c $cut data.0.et >cut.0.et
    "$vef" import cut --format chakra --force -o cut.vef >out 2>err
    case $? in
    0) ends=$((ends + 1)) ;;
    2) says 'cut.0.et: the file ends within message' ;;
    *) fail "cut after $cut bytes" ;;
    esac
    cut=$((cut + 3))
done
[ $ends -le 7 ] || fail "$ends of the cuts are whole files"

[ $failures -eq 0 ]
