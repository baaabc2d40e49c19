#!/bin/sh
# `vef study --slurm` under Slurm itself (tests/slurm.sh). The tables are those of one undisturbed run, also after a job was
# cancelled in the middle. Skipped where Slurm is missing or cannot start.
set -u
. tests/command.sh

. "$here/tests/slurm.sh"

# ---- an array of two tasks ----

. "$here/tests/cli/study_points.sh"

vef 0 study loads.yaml -o array --slurm 2 --sbatch=--partition=test --sbatch=--cpus-per-task=1
job=$(cat out)
wait_for is_finished
cat array/slurm-"$job"_0.log array/slurm-"$job"_1.log >out 2>err || fail 'no logs of two tasks'
prints '^60 points: 60 done'
same array

# ---- a job that is cancelled in the middle; the same command again runs the rest ----

vef 0 study loads.yaml -o cancelled --slurm 1
job=$(cat out)
wait_for has_lines cancelled 5
scancel --signal=KILL --full "$job" 2>err || true # unless it has just ended
wait_for is_finished
vef 0 study loads.yaml -o cancelled --slurm 2
wait_for is_finished
same cancelled

# ---- what Slurm refuses ----

vef 1 study loads.yaml -o refused --slurm 2 --sbatch=--partition=none
says 'invalid partition'
says 'sbatch failed'
[ $failures -eq 0 ]
