# The tables of docs/results/cluster.md from what was measured and predicted:
#
#   awk -v part=summary|pairs|wrong|worst|all -f table.awk RUN/measured.csv RUN/predicted.csv
#
# A spread is half the range of the repetitions; of one it is not known, and counts as 0. summary: absolute errors by network, and by program. pairs: of the pairs of runs of a
# program that differ only in the mapping, or only in the network, and whose medians differ by more than the sum of both spreads,
# how many the models put in the right order. wrong: the other pairs. worst: runs that a model has wrong by more than 15 %. all: every run.
function sort(values, count,    i, j, value) {
    for (i = 2; i <= count; i++) {
        value = values[i]
        for (j = i; j > 1 && values[j - 1] > value; j--)
            values[j] = values[j - 1]
        values[j] = value
    }
}
function median_of(values, count) {
    sort(values, count)
    return (values[int((count + 1) / 2)] + values[int(count / 2) + 1]) / 2
}
function error(key, model) { return 100 * (predicted[key, model] / median[key] - 1) }
function magnitude(x) { return x < 0 ? -x : x }
function row(key,    f) {
    split(key, f, ",")
    printf "| %s | %s | %s | %s | %.3f | %s | %.3f | %+.1f %% | %.3f | %+.1f %% |\n", f[1], f[2], f[3], f[4], median[key],
        (count_of[key] > 1 ? sprintf("%.1f %%", 100 * spread[key] / median[key]) : "-"), predicted[key, "flow"], error(key, "flow"), predicted[key, "router"], error(key, "router")
}
function head() {
    print "| network | program | library | mapping | measured s | +- | flow s | error | router s | error |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
}
# A line of the summary: of the keys whose field `field` is `value`, or all.
function summary(title, field, value,    k, f, m, n, values, count, most, text, above) {
    text = ""
    for (m = 1; m <= 2; m++) {
        count = most = above = 0
        for (k = 1; k <= keys; k++) {
            split(key_at[k], f, ",")
            if (field && f[field] != value)
                continue
            values[++count] = magnitude(error(key_at[k], models[m]))
            above += values[count] > 15
            if (values[count] > most)
                most = values[count]
        }
        text = text sprintf(" | %.1f %% | %.1f %% | %d", median_of(values, count), most, above)
    }
    printf "| %s | %d%s |\n", title, count, text
}
# Pairs that differ in the field `field` alone.
function pairs(title, field,    a, b, f, g, i, same, all, apart, right, m) {
    all = apart = right[1] = right[2] = 0
    for (a = 1; a <= keys; a++)
        for (b = a + 1; b <= keys; b++) {
            split(key_at[a], f, ",")
            split(key_at[b], g, ",")
            same = 0
            for (i = 1; i <= 4; i++)
                same += f[i] == g[i]
            if (same != 3 || f[field] == g[field])
                continue
            all++
            if (magnitude(median[key_at[a]] - median[key_at[b]]) <= spread[key_at[a]] + spread[key_at[b]])
                continue
            apart++
            for (m = 1; m <= 2; m++) {
                if ((predicted[key_at[a], models[m]] - predicted[key_at[b], models[m]]) * (median[key_at[a]] - median[key_at[b]]) > 0)
                    right[m]++
                else if (part == "wrong")
                    printf "%s: %s %.3f %.3f, %s %.3f %.3f\n", models[m], key_at[a], median[key_at[a]], predicted[key_at[a], models[m]],
                        key_at[b], median[key_at[b]], predicted[key_at[b], models[m]]
            }
        }
    if (part == "pairs" && apart > 0)
        printf "| %s | %d | %d | %d (%.0f %%) | %d (%.0f %%) |\n", title, all, apart, right[1], 100 * right[1] / apart, right[2],
            100 * right[2] / apart
}
function values_of(field,    k, f) { # in order of appearance
    split("", seen)
    found = 0
    for (k = 1; k <= keys; k++) {
        split(key_at[k], f, ",")
        if (!(f[field] in seen)) {
            seen[f[field]]
            value_at[++found] = f[field]
        }
    }
}
BEGIN {
    FS = ","
    models[1] = "flow"
    models[2] = "router"
}
FNR == 1 { file++; next }
file == 1 && $6 == 0 { measured[$1 "," $2 "," $3 "," $4] = measured[$1 "," $2 "," $3 "," $4] " " $7 }
file == 2 {
    key = $1 "," $2 "," $3 "," $4
    if (!(key in median)) {
        key_at[++keys] = key
        count = split(measured[key], times, " ")
        for (i = 1; i <= count; i++)
            times[i] += 0
        median[key] = median_of(times, count)
        spread[key] = (times[count] - times[1]) / 2
        count_of[key] = count
    }
    predicted[key, $5] = $6
}
END {
    if (part == "summary") {
        print "| | combinations | flow: median error | largest | above 15 % | router: median error | largest | above 15 % |"
        print "| --- | --- | --- | --- | --- | --- | --- | --- |"
        for (field = 1; field <= 3; field++) {
            values_of(field)
            for (v = 1; v <= found; v++)
                summary(value_at[v], field, value_at[v])
        }
        summary("all", 0, "")
    } else if (part == "pairs" || part == "wrong") {
        if (part == "pairs") {
            print "| pairs | all | apart | flow: in the right order | router: in the right order |"
            print "| --- | --- | --- | --- | --- |"
        }
        pairs("two mappings on a network", 4)
        pairs("two networks with a mapping", 1)
    } else {
        head()
        for (k = 1; k <= keys; k++)
            if (part == "all" || magnitude(error(key_at[k], "flow")) > 15 || magnitude(error(key_at[k], "router")) > 15)
                row(key_at[k])
    }
}
