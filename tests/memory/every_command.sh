# What tests that let commands fail share; sourced after tests/command.sh by scripts that define
#
#   find_places COMMAND...    runs it without a failure, with stdout in good.out and its status in $good, and sets $places,
#                             a word for each place where it can fail; what a command writes is o.*
#   fail_at PLACE COMMAND...  runs it with that failure, with stdout in out, stderr in err and its status in $status
#
# `every_command` calls `one` for each command: with a failure, a command either fails with a message or gives what it
# gives otherwise. It never crashes, and never prints something else as a result.

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

# ---- one command ----

# untimed COMMAND FILE: without what depends on the time: the last column of vef map and vef load, and the speed in the
# documents of vef load (packet_hops_per_second in its CSV).
untimed() {
    case $1 in
    map) sed -E 's/ +[0-9]+\.[0-9]{3}$//' "$2" ;;
    load)
        awk -F, -v OFS=, '/^rate,/ { for (i = 1; i <= NF; i++) if ($i == "packet_hops_per_second") speed = i }
            speed { $speed = "" } { sub(/ +[0-9]+\.[0-9]$/, "") } !/packet_hops_per_second": / ' "$2" ;;
    *) cat "$2" ;;
    esac
}
one() {
    rm -rf o.*
    find_places "$@"
    [ "$good" -eq 0 ] || { fail "$*: status $good without failures"; return; }
    cat o.* 2>/dev/null >good.files
    for place in $places; do
        rm -rf o.*
        fail_at "$place" "$@"
        tried=$((tried + 1))
        [ $status -eq 0 ] || noticed=$((noticed + 1))
        if [ $status -eq 0 ]; then
            cat o.* 2>/dev/null >files
            [ "$(untimed "$1" out)" = "$(untimed "$1" good.out)" ] && cmp -s files good.files || fail "$*: $place: another result"
        elif [ $status -eq 2 ]; then
            [ -s err ] || fail "$*: $place: status 2 without a message"
        else # a point that cannot run is a row of the plan; Scotch does not say why it fails
            { [ "$1 $status" = 'study 1' ] && grep -q 'cannot ' out; } ||
                { [ "$1 $status" = 'map 1' ] && grep -q 'Scotch ended without a mapping' err; } || fail "$*: $place: status $status"
        fi
    done
}
every_command() {
    tried=0 noticed=0
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
    [ $((4 * noticed)) -gt $tried ] || fail "of $tried failures only $noticed ended a command: are they real?"
}
