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
run.

## How it is made

- **Networks** (`bench/cluster/networks/`): a star, a ring, an oversubscribed tree, a 4x4 torus and a 4x4 twisted torus. Each router and
  each endpoint is a Linux network namespace, each link a pair of virtual Ethernet interfaces with `tbf` at the rate of the link in both
  directions, and routes are those of the description. `bench/cluster/build.sh` has the settings of TCP.
- **Programs**: the six examples, and CG, FT and MG of the NAS Parallel Benchmarks; MPICH 4.0.2 and Open MPI 4.1.4 over TCP; tasks
  in order (`linear`) and at random (`random`).
- **Measured**: from the last task's return from MPI_Init to the last call of MPI_Finalize; the median of the repetitions, and half their
  range. All nodes share the two cores of one machine.
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

END
table pairs
cat "$here/findings.md"
printf '\n## All runs\n\n'
table all
