# The results of the studies of validate.sh, results.csv, as lines for page.awk: ID, load, then accepted load, half width of
# its interval, latency, half width, whether all runs were steady, and the latency of messages (of the
# runs where it is bounded); the mean of the seeds.
# Bounds: ID, "bound", value.
FNR == 1 { n = split($0, head, ","); next }
{
    # A quoted field has commas of its own.
    line = $0
    while (match(line, /"[^"]*"/))
        line = substr(line, 1, RSTART - 1) "quoted" substr(line, RSTART + RLENGTH)
    split(line, field, ",")
    for (i = 1; i <= n; i++)
        value[head[i]] = field[i]
    if (value["state"] != "done")
        next
    if (FILENAME ~ /bounds/) {
        print value["row"] "\tbound\t" value["throughput_bound"]
        next
    }
    id = value["row"] "\t" value["rate"]
    if (!(id in runs))
        order[++count] = id
    runs[id]++
    accepted[id] += value["accepted_load"]
    latency[id] += value["latency_mean_cycles"]
    squares[id] += value["accepted_load_half_width"] ^ 2
    latency_squares[id] += value["latency_half_width_cycles"] ^ 2
    unsteady[id] += value["steady"] == "false"
    messages[id] += value["message_latency_mean_cycles"]
    bounded[id] += value["message_latency_mean_cycles"] != ""
}
END {
    for (i = 1; i <= count; i++) {
        id = order[i]
        printf "%s\t%.9g\t%.9g\t%.9g\t%.9g\t%s\t%.9g\n", id, accepted[id] / runs[id], sqrt(squares[id]) / runs[id],
            latency[id] / runs[id], sqrt(latency_squares[id]) / runs[id], unsteady[id] ? "false" : "true",
            messages[id] / (bounded[id] ? bounded[id] : 1)
    }
}
