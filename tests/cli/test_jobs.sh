#!/bin/sh
# `vef replay --job`: a job alone is a plain replay to the cycle, on several networks, presets and hosts; several jobs
# of a command line and of a file; placements; who loads whose links; what is refused, and in which words.
set -u
. tests/command.sh
. "$here/tests/cli/jobs.sh"

program stencil 16 'Allreduce bytes=8 elements=1 gap=20000' 'Alltoall bytes=2048 gap=5000' 'Alltoall bytes=2048' 'Bcast root=3 bytes=30000'
program gather 4 'Allgather bytes=20480' 'Allgather bytes=20480' 'Allgather bytes=20480'
program all 8 'Alltoall bytes=8192' 'Alltoall bytes=8192'

torus='{topology: {family: torus, sizes: [8, 4]}}'
twisted='{topology: {family: rtt, a: 4}}'
dragonfly='{topology: {family: dragonfly, a: 4, h: 2, endpoints_per_router: 2}}'
flow='{model: flow, topology: {family: torus, sizes: [8, 4]}}'

# figure KEY: the first number with that key in the JSON of the last command.
figure() {
    sed -n "s/^ *\"$1\": \([0-9.]*\).*/\1/p" out | head -1
}

# same JOB NET [OPTIONS]: the job alone takes as long as a plain replay with its mapping.
same() {
    vef 0 replay "$1" --net "$3" --map "$2" ${4:+--set "$4"} ${5:+--set "$5"} --json
    plain=$(figure time_cycles)
    vef 0 replay --job "$1,map=$2" --net "$3" ${4:+--set "$4"} ${5:+--set "$5"} --json
    [ "$(figure time_cycles)" = "$plain" ] || fail "$*: $(figure time_cycles) as a job, $plain plainly"
}
for net in "$torus" "$twisted" "$dragonfly" "$flow" '{model: ideal}' '{model: loggp}'; do
    same stencil.vef identity "$net"
    same gather.vef 'random(3)' "$net"
done
same stencil.vef block "$torus" host.cores=4
same stencil.vef block "$torus" host.cores=4 'host.memory_time=1 us'
same stencil.vef greedy "$dragonfly" mpi.preset=openmpi
same all.vef 'anneal' "$torus" mpi.preset=mpich 'host.send_overhead=500 ns'
same stencil.vef identity "$torus" mpi.bcast=hardware
same stencil.vef identity "$torus" 'host.gap=2 us'
same all.vef cyclic "$torus" host.cores=2 'mpi.eager_threshold=1 KiB'

# Without a mapping a job fills the nodes of its placement in order; all nodes of a torus in order are its identity.
vef 0 replay stencil.vef --net "$torus" --json
plain=$(figure time_cycles)
vef 0 replay --job stencil.vef --net "$torus" --json
[ "$(figure time_cycles)" = "$plain" ] || fail "contiguous: $(figure time_cycles), identity $plain"

# Two jobs on rows of a mesh without a common link: each as alone.
mesh='{topology: {family: mesh, sizes: [8, 2]}, routing: {algorithm: dor}}'
vef 0 replay --job all.vef --job all.vef --net "$mesh" --csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["slowdown"] != 1 { exit 1 }' out || fail "rows: $(cat out)"
[ "$(cut -d, -f1 out | tr '\n' ' ')" = 'job all all-2 ' ] || fail "names: $(cat out)"
vef 0 replay --job all.vef --job all.vef --net "$mesh" --json
awk '/"shared_links": [1-9]/ { exit 1 }' out || fail 'links shared on disjoint rows'

# The phits of jobs on links are those of the network, whatever the number of threads.
vef 0 replay --job stencil.vef,place=random --job gather.vef --job all.vef,start='30 us',place='random(7)' --net "$torus" --threads 1 --json
mv out one
vef 0 replay --job stencil.vef,place=random --job gather.vef --job all.vef,start='30 us',place='random(7)' --net "$torus" --threads 4 --json
cmp -s one out || fail 'results depend on --threads'
grep -q '"slowdown": 1\.[0-9]' out || fail "nobody is slowed down: $(grep slowdown out)"
# 30 us of cycles of 32 ns: 937.5
grep -q '"start_cycles": 937.5' out || fail "start: $(grep start_cycles out)"

# The same jobs from a file, whose traces are beside it.
mkdir -p sub
cp ./*.vef sub
cat >sub/jobs.yaml <<'END'
jobs:
  - {trace: stencil.vef, place: random}
  - trace: gather.vef
  - {trace: all.vef, start: 30 us, place: random(7)}
END
vef 0 replay --jobs sub/jobs.yaml --net "$torus" --json
sed 's,"trace": "sub/,"trace": ",' out | cmp -s - one || fail 'a file of jobs differs from the command line'
vef 0 replay --jobs sub/jobs.yaml --net "$torus"
grep -q '^busiest shared links' out || fail "report: $(cat out)"
vef 0 replay --jobs sub/jobs.yaml --net "$torus" --no-alone --per-link --csv
head -1 out | grep -q '^router,port,to,utilization,phits_stencil,phits_gather,phits_all$' || fail "links: $(head -1 out)"

# place=group: whole groups of the dragonfly (8 endpoints each): none is shared by jobs of 8 tasks.
vef 0 replay --job gather.vef,place=group --job all.vef,place=group --job all.vef,place=group --net "$dragonfly" --no-alone --json
sed -n 's/^ *"endpoints": .\(.*\)].*/\1/p' out | awk -F', *' '{ for (i = 1; i <= NF; i++) print NR, int($i / 8) }' | sort -u >groups
if [ "$(wc -l <groups)" -ne 3 ] || [ "$(cut -d' ' -f2 groups | sort -u | wc -l)" -ne 3 ]; then
    fail "groups: $(cat groups)"
fi

# place=file and a mapping within its endpoints: the reverse of the identity of four.
printf '9\n17 # here\n\n25\n31\n' >list.txt
printf '3\n2\n1\n0\n' >reverse.txt
vef 0 replay --job 'gather.vef,place=file(list.txt),map=file(reverse.txt)' --job all.vef --net "$torus" --no-alone --json
grep -q '"endpoints": \[31, 25, 17, 9\]' out || fail 'endpoints of a file'

# The causes of each job's time add up to it; those of a job alone are those of a plain replay.
vef 0 replay --job stencil.vef,place=random --job all.vef,start='20 us' --job rate=0.2 --net "$torus" --explain --csv
awk -F, 'NR == 1 { n = NF; next }
    { sum = 0; for (i = 5; i <= n; i++) sum += $i; if (sum - $4 > 1 || $4 - sum > 1) exit 1; rows++ }
    END { if (rows != 4) exit 1 }' out || fail "causes: $(cat out)"
vef 0 replay all.vef --net "$torus" --map block --explain --once --json
awk '/"contention": [0-9]/ { sum += $2 } END { printf "%.1f", sum / 8 }' out >wanted
vef 0 replay --job all.vef --net "$torus" --explain --csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.1f", $at["contention"] }' out >found
cmp -s found wanted || fail "contention: $(cat found), plainly $(cat wanted)"

# refused STATUS WORDS ARGUMENTS…
refused() {
    words=$1
    shift
    vef 2 replay "$@"
    grep -q -e "$words" err || fail "expected '$words' for: $*; found: $(cat err)"
}
refused 'job all: task 0 is at endpoint 0, which belongs to job gather (its task 0): jobs must not overlap' --job gather.vef,map=identity --job all.vef,map=identity --net "$torus"
refused '16 nodes are needed, but only 8 of 32 are free' --job stencil.vef --job all.vef --job stencil.vef --net "$torus"
refused 'job gather: list.txt:1: endpoint 9 is out of range: expected 0 to 7' --job 'gather.vef,place=file(list.txt)' --net '{topology: {family: mesh, sizes: [8]}}'
refused "unknown placement 'groups': did you mean group" --job gather.vef,place=groups --net "$torus"
refused "unknown key 'strat': did you mean start" --job gather.vef,strat=2 --net "$torus"
refused 'start: given twice' --job gather.vef,start='1 us',start='2 us' --net "$torus"
refused 'missing TRACE: expected a trace, or --job' --net "$torus"
refused 'not supported with jobs: expected --job all.vef' --job gather.vef all.vef --net "$torus"
refused '--timeline and --job: not supported together: expected a replay of a single TRACE' --job gather.vef --timeline x.json --net "$torus"
refused '--map and --job: not supported together: expected the key `map` of a job' --job gather.vef --map random --net "$torus"
refused 'another job has it' --job gather.vef,name=x --job all.vef,name=x --net "$torus"
printf 'jobs:\n  - trace: gather.vef\n    plase: random\n' >bad.yaml
refused "bad.yaml:3:5: job: unknown key 'plase': did you mean place" --jobs bad.yaml --net "$torus"
printf 'jobs: {trace: gather.vef}\n' >bad.yaml
refused 'bad.yaml:1:7: jobs: expected a list' --jobs bad.yaml --net "$torus"
printf 'jobs: []\n' >bad.yaml
refused 'no jobs' --jobs bad.yaml --net "$torus"
: >empty.vef
refused 'empty.vef' --job empty.vef --net "$torus"

# Background traffic: on the endpoints without a job; it disturbs, its phits are counted, and threads do not matter.
vef 0 replay --job stencil.vef,place=random --job pattern=uniform,rate=0.3 --net "$torus" --threads 1 --json
mv out one
vef 0 replay --job stencil.vef,place=random --job pattern=uniform,rate=0.3 --net "$torus" --threads 3 --json
cmp -s one out || fail 'background traffic depends on --threads'
prints '"endpoints": 16'
prints '"saturated": "no"'
[ ! -s err ] || fail "words about background traffic: $(cat err)"
awk '/"slowdown"/ { gsub(/,/, ""); if ($2 <= 1) exit 1 }' out || fail 'background traffic does not disturb'
# Samples are those of jobs and background traffic together.
vef 0 replay --job gather.vef --job pattern=uniform,rate=0.5,until='100 us' --net "$torus" --sample '50 us' --csv
awk -F, 'NR > 1 && NR < 4 && ($3 < 0.1 || $3 > 0.6) { exit 1 } NR == 3 { last = $3 } NR == 4 && $3 > last / 2 { exit 1 }' out ||
    fail "samples: $(head -5 out)"
# More than the network takes ends with the job, and is reported.
vef 0 replay --job gather.vef --job 'pattern={pattern: uniform},rate=2,name=hot' --net "$torus" --json
says 'warning: job hot saturates the network'
grep -q '"saturated": "yes"' out || fail 'saturation'
# A job that is stuck ends beside traffic that does not.
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >stuck.txt
vef 0 assemble stuck.txt -o stuck.vef
vef 1 replay --job stuck.vef --job pattern=uniform,rate=0.2 --net "$torus"
says 'stalled (no-send): task 1, event 1 (MPI_Recv)'
cat >sub/noisy.yaml <<'END'
jobs:
  - {trace: gather.vef}
  - pattern: {pattern: hot-region, share: 0.5, part: 0.4}
    process: {process: bursts, messages: 4}
    rate: 0.2
    lengths: 0.5:16,0.5:64
    endpoints: 10
    place: random(3)
    start: 10 us
    until: 500 us
END
vef 0 replay --jobs sub/noisy.yaml --net "$torus" --csv
[ "$(wc -l <out)" -eq 2 ] || fail "rows: $(cat out)"
refused 'networks of model ideal have no links to load' --job gather.vef --job rate=0.1 --net '{model: ideal}'
refused 'no jobs: expected at least one with a trace' --job rate=0.1 --net "$torus"
refused "unknown traffic pattern 'unifrom': did you mean uniform" --job gather.vef --job pattern=unifrom,rate=0.1 --net "$torus"
refused "key 'rate' is missing" --job gather.vef --job pattern=uniform --net "$torus"
refused '30 nodes are needed, but only 28 of 32 are free' --job gather.vef --job rate=0.1,endpoints=30 --net "$torus"
refused 'endpoint 3 belongs to job gather: jobs must not overlap' --job gather.vef --job 'rate=0.1,endpoints=2,place=file(reverse.txt)' --net "$torus"

# A job that waits for ever is a stall, of its tasks' numbers and names.
vef 1 replay --job all.vef --job stuck.vef --net "$torus"
grep -q 'stalled (no-send): task 9, event 1 (MPI_Recv)' err || fail "stall: $(cat err)"
grep -q 'tasks 8 to 9 are those of job stuck' out || fail "names of a stall: $(cat out)"
[ $failures -eq 0 ]
