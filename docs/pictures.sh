#!/bin/sh
# Draws the pictures of docs/: docs/pictures.sh BUILD, for `make pictures`. Reports need chromium; with pngquant
# their screenshots are a third of the size.
set -eu
build=$(realpath "$1")
pictures=$(realpath docs/pictures)
examples=$(realpath examples)
vef=$build/vef
trace=$build/examples/cg.vef

(cd "$build/examples" && "$vef" capture --force -o cg.vef mpiexec.mpich -n 16 ./cg)
"$vef" info "$trace" --plot "$pictures/matrix.svg" >/dev/null
(cd examples/tutorial && "$vef" load torus.yaml --rate 0.1:0.9:0.1 --plot "$pictures/load.svg" >/dev/null)
(cd examples/tutorial && "$vef" compare torus.yaml --vary routing.algorithm=dor,valiant,ugal --pattern tornado --rate 0.1:0.8:0.1 \
    --plot "$pictures/routings.svg" >/dev/null)
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
"$vef" generate '{tasks: 32, workload: collective, call: Alltoall, bytes: 2 KiB, compute: 20 us, iterations: 4}' -o alltoall.vef
"$vef" generate '{tasks: 32, workload: random, messages: 4, bytes: 4 KiB, compute: 20 us, iterations: 5}' -o random.vef
cat >tori.yaml <<'YAML'
traces: [alltoall.vef, random.vef]
networks: {rt: rt-4.yaml, rtt: rtt-4.yaml}
mappings: [identity, greedy, diagonal-shift]
seeds: 1:5
charts: [{name: time, kind: bars, x: trace, y: time_ns, series: [network, mapping]}]
YAML
"$vef" study tori.yaml -o tori >/dev/null
# The answers at the top of README.md and of docs/tutorial.md.
for program in cg fft3d; do "$vef" capture --force -o $program.vef mpiexec.mpich -n 64 "$build/examples/$program"; done
cp "$examples/studies/which-network.yaml" .
"$vef" study which-network.yaml -o answer >/dev/null
"$vef" report answer -o answer.html
"$vef" capture --force -o fft.vef mpiexec.mpich -n 16 "$build/examples/fft3d"
cp "$examples"/tutorial/*.yaml .
printf 'traces: fft.vef\nnetworks: [mesh.yaml, torus.yaml]\nmappings: [identity, random($seed)]\nseeds: 1:5\n' >which.yaml
echo 'set: {host.compute_scale: 0.1}' >>which.yaml
"$vef" study which.yaml -o which >/dev/null
"$vef" report which -o tutorial.html
cp "$trace" .
"$vef" report cg.vef -o trace.html
for kind in load compare; do "$vef" report $kind.json -o $kind.html; done
"$vef" report tori -o study.html

shoot() { # shoot PAGE WIDTH NAME [HEIGHT]
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking \
        --user-data-dir="$pages/browser" --window-size="$2,${4:-1320}" --force-device-scale-factor=0.6 \
        --virtual-time-budget=5000 --screenshot="$pictures/$3.png" "file://$pages/$1.html" 2>/dev/null
    ! command -v pngquant >/dev/null || pngquant --force --ext .png --speed 1 64 "$pictures/$3.png"
}
shoot answer 1280 answer 640
shoot tutorial 1280 tutorial 430
for kind in trace replay load compare study; do
    shoot $kind 1280 report-$kind
    shoot $kind 360 report-$kind-phone
done
