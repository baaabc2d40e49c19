#!/bin/sh
# The papers' measured figures beside ours: runs `vef load` for the rows of tests/validation/*.table and writes the page
# docs/validation.md from what is measured so far.
#
#   sh tests/validation/validate.sh BUILD [ID...]           measures all rows, or these, that are not measured yet
#   sh tests/validation/validate.sh BUILD --page            writes the page to stdout, measures nothing
#   sh tests/validation/validate.sh BUILD --list            the identifiers of all rows, and which are measured
#   sh tests/validation/validate.sh BUILD --quick           runs the short tests (`quick` lines), keeps nothing: status 1
#                                                           when one of them does not hold
#
# Each load of a row is one run of `vef load`; its CSV is kept in BUILD/validation/ by the command and its network file, so
# a stopped run goes on where it was, and a row that is edited is measured anew. Delete that folder when the program
# has changed so that results would differ.
#
# A table file is read by lines; fields are separated by |:
#   table TITLE            begins a table
#   source TEXT            authors, title, where
#   text TEXT              a paragraph above the table; more lines, more text
#   load NETWORK OPTIONS   what all commands of the rows below begin with
#   row ID | NAME | OPTIONS | LOADS | PUBLISHED | BOUND | WHY
#                          greatest accepted load over the LOADS (`vef load --rate`); PUBLISHED and BOUND may be `-`;
#                          BOUND `uniform`: the throughput bound of `vef topology`, in theory
#   latency ...            likewise, the mean latency of packets in cycles at one load
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
tables="$here/twisted.table $here/king.table $here/twin.table $here/tree.table"
mkdir -p "$kept" || exit 2

# One line for each row: ID, kind, command up to the loads, loads, network and options that the topology follows from.
rows() {
    awk -F' *[|] *' '
        /^load / { common = substr($0, 6) }
        /^(row|latency) / { kind = $1; sub(/ .*/, "", kind); id = $1; sub(/^[a-z]+ /, "", id)
            command = common ($3 == "" || $3 == "-" ? "" : " " $3)
            printf "%s\t%s\t%s\t%s\t%s\n", id, kind, command, $4, $6 }' $tables
}

# The place of what a command gave, by the command and its network file.
place() {
    file=${1#topology }
    file=${file%% *}
    echo "$kept/$({ printf '%s' "$1"; case $file in *.yaml) cat "$file" ;; esac; } | cksum | tr ' ' '-').csv"
}

# measure COMMAND: the line of CSV of one load, kept when it is whole. The command is a line of shell words.
measure() {
    out=$(place "$1")
    [ -s "$out" ] && return 0
    begun=$(date +%s)
    eval "\"\$vef\" load $1 --threads 1 --csv" >"$out.part" 2>"$out.err" || {
        echo "vef load $1" >&2
        cat "$out.err" >&2
        rm -f "$out.part" "$out.err"
        return 1
    }
    echo "seconds,$(($(date +%s) - begun))" >>"$out.part"
    rm -f "$out.err"
    mv "$out.part" "$out"
}

# The throughput bound in theory of the network of a command, kept likewise.
bound() {
    of=$(place "topology $(topology_of "$1")")
    [ -s "$of" ] && return 0
    eval "\"\$vef\" topology $(topology_of "$1") --csv" >"$of.part" && mv "$of.part" "$of"
}

# The network of a command and what it sets of its topology.
topology_of() {
    printf '%s' "$1" | grep -o "^\('[^']*'\|[^ ]*\)\|--set topology[^ ]*\|--set 'topology[^']*'" | tr '\n' ' '
}

each_load() {
    printf '%s' "$1" | tr , '\n'
    echo
}

measure_rows() {
    failed=0
    rows >"$kept/rows"
    for wanted; do
        cut -f1 "$kept/rows" | grep -qx -- "$wanted" ||
            { echo "no row '$wanted'; --list tells them" >&2; return 2; }
    done
    all=$(wc -l <"$kept/rows") done=0
    tab=$(printf '\t')
    while IFS=$tab read -r id kind command loads bound_of <&3; do
        done=$((done + 1))
        if [ $# -gt 0 ]; then
            case " $* " in *" $id "*) ;; *) continue ;; esac
        fi
        for load in $(each_load "$loads"); do
            echo "$done/$all $id $kind at $load" >&2
            measure "$command --rate $load" || failed=1
        done
        [ "$bound_of" != uniform ] || bound "$command" || failed=1
    done 3<"$kept/rows"
    return $failed
}

# One line for each load that was measured: ID, load, file; `bound` in place of the load.
results() {
    tab=$(printf '\t')
    rows | while IFS=$tab read -r id kind command loads bound_of; do
        for load in $(each_load "$loads"); do
            out=$(place "$command --rate $load")
            [ -s "$out" ] && printf '%s\t%s\t%s\n' "$id" "$load" "$out"
        done
        if [ "$bound_of" = uniform ]; then
            of=$(place "topology $(topology_of "$command")")
            [ -s "$of" ] && printf '%s\tbound\t%s\n' "$id" "$of"
        fi
    done
}

write_page() {
    results >"$kept/results"
    awk -v results="$kept/results" -f $here/page.awk $tables
}

quick() {
    failed=0
    rows >"$kept/rows"
    for line in $(sed -n 's/^quick //p' $tables | tr -d ' '); do
        IFS='|' read -r id load cycles <<END
$line
END
        command=$(awk -F'\t' -v id="$id" '$1 == id { print $3 }' "$kept/rows")
        command="$command --rate $load --seeds 1 --max-cycles $cycles"
        rm -f "$(place "$command")"
        measure "$command" && bound "$command" || { failed=1; continue; }
        printf '%s\t%s\t%s\n%s\tbound\t%s\n' "$id" "$load" "$out" "$id" "$of" >"$kept/quick"
        awk -v results="$kept/quick" -v only="$id" -f $here/page.awk $tables || failed=1
        rm -f "$out"
    done
    return $failed
}

case ${1:-} in
--page) write_page ;;
--quick) quick ;;
--list)
    results | grep -v "${tab:=$(printf '\t')}bound$tab" | cut -f1 | sort | uniq -c | awk '{ print $2 "\t" $1 }' >"$kept/counts"
    rows | awk -F'\t' -v counts="$kept/counts" '
        BEGIN { while ((getline line < counts) > 0) { split(line, f, "\t"); measured[f[1]] = f[2] } }
        { n = split($4, loads, ","); printf "%-28s %d of %d loads measured\n", $1, measured[$1], n }'
    ;;
*) measure_rows "$@" ;;
esac
