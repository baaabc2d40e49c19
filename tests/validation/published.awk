# Writes docs/results/published.md, after docs/wrap.awk, from the lines of published.figures with the figures of vef: published.sh.
BEGIN {
    FS = " *[|] *"
    SAME = 0.001 # relative
    print "# Figures of papers compared with vef"
    print ""
    print "After reading this page you know how closely vef reproduces figures that other groups computed or simulated for dragonfly, Slim"
    print "Fly, PolarFly, HammingMesh and Jellyfish networks. Repeat a row by its command below its table, in a folder with the files"
    print "`tests/validation/graphs.awk` and `examples/validation/merlin.yaml`, or all rows:"
    print ""
    print "    make published"
    print ""
    print "| column | content |"
    print "| --- | --- |"
    print "| published | the figure of the paper or of the results that its authors publish with their program |"
    print "| vef | the figure of the command; two numbers: proved bounds of the exact value |"
    print "| difference | of vef, or of the nearest of two numbers, relative to published; `=`: published is between them, or within 0.1 %; |"
    print "| | two intervals: `=` if they overlap, else of their middles |"
    print ""
    print "More figures of papers: [papers.md](papers.md) (distances, sizes, cuts), [validation.md](validation.md) (simulations)."
}

function digits(x) { return sprintf(x >= 1000 ? "%.0f" : "%.4g", x) }

function close_table(    i) {
    if (notes != "")
        printf "\n%s", notes
    if (lines) {
        print "\n```"
        for (i = 1; i <= lines; i++)
            print wrap(line[i], "    ", " \\")
        print "```"
    }
    lines = 0
    notes = ""
}

/^table / { close_table(); headed = 0; print "\n## " substr($0, 7) "\n"; next }
/^source / { print wrap(substr($0, 8) ".") "\n"; next }
/^text/ { print wrap(substr($0, 6)); next }
/^prepare / { line[++lines] = substr($0, 9); next }
/^row / {
    if (!headed++) {
        print "\n| figure | published | vef | difference |"
        print "| --- | --- | --- | --- |"
    }
    sub(/^row /, "", $1)
    split($2, published, " to ")
    if (!(2 in published))
        published[2] = published[1]
    split($NF, got, " ")
    # The distance of the two intervals.
    difference = got[1] > published[2] ? got[1] / published[2] - 1 : got[2] < published[1] ? got[2] / published[1] - 1 : 0
    if (published[1] < published[2] && got[1] < got[2] && (got[1] >= published[2] || got[2] <= published[1]))
        difference = (got[1] + got[2]) / (published[1] + published[2]) - 1
    same = difference < SAME && difference > -SAME
    printf "| %s | %s | %s | %s |\n", $1, $2, digits(got[1]) (digits(got[1]) == digits(got[2]) ? "" : " to " digits(got[2])),
        same ? "=" : sprintf("%+.1f %%", 100 * difference)
    if (NF > 5 && $5 != "")
        notes = notes wrap("- " $1 ": " $5, "  ") "\n"
    if (!($4 in seen))
        line[++lines] = $4
    seen[$4] = 1
    rows++
    equal += same
    within += difference <= 0.05 && difference >= -0.05
    delete published[2]
}
END {
    close_table()
    printf "\n%d figures: %d equal, %d within 5 %%; the others are explained below their tables.\n", rows, equal, within
}
