#!/bin/sh
# The flow model beside the router model: writes docs/results/flow.md (make flow; about three minutes). Memory is only measured
# where /usr/bin/time is (Debian package time).
#
#   sh tests/validation/flow.sh BUILD >docs/results/flow.md
set -u
export LC_ALL=C
vef=$1/vef
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
timer=
[ -x /usr/bin/time ] && timer="/usr/bin/time -o $scratch/memory -f %M"

# random_graph ROUTERS: the links of a random graph of degree 8, by pairing ends and exchanging those of loops and of
# double links.
random_graph() {
    awk -v n="$1" 'function draw(m) { s = (s * 16807) % 2147483647; return s % m }
        BEGIN {
            s = n
            m = 4 * n
            for (i = 0; i < 2 * m; i++) end[i] = i % n
            for (i = 2 * m - 1; i > 0; i--) { j = draw(i + 1); t = end[i]; end[i] = end[j]; end[j] = t }
            do {
                split("", seen)
                bad = 0
                for (i = 0; i < m; i++) {
                    a = end[2 * i]; b = end[2 * i + 1]
                    key = a < b ? a " " b : b " " a
                    if (a == b || key in seen) {
                        j = 2 * draw(m) + 1; end[2 * i + 1] = end[j]; end[j] = b; bad++
                    } else
                        seen[key] = 1
                }
            } while (bad)
            for (i = 0; i < m; i++) print end[2 * i], end[2 * i + 1]
        }'
}

# trace PATTERN TASKS BYTES ROUNDS: assembles $scratch/PATTERN-TASKS-BYTES.vef.
#   halo       exchange with the four neighbours in the squarest torus of the tasks
#   permuted   every task sends to one other, by another permutation in each round
trace() {
    awk -v pattern="$1" -v n="$2" -v bytes="$3" -v rounds="$4" '
        function draw(m) { s = (s * 16807) % 2147483647; return s % m }
        function at(x, y) { return (x + w) % w + ((y + n / w) % (n / w)) * w }
        function exchange(p, tag, to, other, i) {
            print "Irecv from=" p " tag=" other " request=" i " bytes=" bytes
            print "Isend to=" to " tag=" tag " request=" i + 1 " bytes=" bytes
        }
        BEGIN {
            for (w = int(sqrt(n)); n % w; w--);
            s = n + 1
            for (k = 0; k < rounds && pattern == "permuted"; k++) {
                for (i = 0; i < n; i++) to[k, i] = i
                for (i = n - 1; i > 0; i--) { j = draw(i + 1); t = to[k, i]; to[k, i] = to[k, j]; to[k, j] = t }
                for (i = 0; i < n; i++) from[k, to[k, i]] = i
            }
            print "vef-trace 1\ntasks " n
            for (t = 0; t < n; t++) {
                print "task " t
                for (k = 0; k < rounds; k++)
                    if (pattern == "halo") {
                        x = t % w; y = int(t / w)
                        exchange(at(x + 1, y), 0, at(x + 1, y), 1, 0)
                        exchange(at(x - 1, y), 1, at(x - 1, y), 0, 2)
                        exchange(at(x, y + 1), 2, at(x, y + 1), 3, 4)
                        exchange(at(x, y - 1), 3, at(x, y - 1), 2, 6)
                        print "Waitall requests=0,1,2,3,4,5,6,7"
                    } else if (pattern == "permuted") {
                        exchange(from[k, t], 0, to[k, t], 0, 0)
                        print "Waitall requests=0,1"
                    } else
                        print pattern " bytes=" bytes
            }
        }' >"$scratch/text"
    "$vef" assemble --force -o "$scratch/$1-$2-$3.vef" "$scratch/text" >"$scratch/out" 2>&1 ||
        { cat "$scratch/out" >&2; exit 1; }
}

# The network of a row: as many routers with endpoints as tasks, 1 Gbit/s, a hop of 5 cycles.
network() {
    case $1-$2 in
    torus-64) echo '{family: torus, sizes: [8, 8]}' ;;
    torus-256) echo '{family: torus, sizes: [16, 16]}' ;;
    torus-1024) echo '{family: torus, sizes: [16, 8, 8]}' ;;
    torus-16384) echo '{family: torus, sizes: [32, 32, 16]}' ;;
    tree-64) echo '{family: kary-ntree, k: 4, n: 3}' ;;
    tree-256) echo '{family: kary-ntree, k: 4, n: 4}' ;;
    tree-1024) echo '{family: kary-ntree, k: 4, n: 5}' ;;
    tree-16384) echo '{family: kary-ntree, k: 4, n: 7}' ;;
    random-*)
        random_graph "$2" >"$scratch/random-$2.txt"
        echo "{family: edges, file: $scratch/random-$2.txt}"
        ;;
    esac
}

# run TRACE TOPOLOGY [--set ...]: "simulated ms, seconds, MB" of a replay.
run() {
    name=$1
    topology=$2
    shift 2
    echo - >"$scratch/memory"
    begin=$(date +%s%N)
    # shellcheck disable=SC2086 # no or several words
    $timer "$vef" replay "$scratch/$name.vef" --threads 1 --json \
        --net "{topology: $topology, link: {delay_cycles: 5}}" "$@" >"$scratch/out" 2>"$scratch/err" ||
        { cat "$scratch/err" >&2; exit 1; }
    end=$(date +%s%N)
    sed -n 's/^  "time_ns": \([0-9.]*\),$/\1/p' "$scratch/out" |
        awk -v ns=$((end - begin)) -v kb="$(cat "$scratch/memory")" \
            '{ printf "%.6f %.2f %s\n", $1 / 1e6, ns / 1e9, kb == "-" ? kb : int(kb / 1024) }'
}

row() {
    trace "$3" "$2" "$4" "$5"
    topology=$(network "$1" "$2")
    name=$3-$2-$4
    echo "$1 $2 $3 $4 $(run "$name" "$topology") $(run "$name" "$topology" --set model=flow)" \
        "$(run "$name" "$topology" --set model=flow --set flow.paths=4)"
}

cat <<'END'
# The flow model beside the router model

`model: flow` replays the network files of the router model without packets and queues: messages share links max-min fairly
([`netmodel/flow/flow.h`](../../netmodel/flow/flow.h) has the rules). After reading this page you know how far its times are from
those of routers, and what it costs. `make flow` measures it again.

    vef replay app.vef --net cluster.yaml --set model=flow

A message alone in the network arrives in the same cycle as with routers (`tests/netmodel/test_flow.c`). Under contention the
models differ. Each row is a trace without computation, so that the network alone decides, with one task per endpoint, default
routing and queues, links of 1 Gbit/s, 5 cycles a hop and one thread. In `halo` tasks exchange messages with four neighbours, in
`permuted` with a random task in each round; the others are collectives (MPICH's algorithms). The random graphs have degree 8.
Errors are those of the simulated time against the router model; "4 paths" is `--set flow.paths=4`.

| network | tasks | traffic | bytes | routers ms | s | flow error | s | 4 paths error | s |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
END
for tasks in 64 256 1024; do
    for network in torus tree random; do
        row "$network" $tasks halo 1024 10
        row "$network" $tasks halo 65536 3
        row "$network" $tasks permuted 1024 5
        row "$network" $tasks permuted 65536 3
        row "$network" $tasks Allreduce 65536 2
        [ $tasks -gt 256 ] || row "$network" $tasks Alltoall 1024 1
    done
done >"$scratch/rows" || exit 1
awk '{
    if (NF != 13) { print "a measurement is missing: " $0 >"/dev/stderr"; exit 1 }
    printf "| %s | %d | %s | %d | %.3f | %.2f | %+.1f %% | %.2f | %+.1f %% | %.2f |\n", $1, $2, $3, $4, $5, $6,
        100 * ($8 / $5 - 1), $9, 100 * ($11 / $5 - 1), $12
}' "$scratch/rows" || exit 1
echo
awk 'function abs(x) { return x < 0 ? -x : x }
    { count[$1]++; one[$1] += abs($8 / $5 - 1); four[$1] += abs($11 / $5 - 1) }
    END {
        text = "Mean of the absolute errors"
        split("torus tree random", names)
        for (i = 1; i <= 3; i++) {
            n = names[i]
            text = text sprintf("%s %s %.1f %% (4 paths: %.1f %%)", i > 1 ? "," : ":", n, 100 * one[n] / count[n],
                100 * four[n] / count[n])
        }
        print text "."
    }' "$scratch/rows"
cat <<'END'

How to read it:

- Where an endpoint's own bandwidth, or that of single links, is the limit, the two agree.
- Packets that wait for one output block those behind them that want another (head-of-line blocking). Flows do not: where
  queues block each other much, the flow model is too fast. The trees here have one virtual channel and accept 0.58 phits per
  cycle and endpoint of uniform traffic, where their links could carry 1 (`vef load --saturation`). In the random graphs packets
  that find the adaptive channels full take the up*/down* escape, whose root is soon congested; flows never take an escape.
  So compare the saturation of a network with the bound of its links (`vef topology`) before you trust its flows.
- A message keeps the path that it took when it began, by the flows on the links at that time; adaptive packets choose again
  at every hop. Several paths for each message balance loads better than routers do, or as well as adaptive ones (torus).
- Many short messages are no cheaper as flows than as packets (Alltoall). The flow model pays off for messages of many packets.

## 16,384 tasks

| network | traffic | bytes | messages | simulated ms | s | MB |
| --- | --- | --- | --- | --- | --- | --- |
END
for network in torus tree; do
    for traffic in "halo 1024 10" "halo 1048576 10" "permuted 65536 5" "Allreduce 1048576 2"; do
        # shellcheck disable=SC2086 # pattern, bytes, rounds
        set -- $traffic
        trace "$1" 16384 "$2" "$3"
        echo "$network $1 $2 $(run "$1-16384-$2" "$(network $network 16384)" --set model=flow)" \
            "$(sed -n 's/^  "messages": \([0-9]*\),$/\1/p' "$scratch/out")"
        rm -f "$scratch/$1-16384-$2.vef"
    done
done | awk '{
    if (NF != 7) { print "a measurement is missing: " $0 >"/dev/stderr"; exit 1 }
    printf "| %s | %s | %d | %d | %.3f | %.1f | %d |\n", $1, $2, $3, $7, $4, $5, $6
}' || exit 1
