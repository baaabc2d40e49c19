# Writes the links of a network that vef has no family for, as published, for {family: edges}:
#   awk -v network=dragonfly -v a=4 -f graphs.awk                       a routers a group, a / 2 global links each, handed out in turn
#   awk -v network=xpander -v d=10 -v n=21 -v seed=1 -f graphs.awk      n copies of d + 1 fully connected routers, links exchanged at random
# or the pairs of routers that send to each other, for {pattern: permutation}, of the network that vef topology --dot writes:
#   vef topology NET --dot | awk -v pairs=random -v share=0.5 -f graphs.awk     a permutation, of all routers or of a share
#   vef topology NET --dot | awk -v pairs=longest -v seed=1 -f graphs.awk       a matching of routers as far apart as possible
# With -v e=4 the permutation is one of endpoints, four on each router.
function draw(limit) {
    seed = (seed * 16807) % 2147483647
    return seed % limit
}

function shuffle(list, count,    i, j, kept) {
    for (i = count - 1; i > 0; i--) {
        j = draw(i + 1)
        kept = list[i]
        list[i] = list[j]
        list[j] = kept
    }
}

function dragonfly(    groups, g, i, j, turn) {
    groups = a * a / 2 + 1
    for (g = 0; g < groups; g++)
        for (i = 0; i < a; i++)
            for (j = 0; j < i; j++)
                print g * a + i, g * a + j
    for (i = 0; i < groups; i++)
        for (j = i + 1; j < groups; j++)
            print i * a + turn[i]++ % a, j * a + turn[j]++ % a
}

function xpander(    i, j, k, to) {
    for (i = 0; i <= d; i++)
        for (j = 0; j < i; j++) {
            for (k = 0; k < n; k++)
                to[k] = k
            shuffle(to, n)
            for (k = 0; k < n; k++)
                print i * n + k, j * n + to[k]
        }
}

# Distances of all pairs, by breadth-first searches.
function search(    from, i, k, count, queue, near) {
    for (from = 0; from < routers; from++) {
        distance[from, from] = 0
        queue[0] = from
        count = 1
        for (i = 0; i < count; i++)
            for (k = 1; k <= degree[queue[i]]; k++) {
                near = neighbour[queue[i], k]
                if (!((from, near) in distance)) {
                    distance[from, near] = distance[from, queue[i]] + 1
                    queue[count++] = near
                }
            }
    }
}

# Exchanges partners of two pairs where they are not nearer then; with an odd number of routers one is left. Exchanges of equal
# pairs lead on where no exchange is better.
function match_longest(list,    sweep, i, j, gain, kept) {
    search()
    for (sweep = 1; sweep <= 200; sweep++)
        for (i = 0; i + 3 < routers; i += 2)
            for (j = i + 2; j + 1 < routers; j += 2) {
                gain = distance[list[i], list[j + 1]] + distance[list[j], list[i + 1]]
                gain -= distance[list[i], list[i + 1]] + distance[list[j], list[j + 1]]
                if (gain < 0 || (gain == 0 && draw(2)))
                    continue
                kept = list[i + 1]
                list[i + 1] = list[j + 1]
                list[j + 1] = kept
            }
    for (i = 0; i + 1 < routers; i += 2)
        print list[i] " " list[i + 1] "\n" list[i + 1] " " list[i]
}

function permute(list, count,    i) { # each to the next of a shuffled cycle
    for (i = 0; i < count; i++)
        print list[i], list[(i + 1) % count]
}

/ -- / {
    gsub(/[^0-9 -]/, "")
    split($0, end, " -- ")
    for (i = 1; i <= 2; i++) {
        from = end[i] + 0
        neighbour[from, ++degree[from]] = end[3 - i] + 0
        if (from >= routers)
            routers = from + 1
    }
}

BEGIN {
    seed = seed ? seed : 1
    if (network == "dragonfly")
        dragonfly()
    else if (network == "xpander")
        xpander()
    if (network)
        exit
}
END {
    if (network)
        exit
    count = routers * (e ? e : 1)
    for (i = 0; i < count; i++)
        list[i] = i
    shuffle(list, count)
    if (pairs == "longest")
        match_longest(list)
    else
        permute(list, int(count * (share ? share : 1)))
}
