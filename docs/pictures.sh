#!/bin/sh
# Draws the pictures of docs/: docs/pictures.sh BUILD, for `make pictures`. Reports need chromium; with pngquant
# their screenshots are a third of the size.
set -eu
build=$(realpath "$1")
pictures=$(realpath docs/pictures)
vef=$build/vef
trace=$build/examples/cg.vef

(cd "$build/examples" && "$vef" capture --force -o cg.vef mpiexec.mpich -n 16 ./cg)
"$vef" info "$trace" --plot "$pictures/matrix.svg" >/dev/null
(cd examples/tutorial && "$vef" load torus.yaml --rate 0.1:0.9:0.1 --plot "$pictures/load.svg" >/dev/null)
(cd "$build/examples" && "$vef" capture --force -o halo2d.vef mpiexec.mpich -n 64 ./halo2d &&
    "$vef" replay halo2d.vef --net '{topology: {family: rtt, a: 4}, endpoints_per_router: 2}' --sample 1ms \
        --plot "$pictures/links.svg" >/dev/null)
# ADV+1 on a dragonfly, with minimal and with adaptive routes (docs/links.md).
for routing in minimal ugal-l; do
    "$vef" load '{topology: {family: dragonfly, a: 4, h: 2}, endpoints_per_router: 2}' --set routing.algorithm=$routing \
        --pattern group-shift --rate 0.1 --plot-links "$pictures/links-$routing.svg" >/dev/null
done

# ---- reports (docs/report.md) ----

pages=$build/pages
rm -rf "$pages"
mkdir -p "$pages"
cp examples/networks/rt-4.yaml examples/networks/rtt-4.yaml "$pages"
cp "$trace" "$pages"
cd "$pages"
"$vef" replay cg.vef --net rtt-4.yaml --html replay.html >/dev/null
"$vef" load rt-4.yaml --rate 0.05:0.9:0.05 --per-link --json >load.json
"$vef" compare rt-4.yaml rtt-4.yaml --rate 0.05:0.9:0.05 --json >compare.json
cat >routings.yaml <<'YAML'
run: load
networks: {rt: rt-4.yaml, rtt: rtt-4.yaml}
rates: [0.2, 0.4, 0.6, 0.8, 1]
seeds: 1
max_cycles: 16000
summary: {measure: accepted_load, peak: [rate], by: [network]}
YAML
"$vef" study routings.yaml -o routings >/dev/null
"$vef" report cg.vef -o trace.html
for kind in load compare; do "$vef" report $kind.json -o $kind.html; done
"$vef" report routings -o study.html

shoot() { # shoot PAGE WIDTH NAME
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking \
        --user-data-dir="$pages/browser" --window-size="$2,1320" --force-device-scale-factor=0.6 \
        --virtual-time-budget=5000 --screenshot="$pictures/$3.png" "file://$pages/$1.html" 2>/dev/null
    ! command -v pngquant >/dev/null || pngquant --force --ext .png --speed 1 64 "$pictures/$3.png"
}
for kind in trace replay load compare study; do
    shoot $kind 1280 report-$kind
    shoot $kind 360 report-$kind-phone
done
