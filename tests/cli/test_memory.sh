#!/bin/sh
# Lack of memory: with any one allocation failing (tests/memory/fail_allocation.c) every command either fails, with a
# message, or gives what it gives otherwise: it never crashes, and never prints something else as a result; and calls of
# libvef fail (tests/memory/use_library.c). Tries
# PLACES allocations of each command (default: 12), spread evenly; `PLACES=all` each one.
set -u
. tests/command.sh
places=${PLACES:-12}
if ! ${CC:-cc} -O1 -shared -fPIC -o fail.so "$here/tests/memory/fail_allocation.c" || nm "$vef" 2>/dev/null | grep -q __asan_init; then
    skip "allocations cannot be made to fail here (a sanitized build, or another C library)"
    exit 0
fi

# ---- inputs ----

net='{topology: {family: torus, sizes: [4, 4]}, host: {send_overhead: 1 us, noise: {period: 1 ms, duration: 10 us}}}'
echo "$net" >net.yaml
echo '{topology: {family: mesh, sizes: [4, 4]}}' >other.yaml
printf 'run: load\nnetworks: {small: net.yaml}\nrates: [0.1, 0.2]\nmax_cycles: 4096\n' >study.yaml

vef 0 generate '{workload: stencil, points: 9, tasks: 16, block: [8, 8], iterations: 3, compute: 10 us}' -o app.vef
vef 0 dump app.vef
cp out app.txt
vef 0 export app.vef --format vef-text -o app.vtext
vef 0 export app.vef --format goal -o app.goal
"$vef" load net.yaml --rate 0.1 --max-cycles 4096 --json >load.json
"$vef" replay app.vef --net net.yaml --explain --json >replay.json

# ---- the sweep ----

# untimed COMMAND FILE: without what depends on the time: the last column of vef map and vef load, and the speed in the
# documents of vef load (column 27 of its CSV).
untimed() {
    case $1 in
    map) sed -E 's/ +[0-9]+\.[0-9]{3}$//' "$2" ;;
    load) sed -E 's/ +[0-9]+\.[0-9]$//; /packet_hops_per_second": /d; s/^(([^,]*,){26})[0-9][^,]*/\1/' "$2" ;;
    *) cat "$2" ;;
    esac
}
# one COMMAND...: the places of a command; what it writes is o.*, in a folder that is cleared before.
one() {
    rm -rf o.* && LD_PRELOAD=./fail.so COUNT_ALLOCATIONS=count "$vef" "$@" >good.out 2>good.err </dev/null
    good=$?
    [ $good -le 1 ] || { cat good.err; fail "$*: status $good without failures"; return; }
    cat o.* 2>/dev/null >good.files
    count=$(cat count)
    step=$([ "$places" = all ] && echo 1 || echo $((count / places + 1)))
    at=1
    while [ $at -le "$count" ]; do
        rm -rf o.*
        LD_PRELOAD=./fail.so FAIL_ALLOCATION=$at "$vef" "$@" >out 2>err </dev/null
        status=$?
        tried=$((tried + 1))
        if [ $status -ge 3 ]; then
            fail "$*: allocation $at of $count: status $status"
        elif [ $status -eq 2 ] || [ $status -ne $good ]; then
            [ -s err ] || fail "$*: allocation $at of $count: status $status without a message"
        else
            cat o.* 2>/dev/null >files
            [ "$(untimed "$1" out)" = "$(untimed "$1" good.out)" ] && cmp -s files good.files || fail "$*: allocation $at of $count: another result, status $status"
        fi
        at=$((at + step))
    done
}
tried=0
one info app.vef
one info --json app.vef
one check app.vef
one dump app.vef
one assemble app.txt -o o.vef
one slice app.vef --tasks 0-3 -o o.vef
one scale app.vef --tasks 64 -o o.vef
one generate '{workload: ring, tasks: 8, bytes: 100 B, iterations: 3}' -o o.vef
one topology net.yaml
one topology net.yaml --json
one topology '{family: dragonfly, endpoints_per_router: 1, a: 2, h: 1}' --pattern uniform
one verify net.yaml
one load net.yaml --rate 0.1,0.9 --max-cycles 4096 --threads 1
one load net.yaml --rate 0.1 --max-cycles 4096 --json
one load net.yaml --rate 0.1 --max-cycles 4096 --csv
one compare net.yaml other.yaml --rate 0.1 --max-cycles 4096
one compare net.yaml other.yaml --trace app.vef
one map app.vef --net net.yaml
one map app.vef --net net.yaml --map identity --as endpoints -o o.txt
one model '{family: rt, a: 4}' --alpha 0.5
one replay app.vef --net net.yaml
one replay app.vef --net net.yaml --explain --json
one replay app.vef --net '{model: ideal}' --csv --per-task
one replay app.vef --net net.yaml --timeline o.json
one report load.json replay.json -o o.html
one report app.vef -o o.html
one list
one list networks
one list example
one export app.vef --format vef-text -o o.vtext
one export app.vef --format goal -o o.goal
one export app.vef --format chrome -o o.json
one import app.goal --format goal -o o.vef
one import app.vtext --format vef-text -o o.vef
one study study.yaml --plan -o o.study
# ---- libvef ----

${CC:-cc} -O1 -I"$here/lib" -o use_library "$here/tests/memory/use_library.c" -L"$build" -lvef -Wl,-rpath,"$build" || fail "use_library does not build"
LD_PRELOAD=./fail.so COUNT_ALLOCATIONS=count ./use_library >good.out || fail "use_library: status $?"
count=$(cat count)
step=$([ "$places" = all ] && echo 1 || echo $((count / places / 5 + 1)))
at=1
while [ $at -le "$count" ]; do
    LD_PRELOAD=./fail.so FAIL_ALLOCATION=$at ./use_library >out 2>err
    status=$?
    tried=$((tried + 1))
    [ $status -eq 3 ] || [ $status -eq 4 ] || { [ $status -eq 0 ] && cmp -s out good.out; } ||
        fail "libvef: allocation $at of $count: status $status"
    at=$((at + step))
done
echo "$tried allocations failed"
[ $failures -eq 0 ]
