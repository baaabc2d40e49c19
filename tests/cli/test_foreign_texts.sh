#!/bin/sh
# Texts of others stay texts: names of files, traces, networks and studies hold every character, in particular what SVG, Graphviz, shells,
# spreadsheets, YAML and terminals would obey.
set -u
. tests/command.sh

# All of ASCII that a name of a file can hold, but line breaks, and UTF-8; the same as XML, where control characters are blanks.
controls=$(awk 'BEGIN { for (i = 1; i < 32; i++) if (i != 10) printf "\\%03o", i; print "\\177" }')
# shellcheck disable=SC2059 # octal numbers
controls=$(printf "$controls")
every='`touch pwned`$(touch pwned);!touch pwned|"system(1)"#%s%n%d\n\1\07{a}^b_c@d&e~f<g>]]>h*?[i]'"'"':+,-.=\0123456789é漢'
xml=$(printf '%s' "$every" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')
cat >net.yaml <<'TEXT'
topology: {family: mesh, sizes: [2, 2]}
router: {queue_packets: 4}
TEXT
cp net.yaml "$every$controls.yaml" || exit 1

# draws FILE COMMAND…: the picture has the text as it is, and no other element or control character came of it.
draws() {
    picture=$1
    shift
    "$@"
    [ ! -s err ] || fail "$*: $(cat err)"
    texts "$picture" | grep -qF -- "$xml" || fail "$*: $picture lacks $xml: $(grep -a touch "$picture")"
    LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" "$picture" && fail "$*: control characters in $picture"
    grep -o '<[^>]*>' "$picture" | sed "s,^<[/]*\\([a-zA-Z]*\\).*,\\1," | sort -u |
        grep -vxE 'svg|rect|linearGradient|stop|clipPath|g|path|pattern|text|tspan|title|' && fail "$*: elements of $picture"
    [ -z "$(find . -name 'pwned*')" ] || fail "$*: the text was run"
}

# A trace whose application has such a name; assemble reads texts as C writes them.
quoted=$(printf '%s' "$every" | sed 's/[\\"]/\\&/g')
version=$(sed -n 's/.*VEF_TEXT_VERSION = \([0-9]*\).*/\1/p' "$here"/traces/text/*.h)
cat >trace.txt <<TEXT
vef-trace $version
tasks 4
application "$quoted\x01\x1b[31m\x7f\x9b"
command "$quoted"
task 0
Region_begin name="$quoted\x1b[2J"
Send to=1 bytes=1024
Region_end name="$quoted\x1b[2J"
task 1
Recv from=0
task 2
task 3
TEXT
vef 0 assemble trace.txt -o trace.vef
printf '0\n1\n2\n3\n' >'`touch pwned`.map'
# A study: labels, titles, axes.
yaml=$(printf '%s' "$every" | sed 's/[\\"]/\\&/g')
cat >study.yaml <<TEXT
run: load
networks: {"$yaml\x01\e[31m\x7f": net.yaml, "=1+1": net.yaml}
rates: [0.1, 0.2]
charts:
  - {name: curves, kind: curves, x: rate, y: accepted_load, series: [network], title: "$yaml\e[31m"}
  - {name: bars, kind: bars, x: rate, y: accepted_load, series: [network], title: "$yaml"}
TEXT
vef 0 study study.yaml -o study.d
# A label below bars has less room.
cat >ticks.yaml <<'TEXT'
run: load
networks: {'`touch pwned`\061{a}^b"': net.yaml}
rates: [0.1]
charts: [{name: ticks, kind: bars, x: network, y: accepted_load, series: [rate]}]
TEXT
vef 0 study ticks.yaml -o ticks.d

few='--precision 0.2 --seeds 1'
# shellcheck disable=SC2086 # options
{
    draws load.svg vef 0 load "$every$controls.yaml" --rate 0.1,0.2 $few --plot load.svg
    draws links.svg vef 0 load "$every$controls.yaml" --rate 0.1 $few --plot-links links.svg
    draws loads.svg vef 0 compare "$every$controls.yaml" net.yaml --rate 0.1,0.2 $few --plot loads.svg
}
draws replays.svg vef 0 compare "$every$controls.yaml" net.yaml --trace trace.vef --plot replays.svg
draws replay.svg vef 0 replay trace.vef --net "$every$controls.yaml" --plot replay.svg
draws info.svg vef 0 info trace.vef --plot info.svg
sed '/^application/d' trace.txt >nameless.txt
vef 0 assemble nameless.txt -o "$every$controls.vef" --force
draws path.svg vef 0 info "$every$controls.vef" --plot path.svg
whole=$xml xml='`touch pwned`'
draws map.svg vef 0 map trace.vef --net net.yaml --map 'file(`touch pwned`.map)' --plot map.svg
xml=$whole
for chart in curves bars; do
    draws study.d/$chart.svg :
    [ "$(texts study.d/$chart.svg | grep -cF -- "$xml")" -eq 2 ] || fail "$chart: title and label"
done
xml='`touch pwned`\061{a}^b"'
draws ticks.d/ticks.svg :
# A job array of Slurm: the shell script reads as the same words, and % means nothing to sbatch.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
printf '%s\n' "$@" >sbatch.arguments
cat >sbatch.sh
echo 1
END
chmod +x bin/sbatch
PATH=$PWD/bin:$PATH VEF_PLUGINS="$every" vef 0 study ticks.yaml -o "$every" --slurm 1
grep -qF -- "--output=" sbatch.arguments || fail "no name of the logs: $(cat sbatch.arguments)"
grep -F -- "--output=" sbatch.arguments | sed 's/%%//g; s,/slurm-%A_%a.log$,,' | grep % && fail "patterns of sbatch in $(cat sbatch.arguments)"
sh -n sbatch.sh && sh sbatch.sh >out 2>err || fail "the script: $(cat sbatch.sh)"
[ -s "$every/results.jsonl" ] || fail "the script has another folder: $(cat sbatch.sh)"
[ -z "$(find . -name 'pwned*')" ] || fail "the script runs a name: $(cat sbatch.sh)"

# Control characters do not reach a terminal, wherever a command prints them.
visible() {
    LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" out err && fail "$ran prints control characters"
    grep -qF -- "$1" out err || fail "$ran does not print '$1'"
}
escape=$(printf '\033')
vef 0 info trace.vef --regions
visible '\x01\x1b[31m\x7f'
vef 0 info trace.vef --regions --csv
visible '\x1b[2J'
vef 0 check trace.vef
vef 2 check "${escape}[2Jmissing"
visible '\x1b[2Jmissing'
vef 2 list "${escape}[2J"
visible '\x1b[2J'
vef 2 "${escape}]0;title"
visible '\x1b]0;title'
vef 2 load "{topology: {family: ${escape}x}}" --rate 0.1
vef 2 load net.yaml --set "x=$(printf '\302\2331')" --rate 0.1
LC_ALL=C grep -q "$(printf '\302\233')" err && fail 'C1 characters in UTF-8'

# A spreadsheet shows cells instead of computing them; numbers stay numbers.
grep -q "^[0-9]*,'=1+1,0.1," study.d/results.csv || fail "a formula: $(cut -c1-40 study.d/results.csv)"
vef 0 load net.yaml --rate 0.1 --csv --precision 0.2 --seeds 1
grep -q "'" out && fail 'apostrophes before numbers'

# YAML that is written reads back as the same text: the network of a study beside it, and the resolved configuration.
mkdir "it's: #1, {a} \"b\""
printf '0 1\n1 2\n2 0\n' >"it's: #1, {a} \"b\"/graph$(printf '\t')1.txt"
cat >graph.yaml <<\TEXT
topology: {family: edges, file: "it's: #1, {a} \"b\"/graph\t1.txt"}
TEXT
vef 0 load graph.yaml --rate 0.1 --precision 0.2 --json
prints "/it's: #1, {a} .\"b.\"/graph.t1.txt\""
cat >study2.yaml <<'TEXT'
run: topology
networks: {g: {topology: {family: edges, file: "it's: #1, {a} \"b\"/graph\t1.txt"}}}
TEXT
vef 0 study study2.yaml -o study2.d
grep -q '"state": "done"' study2.d/results.jsonl || fail "a network inside a study: $(cat study2.d/results.jsonl)"

[ $failures -eq 0 ]
