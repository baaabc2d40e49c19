#!/bin/sh
# The figures that papers and other simulators measured beside ours: runs `vef load` for the rows of tests/validation/*.table and
# writes the pages docs/results/validation.md (papers) and peers.md (other simulators) from what is measured so far.
#
#   sh tests/validation/validate.sh BUILD [ID...]           measures all rows, or these, that are not measured yet
#   sh tests/validation/validate.sh BUILD --page NAME       writes the page to stdout, measures nothing: validation or peers
#   sh tests/validation/validate.sh BUILD --list            the identifiers of all rows, and which are measured
#   sh tests/validation/validate.sh BUILD --quick           runs the short tests (`quick` lines), keeps nothing: status 1
#                                                           when one of them does not hold
#
# The rows are a study (docs/study.md), written by study.awk: each load and seed is a point. Its results are in
# BUILD/validation, so a stopped run continues, several may run at once, and a row that is edited is measured anew. After a
# change to the simulator vef refuses older results: delete that folder.
#
# A table file is read by lines; fields are separated by |:
#   table TITLE            begins a table
#   source TEXT            authors, title, where
#   peer NAME              the figures of the column PUBLISHED are those of this simulator, measured by us
#   text TEXT              a paragraph above the table; more lines, more text; an empty one begins a paragraph
#   quiet                  the rows below appear only in gains and orders, with one command for each `load`
#   load NETWORK OPTIONS   what all commands of the rows below begin with
#   row ID | NAME | OPTIONS | LOADS | PUBLISHED | BOUND | WHY
#                          greatest accepted load over the LOADS (`vef load --rate`); PUBLISHED and BOUND may be `-`;
#                          BOUND `uniform`: the throughput bound of `vef topology`, in theory
#   latency ...            likewise, the mean latency of packets in cycles at one load
#   curve ID | NAME | OPTIONS | LOADS | FIGURES | SETTINGS | WHY
#                          another simulator at each of the LOADS: latencies of messages, at the last one the accepted load (`-`: not
#                          measured). SETTINGS
#                          are those of that simulator; WHY is needed where a figure differs by more than 5 %
#   offset CYCLES          added to vef's latencies in the curves below: what that simulator also counts
#   gain NAME | ID | BASE | PUBLISHED | WHY
#                          how much more the row ID has than the row BASE, in percent
#   order ID > ID = ID ... | WHAT THE PAPER SAYS | WHY
#                          `>`: more, by more than both confidence intervals; `=`: within 3 %
#   quick ID | LOAD | CYCLES
#                          the row at one load, one seed and at most so many cycles, for --quick: the measured figure is
#                          to be within 3 % of the published one, or between that and the bound
set -u
export LC_ALL=C # numbers with a decimal point
cd "$(dirname "$0")/../.." || exit 2
build=$1
shift
vef=$build/vef
kept=$build/validation
here=tests/validation
papers="$here/twisted.table $here/king.table $here/twin.table $here/tree.table $here/modern.table"
peers="$here/booksim.table $here/peers.table $here/supersim.table"
tables="$papers $peers"
mkdir -p "$kept" || exit 2

# One line for each row: ID, kind, command up to the loads, loads, and what its bound is.
rows() {
    awk -F' *[|] *' '
        /^load / { common = substr($0, 6) }
        /^(row|latency|curve) / { kind = $1; sub(/ .*/, "", kind); id = $1; sub(/^[a-z]+ /, "", id)
            command = common ($3 == "" || $3 == "-" ? "" : " " $3)
            printf "%s\t%s\t%s\t%s\t%s\n", id, kind, command, $4, $6 }' $tables
}

# study KIND [ID...]: BUILD/validation/KIND.yaml, with all rows or these.
study() {
    kind=$1
    shift
    # shellcheck disable=SC2086 # several tables
    awk -v kind="$kind" -v wanted="$*" -v tree="$(pwd)" -f $here/study.awk $tables >"$kept/$kind.yaml" || return 1
    grep -q row: "$kept/$kind.yaml" # without rows there is nothing to run
}

measure_rows() {
    for wanted; do
        rows | cut -f1 | grep -qx -- "$wanted" || { echo "no row '$wanted'; --list prints them" >&2; return 2; }
    done
    failed=0
    if study topology "$@"; then "$vef" study "$kept/topology.yaml" -o "$kept/bounds" >/dev/null || failed=1; fi
    study load "$@" && "$vef" study "$kept/load.yaml" -o "$kept/loads" || failed=1
    return $failed
}

# The lines of results.awk of what is measured.
results() {
    for kind in topology load; do
        folder=$kept/loads
        [ $kind = load ] || folder=$kept/bounds
        [ -s "$folder/results.jsonl" ] || continue
        study $kind && "$vef" study "$kept/$kind.yaml" -o "$folder" --tables >/dev/null 2>&1
        awk -f $here/results.awk "$folder/results.csv"
    done
    cat "$kept"/*/results.jsonl 2>/dev/null |
        sed -n 's/.*"seconds": \([0-9.e+-]*\).*"row": "\([^"]*\)".*/\2\tseconds\t\1/p'
}

write_page() {
    results >"$kept/results"
    case $1 in
    peers) sources=$peers ;;
    *) sources=$papers ;;
    esac
    # shellcheck disable=SC2086
    awk -v results="$kept/results" -v page="$1" -f docs/wrap.awk -f $here/page.awk $sources
}

# Short runs of some rows, and the verdict on each.
quick() {
    failed=0
    # shellcheck disable=SC2086
    for line in $(sed -n 's/^quick //p' $tables | tr -d ' '); do
        IFS='|' read -r id load cycles <<END
$line
END
        study load "$id" && sed -e "s/rates: .*/rates: [$load]/; s/seeds: .*/seeds: [1]/; s/max_cycles: .*/max_cycles: $cycles/" \
            "$kept/load.yaml" >"$kept/quick.yaml" && "$vef" study "$kept/quick.yaml" -o "$kept/quick" >/dev/null ||
            { failed=1; continue; }
        study topology "$id" && "$vef" study "$kept/topology.yaml" -o "$kept/quick-bounds" >/dev/null
        awk -f $here/results.awk "$kept/quick/results.csv" "$kept/quick-bounds/results.csv" >"$kept/results"
        awk -v results="$kept/results" -v only="$id" -f docs/wrap.awk -f $here/page.awk $tables || failed=1
    done
    return $failed
}

case ${1:-} in
--page) write_page "${2:-validation}" ;;
--quick) quick ;;
--list)
    results | cut -f1,2 | grep -v "	\(bound\|seconds\)$" | cut -f1 | sort | uniq -c | awk '{ print $2 "\t" $1 }' >"$kept/counts"
    rows | awk -F'\t' -v counts="$kept/counts" '
        BEGIN { while ((getline line < counts) > 0) { split(line, f, "\t"); measured[f[1]] = f[2] } }
        { n = split($4, loads, ","); printf "%-28s %d of %d loads measured\n", $1, measured[$1], n }'
    ;;
*) measure_rows "$@" ;;
esac
