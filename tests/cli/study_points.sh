# What tests of interrupted and shared studies have in common; sourced after command.sh: a study of 60 points, its tables
# after an undisturbed run, and their comparison.
echo 'topology: {family: torus, sizes: [4, 4]}' >torus.yaml
cat >loads.yaml <<'END'
run: load
networks: {plain: torus.yaml, deep: {file: torus.yaml, set: {router.queue_packets: 8}}}
patterns: [uniform, tornado]
rates: 0.1:0.5:0.1
seeds: 1:3
precisions: 0.1
summary: {base: {network: plain}}
END
vef 0 study loads.yaml -o whole --jobs 1
prints '^60 points: 60 done'
[ "$(awk -F, '$1 == "plain" { print $2 }' whole/summary.csv)" = 1 ] || fail "the base: $(cat whole/summary.csv)"

same() { # same FOLDER: its tables are those of the whole run, and each point has one result
    cmp -s whole/results.csv "$1/results.csv" || fail "$1: another table"
    cmp -s whole/summary.csv "$1/summary.csv" || fail "$1: another summary"
    [ "$(cut -d'"' -f8 "$1/results.jsonl" | sort -u | wc -l)" -eq 60 ] || fail "$1: points"
    [ "$(wc -l <"$1/results.jsonl")" -eq 60 ] || fail "$1: $(wc -l <"$1/results.jsonl") results"
}
has_lines() { [ "$(wc -l <"$1/results.jsonl")" -ge "$2" ]; }
