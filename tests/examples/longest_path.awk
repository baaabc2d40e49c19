# The longest path of a GOAL schedule in ns, where messages and processors cost nothing: a statement starts when
# those that it `requires` have ended and those that it `irequires` have started; a calc lasts its time; a send
# ends when it starts; a receive ends when it and its send have started. The nth send of one rank to another with
# a tag belongs to the nth receive.
$1 == "rank" { rank = $2 }
/^l[0-9]+:/ {
    name = rank "/" $1
    sub(/:$/, "", name)
    order[count++] = name
    kind[name] = $2
    if ($2 == "calc")
        size[name] = $3
    if ($2 == "send") {
        way = rank ">" $5 "#" $7
        sent[way, ++sends[way]] = name
    }
    if ($2 == "recv") {
        way = $5 ">" rank "#" $7
        receives[way]++
        partner[name] = way SUBSEP receives[way]
    }
}
$2 == "requires" || $2 == "irequires" {
    name = rank "/" $1
    needs[name, ++edges[name]] = rank "/" $3
    for_start[name, edges[name]] = $2 == "irequires"
}
END {
    left = count
    while (left > 0) {
        before = left
        kept = 0
        for (i = 0; i < left; i++) {
            name = order[i]
            if (!settle(name))
                order[kept++] = name
        }
        left = kept
        if (left == before) {
            print "the schedule has a cycle at " order[0]
            exit 1
        }
    }
    printf "%d\n", longest
}
# Whether the times of a statement are known now.
function settle(name,    i, other, ready) {
    if (!(name in start)) {
        ready = 0
        for (i = 1; i <= edges[name]; i++) {
            other = needs[name, i]
            if (!(for_start[name, i] ? other in start : other in end))
                return 0
            ready = later(ready, for_start[name, i] ? start[other] : end[other])
        }
        start[name] = ready
    }
    if (kind[name] == "recv") {
        split(partner[name], pair, SUBSEP)
        other = sent[pair[1], pair[2]]
        if (!(other in start))
            return 0
        end[name] = later(start[name], start[other])
    } else
        end[name] = start[name] + size[name]
    longest = later(longest, end[name])
    return 1
}
function later(a, b) { return a + 0 > b + 0 ? a + 0 : b + 0 }
