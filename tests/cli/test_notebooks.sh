#!/bin/sh
# Results in pandas and R, by the lines of docs/notebooks.md; without these, every CSV row has as many fields as the heads.
set -u
. tests/command.sh

echo 'topology: {family: torus, sizes: [4, 4]}' >torus.yaml
echo 'topology: {family: mesh, sizes: [4, 4]}' >mesh.yaml
printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nSend to=1 bytes=4000 ordinal=0\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >pair.txt
vef 0 assemble pair.txt -o app.vef
vef 0 load torus.yaml --rate 0.1,0.95 --seeds 1 --precision 0.1 --csv
cp out loads.csv
vef 0 compare torus.yaml mesh.yaml --rate 0.1,0.95 --seeds 1 --precision 0.1 --csv
cp out compared.csv
vef 0 map app.vef --net torus.yaml --simulate --json
cp out mappings.json
vef 0 replay app.vef --net torus.yaml --per-task --csv
cp out tasks.csv
vef 0 model torus.yaml --csv
cp out model.csv
for file in loads compared tasks model; do
    # No field of these holds a comma, so the heads count.
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' $file.csv || fail "$file.csv: rows of different lengths"
done

# Results of studies: a row per point, and a line of JSON with the whole document.
cat >tori.yaml <<'END'
run: topology
networks: {rt: '{family: rt, a: $a}', rtt: '{family: rtt, a: $a}'}
vary: {a: [4, 6]}
summary: {base: {network: rt}, measure: diameter}
END
vef 0 study tori.yaml -o tori

# The first Python on PATH may be one of a user's own, without the distribution's packages.
python=
for program in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$program" -c 'import pandas' 2>/dev/null || python=$program
done
if [ -n "$python" ]; then
    "$python" - >out 2>err <<'END' || fail "pandas: $(cat err)"
import json, pandas
loads = pandas.read_csv("loads.csv")
assert len(loads) == 2 and loads.accepted_load.is_monotonic_increasing, loads
assert loads.latency_mean_cycles.dtype == float
by_network = pandas.read_csv("compared.csv").pivot(index="rate", columns="network", values="accepted_load")
assert by_network.loc[0.95, "mesh"] < by_network.loc[0.95, "torus"], by_network
mappings = pandas.json_normalize(json.load(open("mappings.json"))["mappings"])
assert mappings.hop_bytes.min() == 4000 and set(mappings.order) == set(range(1, len(mappings) + 1)), mappings
tasks = pandas.read_csv("tasks.csv")
assert list(tasks.task) == [0, 1], tasks
assert pandas.read_csv("model.csv").hops.max() == 2
points = pandas.read_csv("tori/results.csv")
assert points.pivot(index="a", columns="network", values="diameter").values.tolist() == [[6, 4], [9, 6]], points
lines = pandas.read_json("tori/results.jsonl", lines=True)
assert sorted(result["diameter"] for result in lines.result) == [4, 6, 6, 9], lines
END
else
    skip 'pandas: neither python3 nor /usr/bin/python3 has it (Debian: python3-pandas)'
fi
if command -v Rscript >/dev/null; then
    Rscript -e 'loads <- read.csv("loads.csv", na.strings = c("", "n/a"))
        stopifnot(nrow(loads) == 2, is.numeric(loads$latency_mean_cycles), loads$rate == c(0.1, 0.95))
        tasks <- read.csv("tasks.csv", na.strings = c("", "n/a"))
        stopifnot(tasks$task == 0:1)
        points <- read.csv("tori/results.csv", na.strings = c("", "n/a"))
        stopifnot(sort(points$diameter) == c(4, 6, 6, 9))' >out 2>err || fail "R: $(cat err)"
else
    skip 'R: no Rscript (Debian: r-base-core)'
fi
[ $failures -eq 0 ]
