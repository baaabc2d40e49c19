#!/bin/sh
# Batches of `vef replay`: the schedules of first come, first served and of EASY backfilling against schedules by hand, on
# a network in which nothing but computation takes time; placements of jobs while others run; what is refused.
set -u
. tests/command.sh
. "$here/tests/cli/jobs.sh"

# computes NAME TASKS NS: a program that computes for so long.
computes() {
    {
        printf 'vef-trace 1\ntasks %d\n' "$2"
        task=0
        while [ $task -lt "$2" ]; do
            printf 'task %d\nInit\nFinalize gap=%d\n' $task "$3"
            task=$((task + 1))
        done
    } >"$1.txt"
    vef 0 assemble "$1.txt" -o "$1.vef"
}
computes a 6 100000
computes b 8 100000
computes c 4 80000
computes d 4 200000
computes e 2 500000

# A cycle is 1 ns, and the machine has 10 nodes.
ideal='{model: ideal, link: {bandwidth: 32 Gbit/s, phit: 4 B}}'
cat >batch.yaml <<'END'
batch: easy
endpoints: 10
jobs:
  - {trace: e.vef, arrival: 30 us, estimate: 500 us}
  - {trace: a.vef, arrival: 0 us, estimate: 100 us}
  - {trace: b.vef, arrival: 10 us, estimate: 100 us}
  - {trace: c.vef, arrival: 20 us, estimate: 80 us}
  - {trace: d.vef, arrival: 25 us, estimate: 200 us}
END

# schedule FILE POLICY EXPECTED: job, wait, start and end of each, in microseconds.
schedule() {
    vef 0 replay --jobs "$1" --batch "$2" --net "$ideal" --csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s:%g-%g ", $at["job"], $at["start_cycles"] / 1000, $at["end_cycles"] / 1000
          if ($at["wait_cycles"] != $at["start_cycles"] - $at["arrival_cycles"] || $at["slowdown"] != 1) print "wrong" }' out >found
    [ "$(cat found)" = "$3 " ] || fail "$1 by $2: $(cat found), expected $3"
}

# B waits for A; C, D and E, who came later, fit beside each other when B has ended.
schedule batch.yaml fcfs 'e:200-700 a:0-100 b:100-200 c:200-280 d:200-400'
# C ends when B can start, at 100. Then D, the first to wait, needs B's end at 200, when 6 nodes beyond its own are free: E
# may take the two that are left.
schedule batch.yaml easy 'e:100-600 a:0-100 b:100-200 c:20-100 d:200-400'

# The utilisation: (6 100 + 8 100 + 4 80 + 4 200 + 2 500) / (10 600) nodes and microseconds; C, D, E and A are there first.
vef 0 replay --jobs batch.yaml --net "$ideal" --json
awk '/"utilization_mean"/ { gsub(/,/, ""); if ($2 < 0.58666 || $2 > 0.58667) exit 1 }' out || fail "utilisation: $(grep utilization_mean out)"
# What each moment has: nodes in use, and jobs that wait.
awk '/"begin_cycles"/ { gsub(/,/, ""); c = $2 } /"busy_nodes"/ { gsub(/,/, ""); b = $2 } /"waiting_jobs"/ { gsub(/,/, ""); printf "%d:%d:%d ", c, b, $2 }' out >moments
[ "$(cat moments)" = '0:6:0 10000:6:1 20000:10:1 25000:10:2 30000:10:3 100000:10:1 200000:6:0 400000:2:0 600000:0:0 ' ] || fail "moments: $(cat moments)"

# C estimates 81 us, and would delay B by the estimates: two nodes will be extra at 100, and it needs four. E takes those two.
sed 's/estimate: 80 us/estimate: 81 us/' batch.yaml >late.yaml
schedule late.yaml easy 'e:30-530 a:0-100 b:100-200 c:200-280 d:200-400'
# A estimates twice its time: C fits well before B's shadow time, and B starts as soon as it can all the same.
sed '/a.vef/s/estimate: 100 us/estimate: 200 us/' late.yaml >early.yaml
schedule early.yaml easy 'e:100-600 a:0-100 b:100-200 c:20-100 d:200-400'

# C comes at 60 and says 10 us. If A says 70 us, C may start, and delays B when it runs for 80. If A says 50 us, it may end
# at any time from now on, and C has to wait.
for says in 70 50; do
    cat >outlived.yaml <<END
endpoints: 10
jobs:
  - {trace: a.vef, estimate: $says us}
  - {trace: b.vef, estimate: 100 us, arrival: 10 us}
  - {trace: c.vef, estimate: 10 us, arrival: 60 us}
END
    case $says in
    70) schedule outlived.yaml easy 'a:0-100 b:140-240 c:60-140' ;;
    50) schedule outlived.yaml easy 'a:0-100 b:100-200 c:200-280' ;;
    esac
done

# A job of four tasks on nodes of two needs two of them.
printf 'batch: fcfs\nendpoints: 3\njobs: [{trace: c.vef}, {trace: d.vef}]\n' >cores.yaml
vef 0 replay --jobs cores.yaml --net "$ideal" --set host.cores=2 --csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%d:%d ", $at["nodes"], $at["start_cycles"] }' out >found
[ "$(cat found)" = '2:0 2:80000 ' ] || fail "nodes of two cores: $(cat found)"

# On a dragonfly of nine groups of eight endpoints, of two on each router: a group is 48 pairs one hop apart and 8 of
# endpoints of one router, of 56. In random places the same job has more groups.
dragonfly='{topology: {family: dragonfly, a: 4, h: 2, endpoints_per_router: 2}}'
program all 8 'Alltoall bytes=8192' 'Alltoall bytes=8192'
program most 60 'Allreduce bytes=8 elements=1' 'Allreduce bytes=8 elements=1'
vef 0 replay --batch fcfs --job all.vef,place=group --job all.vef,place=group,arrival='1 us' --job all.vef,place='random(4)',arrival='2 us' --job most.vef,arrival='3 us' --net "$dragonfly" --threads 1 --csv
# The job of sixty tasks needs the nodes of two of the three that are there: it starts when the second of them ends.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    NR < 4 && ($at["groups"] != 1 || $at["mean_hops"] < 0.85714 || $at["mean_hops"] > 0.85715) { exit 1 }
    NR == 4 && ($at["groups"] < 2 || $at["mean_hops"] <= 1) { exit 1 }
    NR < 5 && $at["wait_cycles"] != 0 { exit 1 }
    NR < 5 { end[NR] = $at["end_cycles"] }
    NR == 5 { for (i in end) before += end[i] <= $at["start_cycles"]; for (i in end) at_once += end[i] == $at["start_cycles"]
              if (before < 2 || at_once < 1 || before - at_once > 1) exit 1 }' out || fail "dragonfly: $(cat out)"
mv out one
vef 0 replay --batch fcfs --job all.vef,place=group --job all.vef,place=group,arrival='1 us' --job all.vef,place='random(4)',arrival='2 us' --job most.vef,arrival='3 us' --net "$dragonfly" --threads 4 --csv
cmp -s one out || fail 'a batch depends on --threads'
vef 0 replay --batch fcfs --job all.vef --job all.vef,place=random --job pattern=uniform,rate=0.2,endpoints=20 --net "$dragonfly"
prints 'policy fcfs, 72 nodes in 9 groups'

# One job of a batch on an empty machine is a plain replay, if it begins with a cycle (of 32 ns).
vef 0 replay all.vef --net "$dragonfly" --map 'block' --json
plain=$(sed -n 's/^ *"time_cycles": \([0-9.]*\),$/\1/p' out | head -1)
vef 0 replay --batch easy --job all.vef,estimate='1 ms',arrival='6.4 us' --net "$dragonfly" --json
grep -q "\"time_cycles\": $plain,\$" out || fail "a batch of one: $(grep time_cycles out), plain $plain"

refused() {
    words=$1
    shift
    vef 2 replay "$@"
    says "$words"
}
refused "missing key .estimate.: policy easy needs" --batch easy --job a.vef --net "$ideal"
refused "unknown batch policy 'backfill': did you mean easy" --batch backfill --job a.vef --net "$ideal"
refused 'arrival: only jobs of a batch have it' --job a.vef,arrival='1 us' --net "$ideal"
refused 'start: not supported in a batch' --batch fcfs --job a.vef,start='1 us' --net "$ideal"
refused 'files are not supported in a batch' --batch fcfs --job 'a.vef,place=file(x)' --net "$ideal"
refused 'job b needs 8 nodes, but only 4 of 4 are for jobs' --batch fcfs --job b.vef --net '{topology: {family: mesh, sizes: [4]}}'
refused 'expected the key .endpoints.' --batch fcfs --job all.vef --job rate=0.1 --net "$dragonfly"
refused '--batch: expected with --job or --jobs' a.vef --batch fcfs --net "$ideal"
printf 'batch: fcsf\njobs: [{trace: a.vef}]\n' >bad.yaml
refused "bad.yaml:1:8: unknown batch policy 'fcsf': did you mean fcfs" --jobs bad.yaml --net "$ideal"

# A job that never ends keeps its nodes: the others wait in vain, which is a stall.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stuck.txt
vef 0 assemble stuck.txt -o stuck.vef
printf 'batch: fcfs\nendpoints: 6\njobs: [{trace: stuck.vef}, {trace: a.vef, arrival: 1 us}]\n' >stuck.yaml
vef 1 replay --jobs stuck.yaml --net "$ideal"
says 'stalled (no-send): task 1, event 1 (MPI_Recv)'

# A study of batches: its points are those of the command, and a trace that changes makes new ones.
printf 'jobs: [{trace: all.vef}, {trace: all.vef, name: later, arrival: 1 us}]\n' >list.yaml
printf "run: jobs\njobs: [list.yaml]\nnetworks: {dragonfly: '%s'}\npolicies: [fcfs]\nplaces: [group, random]\n" "$dragonfly" >study.yaml
vef 0 study study.yaml -o points
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["place"], $at["time_cycles"], ($at["slowdown_mean"] > 0), ($at["wait_max_cycles"] != "") }' points/results.csv >rows
for place in group random; do
    vef 0 replay --jobs list.yaml --batch fcfs --place $place --net "$dragonfly" --json
    cycles=$(sed -n 's/^ *"time_cycles": \([0-9.]*\),$/\1/p' out | head -1)
    grep -qx "$place $cycles 1 1" rows || { cp rows out; fail "the point of $place, $cycles cycles"; }
done
vef 0 study study.yaml -o points --plan
prints '2 points, 0 to run'
cp most.vef all.vef
vef 0 study study.yaml -o points --plan
prints '2 points, 2 to run'
[ $failures -eq 0 ]
