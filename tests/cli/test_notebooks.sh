#!/bin/sh
# The lines of docs/notebooks.md and docs/library.md in Python run as they are; the notebooks of examples/ print what they
# hold; R reads CSV by the line of the page.
set -u
. tests/command.sh
export PYTHONDONTWRITEBYTECODE=1 PYDEVD_DISABLE_FILE_VALIDATION=1 VEF="$vef" PYTHONPATH="$here/lib/python"

# The first Python on PATH may be one of a user's own, without the distribution's packages.
has() { "$1" -c 'import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))' $2 2>/dev/null; }
python_with() { for program in python3 /usr/bin/python3; do has $program "$1" && echo $program && break; done; }
python=$(python_with pandas) client=$(python_with 'pandas nbclient ipykernel')

cat >tori.yaml <<'END'
run: topology
networks: {rt: '{family: rt, a: $a}', rtt: '{family: rtt, a: $a}'}
vary: {a: [4, 6]}
summary: {base: {network: rt}, measure: diameter}
END
blocks() { awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' "$here/docs/$1.md"; }
blocks notebooks >page.py
[ "$(wc -l <page.py)" -gt 10 ] || fail "docs/notebooks.md has no lines in Python"
if ! nm -D "$build/libvef.so.0" | grep -q __asan; then
    blocks library >>page.py
    echo 'assert result["complete"] and result["time_ps"] == tasks.end_ps.max() > 0, result' >>page.py
fi
cat >>page.py <<'END'
assert loads.attrs["units"]["latency_mean_ns"] == "ns"
assert list(loads.rate) == [0.1, 0.5, 0.9] and loads.accepted_load.dtype == float and len(tori.table()) == 4
END
if [ -n "$python" ]; then
    "$python" page.py >out 2>&1 || fail "docs/notebooks.md: $(tail -n 1 out)"
    for notebook in "$here"/examples/notebooks/*.ipynb; do
        "${client:-$python}" "$here/tests/cli/notebook.py" "$notebook" ${client:+client} >out 2>&1 || fail "$notebook"
    done
else
    skip 'notebooks: neither python3 nor /usr/bin/python3 has pandas (Debian: python3-pandas)'
fi

echo 'topology: {family: torus, sizes: [4, 4]}' >net.yaml
"$vef" load net.yaml --rate 0.1:0.9:0.2 --csv --seeds 1 --precision 0.1 >loads.csv 2>err || fail "vef load"
# No field of these holds a comma, so the heads count.
awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 6 }' loads.csv || fail "loads.csv: rows of different lengths"
if command -v Rscript >/dev/null; then
    { sed -n 's/^`\(loads <- .*\)`\..*/\1/p' "$here/docs/notebooks.md"
        echo 'stopifnot(nrow(loads) == 5, is.numeric(loads$latency_mean_cycles), abs(loads$rate - c(0.1, 0.3, 0.5, 0.7, 0.9)) < 1e-9)'
    } >page.r
    Rscript page.r >out 2>err || fail "R: $(cat err)"
else
    skip 'R: no Rscript (Debian: r-base-core)'
fi
[ $failures -eq 0 ]
