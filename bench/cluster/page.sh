#!/bin/sh
# Writes docs/results/cluster.md to stdout, from the results of run.sh, fit.sh and predict.sh.
#
#   sh page.sh RUN
set -eu
export LC_ALL=C
run=$1
here=$(dirname "$(realpath "$0")")
# Repetitions of plain runs: "2", or "1 to 2".
repetitions=$(awk -F, 'NR > 1 && $6 == 0 { n[$1 "," $2 "," $3 "," $4]++ }
    END { for (k in n) { if (!least || n[k] < least) least = n[k]; if (n[k] > most) most = n[k] }
        print least == most ? most : least " to " most }' "$run/measured.csv")
table() { awk -v part="$1" -f "$here/table.awk" "$run/measured.csv" "$run/predicted.csv"; }
sed "s/REPETITIONS/$repetitions/" <<'END'
# A cluster in a box

After reading this page you know how far predictions are from times measured on real networks of 16 nodes. As root,

    make cluster

builds the networks from their vef descriptions, checks them, runs nine programs on them with two MPI libraries, and predicts every
run. `sh bench/cluster/page.sh build/cluster` then prints this page.

## How it is made

- **Networks** (`bench/cluster/networks/`): a star, a ring, an oversubscribed tree, a 4x4 torus and a 4x4 twisted torus. Each router and
  each endpoint is a Linux network namespace, each link a pair of virtual Ethernet interfaces with `tbf` at the rate of the link in both
  directions, and routes are those of the description. `bench/cluster/build.sh` has the settings of TCP.
- **Programs**: the six examples, and CG, FT and MG of the NAS Parallel Benchmarks; MPICH 4.0.2 and Open MPI 4.1.4 over TCP; tasks
  in order (`linear`) and at random (`random`).
- **Measured**: from the last task's return from MPI_Init to the last call of MPI_Finalize; the median of the repetitions, and half their
  range: REPETITIONS repetitions. All nodes share the two cores of one machine, so links are slow: 16 Mbit/s in the
  star and the tree, 8 in the ring, 4 in the tori.
- **Predicted**: one capture of each program and library on the star, with CPU time as computation, replayed on every network with every
  mapping, by `model: flow` and `model: router`. The nodes are fitted to two other measurements (`bench/cluster/fit.sh`): `vef fit
  pingpong --net` between two nodes without limits, and a ring of 8 B messages among all, for the work of 16 nodes on two cores.
  `bench/cluster/predict.sh` has all keys that differ from the descriptions, with reasons.

## Errors

END
table summary
cat <<'END'

Absolute errors; the last columns count the combinations of network, program, library and mapping above 15 %.

## Which is faster

Of all pairs of runs of a program with a library, those whose measured medians differ by more than the sum of both spreads are `apart`.
Networks differ in topology and in rates of links.

END
table pairs
cat <<'END'

## What was found

The aims were a median error of 5 %, no error above 15 % without an explanation, and 95 % of pairs in the right order. Only the last
one is reached, for networks and by the router model. Each of the following was found by changing one thing, in the real network or in
the model:

- **Cores.** With links of 40, 20 and 10 Mbit/s and tasks that polled 32 times before they waited in the kernel, tasks on the star waited
  for a core 48 % (MPICH) to 80 % (Open MPI) of the time, and both models were 20 to 50 % too short for programs of many small messages.
  The links are now slower, and tasks wait after 4 polls: both libraries take the same time within a few percent. `host.shared_cores`
  has the work of messages, not that of polls.
- **Token buckets.** `tbf` lets what its bucket holds pass a link that was idle, and it must hold a frame: a message of one frame alone
  takes no time to be sent. With buckets of two frames `npb-cg` on the torus, random, took 7.9 s, with one frame 8.4 s. The flow
  model has `link.burst`. The router model has no such key, so its times of programs with messages of one or two frames (`halo2d`,
  `npb-mg`, `npb-cg`) are 3 to 58 % too long on the torus. A packet that is delivered with its head instead of its tail would be the same.
- **All-to-alls.** Max-min sharing lets the flows of an all-to-all end together; real queues, first in, first out, do not: on the ring
  tasks were done after 84 to 270 ms. Where all wait for the last one (`fft3d`, `npb-ft`) flows are 8 to 30 % too short on the
  ring and the tori; routers, whose queues are such queues, are off by at most 12 % on the tori and the tree.
- **Connections side by side.** TCP serves the messages of a node to different nodes at once, and those to one node in order. The flow
  model served all in order: an all-to-all on the ring, which then uses one direction at a time, was predicted 50 % too long. With deep
  queues instead, messages of one pair shared the links (`wavefront` on the torus: 200 % too long). `flow.sources: by-destination`
  has both rules.
- **Queues.** A queue of `tbf` is as long as needed, and first in, first out. With default queues of routers `fft3d` on the star took
  80 % too long: packets waited behind those for busy nodes. Long queues for each output, and a router of its own for each endpoint
  of the star and the tree, take that away. Priority for packets in transit, the default, makes collectives on the ring too short:
  `npb-ft` (links of 20 Mbit/s), measured 2.63 s, 1.89 s with priority and 2.15 s without.
- **Headers and acknowledgements.** One-way streams agree with 1448 of 1514 bytes per frame within 0.3 %. Simultaneous exchanges
  take 2 % longer: a frame of 66 bytes for every second one of the other direction.

Excluded: the set-up of connections (on the ring, with all connections made before the time began, `npb-ft` took 2.59 instead of 2.63 s),
and windows of TCP (`congestion.policy: window` in the router model changed nothing).

Open: `bfs`, whose time is collectives of a few bytes between messages of some KiB, is 14 to 35 % too short in both models; `cg` and
`sort` on the star, 16 to 23 %. `wavefront` with routers is up to 24 % too long, perhaps for want of buckets; `npb-ft` on the ring from
-22 to +20 %.

## All runs

END
table all
