#!/bin/sh
# Figures that papers computed or measured beside those of vef: runs the commands of published.figures and writes the page
# docs/results/published.md (make published; some minutes of one core).
#
#   sh tests/validation/published.sh BUILD >docs/results/published.md
#
# BUILD/published keeps the figures of commands that ran with this program, so that a stopped run continues.
#
# The table is read by lines; fields are separated by |:
#   table TITLE      begins a table
#   source TEXT      authors, title, where; the file of the authors with the figures
#   text TEXT        a paragraph above the table; more lines, more text
#   prepare COMMAND  writes a file that the commands below read
#   row NAME | PUBLISHED | FIGURE | COMMAND | WHY
#                    FIGURE is a key of the JSON that COMMAND prints, then pairs of an operator (*, / or +) and a number;
#                    `bound`: from throughput_bound to throughput_bound_upper, at most 1 with `limit 1`;
#                    `saturation`: from the greatest offered load at which messages do not wait ever longer to the least at
#                    which they do. PUBLISHED may be an interval: 0.5 to 0.55
set -u
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
kept=$build/published
mkdir -p "$kept" && touch "$kept/figures" || exit 2
[ "$kept/figures" -nt "$build/vef" ] && [ "$kept/figures" -nt "$here/graphs.awk" ] || : >"$kept/figures"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
cp "$here/graphs.awk" "$here/../../examples/validation/merlin.yaml" .
PATH=$build:$PATH

# The figure in the JSON of a command, as "LOWER UPPER".
figure() {
    awk -v figure="$1" '
        BEGIN { count = split(figure, word, " "); key = word[1] == "bound" ? "throughput_bound" : word[1] }
        { gsub(/[",:]/, " ") }
        key == "saturation" && $1 == "offered_load" { offered = $2 }
        key == "saturation" && $1 == "message_latency_unbounded" && $2 == "false" && offered > lower { lower = offered }
        key == "saturation" && $1 == "message_latency_unbounded" && $2 == "true" && (!upper || offered < upper) { upper = offered }
        $1 == key && !lower { lower = upper = $2 }
        word[1] == "bound" && $1 == "throughput_bound_upper" { upper = $2 }
        END {
            for (i = 2; i < count; i += 2) {
                scale = word[i] == "/" ? 1 / word[i + 1] : word[i] == "*" ? word[i + 1] : 1
                more = word[i] == "+" ? word[i + 1] : 0
                lower = lower * scale + more
                upper = upper * scale + more
                if (word[i] == "limit") {
                    lower = lower < word[i + 1] ? lower : word[i + 1]
                    upper = upper < word[i + 1] ? upper : word[i + 1]
                }
            }
            print lower, upper
        }' out
}

grep -v '^#' "$here/published.figures" | while IFS= read -r line; do
    case $line in
    prepare\ *) sh -c "${line#prepare }" || exit 1 ;;
    row\ *)
        wanted=$(echo "$line" | awk -F' *[|] *' '{ print $3 "\t" $4 }')
        found=$(wanted=$wanted awk -F'\t' '$1 "\t" $2 == ENVIRON["wanted"] { print $3; exit }' "$kept/figures")
        if [ -z "$found" ]; then
            command=${wanted#*	}
            eval "$command --json" >out 2>err || { echo "$command: $(cat err)" >&2; exit 1; }
            found=$(figure "${wanted%%	*}")
            printf '%s\t%s\n' "$wanted" "$found" >>"$kept/figures"
        fi
        echo "$line | $found"
        continue
        ;;
    esac
    echo "$line"
done >rows || exit 1
awk -f "$here/../../docs/wrap.awk" -f "$here/published.awk" rows
