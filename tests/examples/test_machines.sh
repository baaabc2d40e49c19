#!/bin/sh
# Each machine of examples/machines: its configuration resolves, its routing is proved free of deadlock, its network
# accepts a light load whole, and a trace can be replayed on it.
set -u
. tests/command.sh
[ "$(ls "$here"/examples/machines/*.yaml | wc -l)" -ge 8 ] || fail 'machines are missing'

# 64 tasks: each sends 20,000 bytes to the one 17 further on.
printf 'vef-trace 1\ntasks 64\n' >ring.txt
for task in $(seq 0 63); do
    printf 'task %d\nInit\nSend to=%d bytes=20000 ordinal=0\nRecv from=%d ordinal=0\nFinalize\n' \
        "$task" $(((task + 17) % 64)) $(((task + 47) % 64))
done >>ring.txt
vef 0 assemble ring.txt -o ring.vef
for machine in "$here"/examples/machines/*.yaml; do
    vef 0 topology "$machine" --resolved --json
    grep -q '"warnings": \[\]' out || fail "$ran: warnings"
    vef 0 verify "$machine"
    vef 0 load "$machine" --rate 0.02 --seeds 1 --precision 0.05 --csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { ok = $at["saturated"] == "false" && $at["accepted_load"] > 0.018 && $at["accepted_load"] < 0.022 &&
               $at["goodput"] < $at["accepted_load"] }
        END { exit !ok }' out || fail "$ran: $(cut -d, -f1-5 out)"
    # Each task receives 20,000 bytes from another node by ports of at most 50 GB/s: in 400 ns.
    vef 0 replay ring.vef --net "$machine" --json
    awk -F'[:,]' '/"time_ns"/ { ok = $2 > 400 } END { exit !ok }' out || fail "$ran: $(grep time_ns out)"
    # What the comment says is scaled down is one key of the file, and the page names the machine.
    grep -q 'scaled down' "$machine" || fail "$machine: no key is said to be scaled down"
    grep -q "\`$(basename "$machine")\`" "$here/examples/machines/README.md" || fail "$machine: not in README.md"
done
[ $failures -eq 0 ]
