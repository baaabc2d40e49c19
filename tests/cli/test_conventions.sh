#!/bin/sh
# What holds for every command: help in every form, the network as an operand or with --net, options in any order, `--`, lists of
# seeds, usage with status 2 without arguments.
set -u
. tests/command.sh
net='{topology: {family: torus, sizes: [4, 3]}}'
printf 'vef-trace 1\ntasks 2\ntask 0\nSend to=1 bytes=1024\ntask 1\nRecv from=0\n' >pair.txt
vef 0 assemble pair.txt -o pair.vef

# same WORDS... -- WORDS...: both command lines print the same.
same() {
    first=
    for word; do
        [ "$word" != == ] || break
        first="$first '$word'"
        shift
    done
    shift
    eval "vef 0 $first"
    mv out former
    vef 0 "$@"
    cmp -s former out || fail "$ran: not as vef$first"
}

for command in $("$vef" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    same "$command" --help == help "$command"
    same "$command" --help == "$command" help
    same "$command" --help == "$command" -h
    case $command in
        version | list) vef 0 "$command" ;;
        *) vef 2 "$command" && says '^usage: vef ' ;;
    esac
done
same fit --help == fit pingpong --help
same fit --help == help fit pingpong
same export --help == export goal --help
same load --help == load net.yaml --rate 0.1 --help
vef 2 help laod && says "unknown command 'laod': did you mean load"
vef 0 list && prints '  topologies '
vef 0 list topologies && prints '^topology: family: dragonfly ' && prints 'example: {family: torus, sizes: '

load='--rate 0.1 --seeds 1 --precision 0.2 --max-cycles 5000 --json'
figures() { grep -v 'per_second\|memory_bytes\|"seconds"' out >figures; mv figures out; }
# either COMMAND OPTIONS...: the same result with the network as operand and with --net, before and after the options.
either() {
    command=$1
    shift
    vef 0 "$command" "$@" "$net" && figures && mv out operand
    vef 0 "$command" --net "$net" "$@" && figures
    cmp -s operand out || fail "$ran: not as with the operand"
    vef 0 "$command" "$@" --net="$net" && figures
    cmp -s operand out || fail "$ran: not as with the operand"
}
# shellcheck disable=SC2086
either load $load
# shellcheck disable=SC2086
either compare $load
either verify --json
either topology --json
either model --json
either replay pair.vef --json
either replay --job pair.vef --no-alone --json
either map --tasks 4 --json
either map pair.vef --map identity --show --json
vef 0 export pair.vef -f goal -o a.goal "$net"
vef 0 export pair.vef -f goal --net "$net" -o b.goal
cmp -s a.goal b.goal || fail 'export: --net and operand differ'
vef 0 topology -- "$net"
vef 2 topology -- --net "$net" && says "unexpected operand"

# seeds OPTIONS...: the seeds of the runs of a load with them.
seeds() {
    vef 0 load "$net" --rate 0.1 --precision 0.2 --max-cycles 5000 --json "$@"
    sed -n 's/^ *"seed": \([0-9]*\),*$/\1/p; s/.*{"seed": \([0-9]*\),.*/\1/p' out | tr '\n' ' '
}
# are SEEDS OPTIONS...
are() {
    expected=$1
    shift
    found=$(seeds "$@")
    case " $found" in *" $expected "*) ;; *) fail "$*: seeds $found instead of $expected" ;; esac
}
are '1 2 3 4' --seeds 4
are '1 2 3 4' --seeds 1:4
are '3 7 9' --seeds 3,7,9
are '7 8' --seeds 2 --seed 7
are '7 8 9' --seed 7
vef 2 load "$net" --rate 0.1 --seed 7 --seeds 1:4 && says '--seed and --seeds 1:4: not supported together'
vef 2 load "$net" --rate 0.1 --seeds 3,7,3 && says "--seeds '3,7,3': seed 3 is given twice"
# In a study likewise; there each is a point.
for list in 'seeds: 3' 'seeds: 1:3' 'seeds: [1, 2, 3]' 'seeds: 1,2,3'; do
    printf 'run: load\nnetworks: "%s"\nrates: 0.1\n%s\n' "$net" "$list" >study.yaml
    vef 0 study study.yaml --plan
    prints '3 points'
done
# -o - is standard output: the same bytes as in a file, and nothing else there.
# written COMMAND...: with a file name in place of FILE.
written() {
    vef 0 "$@" -o written.file --force
    vef 0 "$@" -o -
    cmp -s written.file out || fail "$ran: not the bytes of the file"
}
written generate '{tasks: 4, workload: ring}'
written assemble pair.txt
written slice pair.vef --tasks 0
written export pair.vef -f goal
written map --tasks 4 "$net"
written report pair.vef
[ $failures -eq 0 ]
