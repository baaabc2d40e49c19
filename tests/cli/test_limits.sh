#!/bin/sh
# Small files do not take the memory or the time of a machine: each limit is stated, checked before the memory is taken, and raised by
# --limit or VEF_LIMITS.
set -u
. tests/command.sh
version=$(sed -n 's/.*VEF_TEXT_VERSION = \([0-9]*\).*/\1/p' "$here"/traces/text/*.h)

# Sanitizers take far more address space than programs use.
# shellcheck disable=SC3045 # of dash and bash
if (ulimit -v 1500000 && "$vef" --version) >/dev/null 2>&1; then
    bounded() { (ulimit -v 1500000 && "$vef" "$@") >out 2>err; }
else
    skip 'the memory that is taken: this program does not start with 1.5 GB of address space'
    bounded() { "$vef" "$@" >out 2>err; }
fi
# exceeds NAME COMMAND…: refused with that limit, and how to raise it.
exceeds() {
    name=$1
    shift
    ran="vef $*"
    bounded "$@"
    status=$?
    cat out >>err # a study prints the reasons of its points
    [ $status -eq 2 ] || [ $status -eq 1 ] || fail "$ran: status $status"
    grep -q "out of range: expected at most [0-9]*, or --limit $name=[0-9]* (or more) or the same in VEF_LIMITS" err || fail "$ran: not the limit $name"
}

# A header declares 16 million tasks, or communicators of all tasks again and again.
text() {
    printf 'vef-trace %s\ntasks %s\n' "$version" "$1"
    shift
    printf '%s\n' "$@"
    printf 'task 0\nInit\nFinalize\n'
}
text 16777216 >tasks.txt
exceeds tasks assemble tasks.txt -o a.vef
grep -q 'tasks.txt:2: 16777216 tasks' err || fail "the place of the limit"
[ ! -e a.vef ] || fail 'a trace beyond the limit'
# shellcheck disable=SC2046 # lines
text 200000 $(awk 'BEGIN { for (i = 1; i < 400; i++) print "comm\001" i "\001parent=0\001by=Comm_dup\001members=0-199999" }') | tr '\001' ' ' >comms.txt
exceeds members assemble comms.txt -o a.vef
{ text 2 && awk 'BEGIN { for (i = 0; i < 40; i++) print "Waitall requests=0-4194303" }' | sed '1i task 1'; } >listed.txt
exceeds listed assemble listed.txt -o a.vef
{ printf 'vef-trace %s\ntasks 99\n' "$version" && awk 'BEGIN { for (i = 0; i < 99; i++) print "task " i "\nthread 65535\nInit" }'; } >threads.txt
exceeds threads assemble threads.txt -o a.vef
# The same for the binary form, read and written, and other sources of traces.
text 4 'comm 1 parent=0 by=Comm_dup members=0-3' >four.txt
vef 0 assemble four.txt -o four.vef
for command in check info dump 'slice --tasks 0 -o s.vef' 'export -f goal -o s.goal' 'replay --net {model:ideal}' 'scale --tasks 8 -o s.vef'; do
    # shellcheck disable=SC2086 # words
    exceeds tasks $command four.vef --limit tasks=3
done
exceeds members check four.vef --limit members=4
exceeds events check four.vef --limit events=1
exceeds events assemble four.txt -o e.vef --limit events=1
vef 0 check four.vef --limit tasks=4
VEF_LIMITS=tasks=3 exceeds tasks check four.vef
VEF_LIMITS=tasks=3 vef 0 check four.vef --limit tasks=4
exceeds tasks generate '{workload: ring, tasks: 16777216, bytes: 1 KiB}' -o g.vef
exceeds tasks scale four.vef --tasks 300000 -o g.vef
printf 'hostname=a\nnumprocs=9999999\nfileprefix=x\nstartime=1\n' >dumpi.meta
exceeds tasks import -f dumpi dumpi.meta -o g.vef

# Networks, jobs, studies, pictures.
net='{topology: {family: torus, sizes: [4096, 2048]}}'
exceeds queues load "$net" --rate 0.1
exceeds flows topology '{family: torus, sizes: [64, 64]}' --pattern uniform --limit flows=100000
exceeds flows map --net '{topology: {family: torus, sizes: [8, 8]}}' --pattern uniform --limit flows=4000
awk 'BEGIN { print "jobs:"; for (i = 0; i < 2000; i++) print "- {trace: four.vef}" }' >many.yaml
exceeds jobs replay --jobs many.yaml --net '{model: ideal}'
printf 'run: load\nnetworks: net.yaml\nrates: 0:1:0.00002\nseeds: 1:5\n' >points.yaml
echo 'topology: {family: torus, sizes: [4, 4]}' >net.yaml
exceeds points study points.yaml --plan
printf 'run: load\nnetworks: net.yaml\nrates: 0.1\nvary: {x: 2:9}\nset: {topology.sizes: "[$x, 4]"}\n' >ports.yaml
exceeds study-ports study ports.yaml --plan --limit study-ports=500
vef 0 study ports.yaml --plan
# A picture of a million links has blocks of routers in their place.
vef 0 load net.yaml --rate 0.1 --precision 0.2 --per-link --json
sed 's/"sizes": \[4, 4\]/"sizes": [512, 512]/' out >result.json
vef 0 report result.json -o page.html
grep -q 'busy share of the time' page.html || fail 'the picture of a million links'
[ "$(wc -c <page.html)" -lt 2000000 ] || fail 'a million links are larger than 2 MB'

# Values that make no sense, and unknown names, are refused.
for wrong in tasks=x tasks x=1 tasks=-1; do
    vef 2 check four.vef --limit $wrong
    says VEF_LIMITS
done
VEF_LIMITS=nonsense vef 2 check four.vef
says "VEF_LIMITS: unknown limit 'nonsense'"
vef 0 list limits
prints '^  tasks  *262144 '

# Real sizes are within the limits.
vef 0 generate '{workload: ring, tasks: 65536, bytes: 1 KiB}' -o ring.vef
vef 0 check ring.vef
vef 0 topology '{family: torus, sizes: [1024, 1024]}'
prints 'endpoints  *1048576'
[ $failures -eq 0 ]
