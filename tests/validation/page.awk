# Writes docs/results/validation.md or peers.md, after docs/wrap.awk, from tables of this folder and from what has been measured: see
# validate.sh.
# -v results=FILE: the lines of results.awk, and those of the seconds of each row.
# -v page=peers: the text before the first table introduces the page.
# -v only=ID: writes no page, only the verdict on this row, and exits 1 unless it is within TOLERANCE or between the
# published figure and the bound; without a published figure: within TOLERANCE of a bound that is known to be reached.

BEGIN {
    FS = " *[|] *"
    TOLERANCE = 0.03
    EXPLAINED = 0.05 # a peer's figure that differs by more needs an explanation
    while ((getline line < results) > 0) {
        split(line, got, "\t")
        if (got[2] == "bound") {
            bound[got[1]] = got[3]
            continue
        }
        if (got[2] == "seconds") {
            seconds[got[1]] += got[3]
            continue
        }
        loads[got[1]]++
        if (got[7] == "false")
            unsettled[got[1]] = 1
        if (!(got[1] in accepted) || got[3] > accepted[got[1]]) {
            accepted[got[1]] = got[3]
            half[got[1]] = got[4]
        }
        at_load[got[1], got[2] + 0] = got[3]
        message[got[1], got[2] + 0] = got[8]
        latency[got[1]] = got[5]
        latency_half[got[1]] = got[6]
    }
    if (!only && page != "peers")
        introduce()
}

function introduce() {
    print "# Simulations of papers compared with vef"
    print ""
    print "After reading this page you know how closely vef reproduces published measurements. Repeat a row by the command below its"
    print "table, or all rows ([Time](#time) says how long that takes):"
    print ""
    print "    make validation"
    print ""
    print "`make validation` generates this page: it compares the figures that the papers measured by their simulators with those of `vef load`"
    print "(docs/load.md)."
    print ""
    print "| column | content |"
    print "| --- | --- |"
    print "| published | the figure of the paper |"
    print "| measured | the greatest accepted load of the command, in phits per cycle and endpoint; latency: of packets, in cycles |"
    print "| +- | half the width of the 95 % confidence interval |"
    print "| bound | the theoretical limit of the most loaded link under the pattern, if it is known |"
    print "| difference | measured relative to published |"
    print "| last | *within 3 %* of the published figure, *between* that figure and the bound, or an explanation of the difference |"
    print ""
    print "`*`: a run reached its `--max-cycles` before its figure had the requested precision."
    print ""
    print "Figures of networks that need no simulation are in docs/results/papers.md. `make test` (`tests/netmodel/`) asserts for every pair of small"
    print "networks that a packet without contention takes exactly hops x (router + link delay) + length - 1 cycles."
}

function close_table(    i) {
    if (!title)
        return
    print_notes()
    if (row_count > 0 && !only) {
        print ""
        print "```"
        for (i = 1; i <= row_count; i++)
            print commands[i] ~ /^#/ ? wrap(commands[i], "#   ") : wrap(commands[i], "    ", " \\")
        print "```"
    }
    if (missing != "" && !only)
        print "\nNot measured yet: " missing ".\n"
    row_count = gain_count = 0
    missing = ""
}

function number(text) { return text ~ /^[0-9.]+$/ }

# The verdict on a row.
function judge(id, value, published, of,    part) {
    if (!number(published))
        return ""
    part = value / published - 1
    if (part <= TOLERANCE && part >= -TOLERANCE)
        return "within 3 %"
    if (value > published && of != "" && value <= of + half[id])
        return "between"
    return "differs"
}

function add_missing(name) { missing = missing (missing == "" ? "" : ", ") name }

# A row and its last cell, which goes below the table where it would make the row too long.
function print_row(row, name, verdict, remark) {
    if (remark != "" && length(row (verdict == "" ? "" : verdict ": ") remark " |") > 140) {
        notes = notes wrap("- " name ": " remark, "  ") "\n"
        remark = verdict == "" ? "see below" : ""
    }
    print row verdict (verdict == "" || remark == "" ? "" : ": ") remark " |"
}

function print_notes() {
    if (notes != "")
        printf "\n%s", notes
    notes = ""
}

function begin_rows(what) {
    if (heads == what)
        return
    print_notes()
    heads = what
    print ""
    if (what == "row") {
        print "| network | " (peer == "" ? "published" : peer) " | measured | +- | bound | difference | |"
        print "| --- | --- | --- | --- | --- | --- | --- |"
    } else if (what == "curve") {
        print "| configuration | load | " peer " | vef | | load | " peer " | vef | | " peer " | vef | |"
        print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    } else {
        print "| pattern, network | published | measured | |"
        print "| --- | --- | --- | --- |"
    }
}

/^table / {
    close_table()
    title = substr($0, 7)
    heads = peer = quiet = ""
    if (!only)
        print "\n## " title "\n"
    next
}
/^source / {
    if (!only)
        print wrap(substr($0, 8) ".") "\n"
    next
}
/^peer / { peer = substr($0, 6); next }
/^offset / { offset = substr($0, 8); next }
/^text/ {
    if (!only)
        print wrap(substr($0, 6))
    next
}
/^load / { common = substr($0, 6); next }
/^quiet/ { quiet = 1; next }

/^(row|latency) / {
    kind = id = $1
    sub(/ .*/, "", kind)
    sub(/^[a-z]+ /, "", id)
    name[id] = $2
    if (only && id != only)
        next
    if (!(id in loads)) {
        add_missing($2)
        next
    }
    of = $6 == "uniform" ? bound[id] : number($6) ? $6 : ""
    spent += seconds[id]
    value[id] = kind == "row" ? accepted[id] : latency[id]
    width = kind == "row" ? half[id] : latency_half[id]
    if (kind == "latency")
        half[id] = width
    verdict = judge(id, value[id], $5, of)
    difference = number($5) ? sprintf("%+.1f %%", 100 * (value[id] / $5 - 1)) : ""
    if (only) {
        if (!number($5))
            verdict = judge(id, value[id], of, "")
        printf "%s: measured %.4f, published %s, bound %s: %s\n", $2, value[id], $5, of, verdict
        if (verdict == "differs" || (of != "" && value[id] > of + half[id]))
            status = 1
        next
    }
    form = kind == "row" ? "%.4f" : "%.2f"
    if (!quiet) {
        begin_rows("row")
        print_row(sprintf("| %s | %s | " form "%s | " form " | %s | %s | ", $2, $5 == "-" ? "" : $5, value[id],
            id in unsettled ? " *" : "", width, of == "" ? "" : sprintf("%.4f", of), difference), $2, verdict, $7)
    }
    command = "vef load " common ($3 == "" || $3 == "-" ? "" : " " $3) " --rate " $4
    if (!quiet || common != shown_common)
        commands[++row_count] = command
    shown_common = common
    next
}

# A figure of a peer (`-`: none), that of vef and the difference, bold where it needs an explanation.
function compare(theirs, ours, form,    part, text) {
    if (theirs == "-")
        return sprintf(" | " form " | | ", ours)
    part = ours / theirs - 1
    text = sprintf("%+.1f %%", 100 * part)
    if (part > EXPLAINED || part < -EXPLAINED) {
        text = "**" text "**"
        apart = 1
    }
    return sprintf(form " | " form " | %s | ", theirs, ours, text)
}

/^curve / && !only {
    id = $1
    sub(/^curve /, "", id)
    n = split($4, rate, / *, */)
    split($5, theirs, " ")
    for (i = 1; i <= n; i++)
        if (!((id, rate[i] + 0) in at_load)) {
            add_missing($2)
            next
        }
    spent += seconds[id]
    begin_rows("curve")
    apart = 0
    row = sprintf("| %s | ", $2)
    for (i = 1; i < n; i++)
        row = row rate[i] " | " compare(theirs[i], message[id, rate[i] + 0] + offset, "%.1f")
    row = row compare(theirs[n], at_load[id, rate[n] + 0], "%.4f")
    sub(/ $/, "", row)
    print row
    if (apart || $7 != "")
        notes = notes wrap("- " $2 ": " ($7 == "" ? "**not explained**" : $7), "  ") "\n"
    commands[++row_count] = "# " peer ": " $6
    gsub(/ /, "", $4)
    commands[++row_count] = "vef load " common ($3 == "" || $3 == "-" ? "" : " " $3) " --rate " $4
    next
}

/^gain / && !only {
    label = $1
    sub(/^gain /, "", label)
    if (!($2 in value) || !($3 in value)) {
        add_missing("gain of " label)
        next
    }
    begin_rows("gain")
    print_row(sprintf("| %s | %s | %+.1f %% (%.4f over %.4f) | ", label, $4, 100 * (value[$2] / value[$3] - 1), value[$2],
        value[$3]), label, "", $5)
    next
}

/^order / && !only {
    text = $1
    sub(/^order /, "", text)
    n = split(text, part, / +/)
    holds = 1
    shown = ""
    for (i = 1; i <= n; i += 2) {
        if (!(part[i] in value)) {
            add_missing("order of " text)
            next
        }
        shown = shown (i > 1 ? " " part[i - 1] " " : "") sprintf("%s %.4f", name[part[i]], value[part[i]])
        if (i == 1)
            continue
        before = value[part[i - 2]]
        if (part[i - 1] == ">" && before - value[part[i]] <= half[part[i - 2]] + half[part[i]])
            holds = 0
        ratio = before / value[part[i]]
        if (part[i - 1] == "=" && (ratio > 1 + TOLERANCE || ratio < 1 - TOLERANCE))
            holds = 0
    }
    print_notes()
    heads = ""
    print "\n" wrap(sprintf("Published: %s. Measured: %s: %s%s", $2, shown,
        holds ? "as published" : "**not as published**", $3 == "" ? "." : ". " $3))
    next
}

END {
    close_table()
    if (!only)
        printf "\n## Time\n\nThe runs behind this page took %.1f hours of one core.\n", spent / 3600
    exit status
}
