#!/bin/sh
# Completion: what `vef list words` offers follows from the tables that parse commands, and bash, zsh and fish, where they are
# installed, offer the same.
set -u
. tests/command.sh
PATH=$build:$PATH
export PATH HOME="$TMPDIR"
: >net.yaml
: >app.vef
mkdir folder

# offers EXPECTED WORD...: the words, sorted, that may stand for the last one.
offers() {
    expected=$1
    shift
    words=$("$vef" list words -- "$@" | cut -f 1 | LC_ALL=C sort -u | tr '\n' ' ')
    [ "$words" = "$expected " ] || fail "after '$*': '$words' instead of '$expected'"
}
# contains WORD WORD...: the first is among those.
contains() {
    expected=$1
    shift
    "$vef" list words -- "$@" | cut -f 1 | grep -qxF -e "$expected" || fail "after '$*': no '$expected'"
}
offers 'replay report' re
offers 'help' hel
offers 'load' help lo
offers '--clock' capture --cl
offers 'auto cpu wall' capture --clock ''
offers '--clock=wall' capture --clock=w
offers ':files .vef :files .yaml' replay ''
offers ':files .yaml' replay --net ''
offers ':files .yaml' load ''
offers ':files ' load x.yaml --plot ''
offers ':files .yaml' study ''
offers 'pingpong' fit ''
offers 'capture' list man cap
offers 'transpose' load x.yaml --pattern trans
offers 'poisson' load x.yaml --process po
offers 'hilbert' map --map hil
offers 'goal' export a.vef -f go
offers 'dumpi' import x --format dum
offers 'group' replay --place gr
offers 'easy' replay --batch e
offers 'router.queue_packets=' load x.yaml --set router.queue_p
offers 'topology.arrangement=' load x.yaml --set topology.arr
offers 'routing.algorithm=knaive' load x.yaml --set routing.algorithm=knai
offers '--set=routing.algorithm=knaive' load x.yaml --set=routing.algorithm=knai
contains topology.family=torus topology x.yaml --set topology.family=to
contains mpi.allreduce=ring replay --set mpi.allreduce=r
contains topologies list ''
# Every option of every command, and every list.
for command in $("$vef" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    "$vef" "$command" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options
    while IFS= read -r option; do contains "$option" "$command" "$option"; done <options
done

# in_bash WORD...: what bash offers for the last one.
in_bash() {
    bash -c '. <(vef list completion bash); COMP_WORDS=(vef "$@"); COMP_CWORD=$#; _vef; printf "%s\n" "${COMPREPLY[@]}"' - "$@" | LC_ALL=C sort -u | tr '\n' ' '
}
in_fish() {
    fish --no-config -c 'vef list completion fish | source; complete -C "$argv"' "vef $*" | cut -f 1 | LC_ALL=C sort -u | tr '\n' ' '
}
# In zsh completion needs a terminal: zpty has one. It inserts the only match.
in_zsh() {
    printf '%s\n' "vef $*" >typed
    zsh -f -c '
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PROMPT=; autoload -U compinit; compinit -u -d ./dump; source <(vef list completion zsh); bindkey \"^X\" show"
        zpty -w z "show() { print -r -- \"<\$BUFFER>\" >inserted; }; zle -N show; print ready >ready"
        repeat 300; do [[ ! -s ready ]] || break; sleep 0.1; done
        zpty -w -n z "$(<typed)"$'"'\\t\\x18'"'
        repeat 300; do [[ ! -s inserted ]] || break; sleep 0.1; done
        zpty -d z' >/dev/null 2>&1
    cat inserted 2>/dev/null
    rm -f inserted ready
}
# same SHELL EXPECTED WORD...
same() {
    shell=$1 expected=$2
    shift 2
    command -v "$shell" >/dev/null || { skip "no $shell"; return; }
    got=$("in_$shell" "$@")
    [ "$got" = "$expected" ] || fail "after '$*' $shell offers '$got' instead of '$expected'"
}
same bash 'replay report ' re
same bash 'app.vef folder net.yaml ' replay ''
same bash 'net.yaml ' replay --net n
same bash 'transpose ' load x.yaml --pattern trans
same bash 'knaive ' load x.yaml --set routing.algorithm = knai
same bash 'router.queue_packets= ' load x.yaml --set router.queue_p
same fish 'replay report ' re
same fish 'app.vef ' info a
same fish 'net.yaml ' load n
same fish 'transpose ' load x.yaml --pattern trans
same fish 'routing.algorithm=knaive ' load x.yaml --set routing.algorithm=knai
same zsh '<vef load x.yaml --pattern transpose >' load x.yaml --pattern trans
same zsh '<vef load x.yaml --set router.queue_packets=>' load x.yaml --set router.queue_p
same zsh '<vef replay app.vef >' replay ap
vef 2 list completion tcsh && says "unknown shell 'tcsh': expected bash, zsh or fish"
[ $failures -eq 0 ]
