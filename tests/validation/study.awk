# Writes the study (docs/study.md) of the rows of tests/validation/*.table: see validate.sh.
# -v wanted="ID ID": only these rows. -v kind=load: their loads; kind=topology: the bounds of uniform traffic, of the rows
# that ask for them. -v tree=PATH: the top of the tree, from the study's folder.

# Splits a line of shell words into word[1] … word[n]; returns n.
function split_words(line,    i, c, quoted, n, begun) {
    n = begun = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "'")
            quoted = !quoted
        else if (c == " " && !quoted) {
            begun = 0
            continue
        }
        if (!begun++)
            word[++n] = ""
        if (c != "'")
            word[n] = word[n] c
    }
    return n
}

BEGIN {
    FS = " *[|] *"
    key["--process"] = "processes"
    key["--lengths"] = "lengths"
    key["--pattern"] = "patterns"
    key["--max-cycles"] = "max_cycles"
    key["--map"] = "mappings"
    key["--grid"] = "grids"
    split(wanted, list, " ")
    for (i in list)
        is_wanted[list[i]] = any = 1
    print "run: " kind
    print "parts:"
}

/^load / { common = substr($0, 6) }

/^(row|latency|curve) / {
    id = $1
    sub(/^[a-z]+ /, "", id)
    if ((any && !(id in is_wanted)) || (kind == "topology" && $6 != "uniform"))
        next
    n = split_words(common ($3 == "" || $3 == "-" ? "" : " " $3))
    settings = others = ""
    seeds = 1
    for (i = 2; i < n; i += 2)
        if (word[i] == "--set") {
            at = index(word[i + 1], "=")
            if (kind == "load" || word[i + 1] ~ /^topology[.]/)
                settings = settings sprintf("      %s: [%s]\n", substr(word[i + 1], 1, at - 1), substr(word[i + 1], at + 1))
        } else if (word[i] == "--seeds")
            seeds = word[i + 1]
        else if (word[i] in key)
            others = others sprintf("    %s: ['%s']\n", key[word[i]], word[i + 1])
        else {
            print "row " id ": unknown option " word[i] >"/dev/stderr"
            exit 2
        }
    printf "  - vary: {row: %s}\n    networks: %s/%s\n", id, tree, word[1]
    if (settings != "")
        printf "    set:\n%s", settings
    if (kind == "load")
        printf "%s    rates: [%s]\n    seeds: [1:%d]\n", others, $4, seeds
}
