#!/bin/sh
# Each machine of examples/machines: its configuration resolves, its routing is proved free of deadlock, and its network
# accepts a light load whole.
set -u
. tests/command.sh
machines=$(ls "$here"/examples/machines/*.yaml)
[ "$(echo "$machines" | wc -l)" -ge 3 ] || fail 'machines are missing'
for machine in $machines; do
    vef 0 topology "$machine" --resolved --json
    grep -q '"warnings": \[\]' out || fail "$ran: warnings"
    vef 0 verify "$machine"
    vef 0 load "$machine" --rate 0.05 --seeds 1 --precision 0.05 --csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { ok = $at["saturated"] == "false" && $at["accepted_load"] > 0.045 && $at["accepted_load"] < 0.055 &&
               $at["goodput"] < $at["accepted_load"] }
        END { exit !ok }' out || fail "$ran: $(cut -d, -f1-5 out)"
    # What the comment says is scaled down is one key of the file, and the page names the machine.
    grep -q 'scaled down' "$machine" || fail "$machine: no key is said to be scaled down"
    grep -q "\`$(basename "$machine")\`" "$here/examples/machines/README.md" || fail "$machine: not in README.md"
done
[ $failures -eq 0 ]
