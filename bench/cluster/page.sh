#!/bin/sh
# Writes docs/results/cluster.md to stdout, from the results of run.sh, fit.sh and predict.sh.
#
#   sh page.sh RUN
set -eu
export LC_ALL=C
run=$1
here=$(dirname "$(realpath "$0")")
table() { awk -v part="$1" -f "$here/table.awk" "$run/measured.csv" "$run/predicted.csv"; }
cat <<'END'
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
  range: two repetitions, while other programs ran at the lowest priority. All nodes share the two cores of one machine.
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
Networks differ in topology and in rates of links: 40 Mbit/s in the star and the tree, 20 in the ring, 10 in the tori.

END
table pairs
cat <<'END'

## What was found

The aims were a median error of 5 %, no error above 15 % without an explanation, and 95 % of pairs in the right order. Only the last
one is reached, for networks. Each of the following was found by changing one thing, in the real network or in the model:

- **Cores.** Most errors are negative: tasks wait for the two cores. Capture records it: tasks of Open MPI, which poll and yield, waited
  80 % of the time on the star, those of MPICH 48 %. So each step of a collective costs a turn, and programs of many small messages on
  fast links (`halo2d`, `bfs` on the star and the tree) are 20 to 50 % too short. `host.shared_cores` has the work of messages, not that
  of polls. With links a quarter as fast, smaller problems, and 4 instead of 32 polls before a task waits in the kernel (60 runs on star,
  torus and ring), the median error of the flow model is 5 instead of 33 % for `halo2d`, 6 instead of 12 % for `wavefront`, and 17
  instead of 34 % for `bfs`.
- **Token buckets.** `tbf` lets two frames pass a link that was idle. `npb-cg` on the torus, random, sends messages of two frames and took
  3.3 s, with buckets of one frame 3.9 to 4.4 s. Flows predict 4.4 s without `flow.burst` and 3.2 s with 3028 B. Routers have no such
  key: their times of `npb-cg` are up to 47 % too long.
- **Connections side by side.** TCP serves the messages of a node to different nodes at once, and those to one node in order. The flow
  model served all in order: an all-to-all on the ring, which then uses one direction at a time, was predicted 50 % too long. With deep
  queues instead, messages of one pair shared the links (`wavefront` on the torus: 200 % too long). `flow.sources: by-destination`
  has both rules.
- **Queues.** A queue of `tbf` is as long as needed, and first in, first out. With default queues of routers `fft3d` on the star took
  80 % too long: packets waited behind those for busy nodes. Long queues for each output, and a router of its own for each endpoint
  of the star and the tree, take that away. Priority for packets in transit, the default, makes collectives on the ring too short:
  `npb-ft`, measured 2.63 s, 1.89 s with priority and 2.15 s without.
- **Headers and acknowledgements.** One-way streams agree with 1448 of 1514 bytes per frame within 0.1 %. Simultaneous exchanges
  of up to 16 KiB take 2 % longer: a frame of 66 bytes for every second one of the other direction.

Excluded: the set-up of connections (on the ring, with all connections made before the time began, `npb-ft` took 2.59 instead of 2.63 s,
`bfs` 2.77 instead of 2.58 s), and windows of TCP (`congestion.policy: window` in the router model changed nothing).

Not modelled: polls, the scheduler of the operating system, and in the flow model shares of links by packets instead of max-min.
After an all-to-all on the ring tasks are done after 84 to 270 ms; flows end together. Where all wait for the last one (`npb-ft`, `bfs`)
the flow model is therefore 7 to 38 % too short; where all-to-alls follow each other (`fft3d`), 6 % in the median.

Wrong pairs of mappings are mostly all-to-alls (`fft3d`, `npb-ft`, `sort`, `bfs`), whose measured times differ by 1 to 15 % and whose
loads hardly depend on the mapping; in the router model also `npb-cg`, for want of token buckets.

## All runs

END
table all
