#!/bin/sh
# `vef report` from the outside: each kind of page is opened in headless Chromium, which must neither
# complain nor ask the network for anything, at the widths of a desktop and of a phone. Where VEF_SCREENSHOTS
# names a folder, pictures of the pages are left there.
. tests/command.sh
set -u

# ---- results of every kind ----

# Names that would be HTML, where every kind of text in a trace can have them.
evil='<img src=x onerror=throw(1)></script><b>&amp;'
awk -v n=64 -v evil="$evil" 'BEGIN { print "vef-trace 1\ntasks", n; printf "application \"%s\"\n", evil
    for (t = 0; t < n; t++) {
        printf "task %d\nInit\nRegion_begin name=\"%s\"\n", t, evil
        for (i = 0; i < 5; i++)
            printf "Irecv from=%d gap=%d\nSend to=%d bytes=%d gap=20\nWait requests=%d time=%d\nAllreduce bytes=8 elements=1 time=50\n",
                (t + n - 1) % n, 600 + 7 * t, (t + 1) % n, 2 ^ i * 100, i, 900 - 7 * t
        printf "Region_end name=\"%s\"\nFinalize\n", evil } }' >many.txt
vef 0 assemble many.txt -o many.vef
printf 'vef-trace 1\ntasks 1\n' >alone.txt
vef 0 assemble alone.txt -o alone.vef
net='{topology: {family: torus, sizes: [8, 8]}, routing: {algorithm: dor}}'
vef 0 replay many.vef --net "$net" --per-task --json && mv out replay.json
vef 0 replay many.vef --net "$net" --map snake --json && mv out snake.json
printf 'vef-trace 1\ntasks 2\ntask 0\nRecv from=1 gap=5\nSend to=1\ntask 1\nRecv from=0 gap=5\nSend to=0\n' >stall.txt
vef 0 assemble stall.txt -o stall.vef
vef 1 replay stall.vef --net '{model: ideal}' --json && mv out stall.json
vef 0 replay many.vef --net "$net" --per-link --sample 10us --json && mv out links.json
vef 0 load "$net" --pattern '{pattern: hot-region, share: 0.5}' --lengths 0.5:8,0.5:16 --rate 0.1,0.2 --seeds 1 --precision 0.2 \
    --map snake --json && mv out load.json
vef 0 load "$net" --pattern tornado --rate 0.05,0.1 --seeds 1 --precision 0.2 --per-link --json && mv out tornado.json
vef 0 compare "$net" '{topology: {family: mesh, sizes: [8, 8]}, routing: {algorithm: dor}}' --rate 0.1,0.2 --seeds 1 --precision 0.2 --json && mv out loads.json
vef 0 compare "$net" '{model: ideal}' --trace many.vef --json && mv out replays.json
wide='{topology: {family: torus, sizes: [9, 8]}}'
vef 0 replay --job many.vef,place=random --job alone.vef --job pattern=uniform,rate=0.1 --net "$wide" --per-link --json && mv out jobs.json
vef 0 replay --batch fcfs --job many.vef --job many.vef,arrival="1 us" --net "$wide" --json && mv out batch.json
cat >study.yaml <<'YAML'
run: topology
networks: {rt: '{family: rt, a: $a}', rtt: '{family: rtt, a: $a}'}
vary: {a: [4, 6]}
verdict: {workloads: [a]}
charts: [{name: size, kind: bars, x: a, y: diameter, series: network}]
YAML
vef 0 study study.yaml -o study
cat >peaks.yaml <<'YAML'
run: load
networks: {torus: '{family: torus, sizes: [4, 4]}', mesh: '{family: mesh, sizes: [4, 4]}'}
rates: [0.2, 0.4]
seeds: 1
max_cycles: 8000
summary: {measure: accepted_load, peak: [rate], by: [network]}
YAML
vef 0 study peaks.yaml -o peaks
vef 0 info many.vef --json && mv out info.json

pages='many.vef alone.vef info.json jobs.json batch.json replay.json links.json stall.json load.json tornado.json loads.json replays.json study peaks'
for result in $pages; do
    vef 0 report $result -o $result.html
    prints "^$result.html: 1 result, "
    [ "$(wc -c <$result.html)" -lt 2000000 ] || fail "$result.html is larger than 2 MB"
    [ ! -s err ] || fail "words about $result: $(cat err)"
done
# A document as other tools write it: tabs, "\/", and a surrogate pair, which YAML has not.
sed '1s/{/{"note": "\\ud83d\\ude00",/; s/^  */\t/; s,/,\\/,g' tornado.json >escaped.json
vef 0 report escaped.json -o escaped.html
grep -q '"heat_map":"' escaped.html || fail 'no heat map of a document that another tool wrote'
[ ! -s err ] || fail "words about escaped.json: $(cat err)"
# A document whose links are not those of its network.
sed 's/"port": 3,/"port": 7,/' tornado.json >foreign.json
vef 0 report foreign.json -o foreign.html
says 'foreign.json: no heat map of links: foreign.json:[0-9]*:[0-9]*: per_link: not a link of the network'
sed 's/"sample_links": "/&AAAA/' links.json >cut-links.json
vef 0 report cut-links.json -o cut-links.html
says 'cut-links.json: no heat map of links: cut-links.json:[0-9]*:[0-9]*: sample_links: not those of the links'
rm cut-links.html
vef 0 report replay.json snake.json load.json -o several.html
# The timeline: a task computes 5 ns of 20, then is in MPI for 10, then computes 5.
printf 'vef-trace 1\ntasks 1\ntask 0\nBarrier gap=5 time=10\nBarrier gap=5\n' >half.txt
vef 0 assemble half.txt -o half.vef
vef 0 report half.vef -o half.vef.html
# Messages by hand: sent at 100 and 400 ns, each with the call that ends its receive; task 2 computes between parts.
printf 'vef-trace 1\ntasks 3\ntask 0\nSend to=1 bytes=64 gap=100 time=50\nSend to=1 bytes=4096 gap=250 time=100\ntask 1\nRecv from=0 gap=10 time=140\nRecv from=0 gap=50 time=400\ntask 2\nBcast root=2 bytes=8 gap=700 time=3\n' >two.txt
vef 0 assemble two.txt -o two.vef
vef 0 report two.vef -o two.vef.html
vef 0 replay many.vef --net "$net" --html timeline.html --json && mv out timeline.json
vef 0 replay many.vef --net "$net" --html small.html --max-size 1kB
vef 0 replay many.vef --net "$net" --html part.html --tasks 3,5 --between Allreduce:2-3
vef 0 report timeline.json -o again.html
vef 2 replay --job many.vef --net "$net" --html no.html
says 'expected a replay of a single TRACE'
vef 2 replay many.vef --net "$net" --max-size 1MB
says 'max-size: expected with --timeline or --html'
[ "$(wc -c <many.vef.html)" -gt 100000 ] || fail "the page of many.vef is too small to hold the library and 64 tasks"

# ---- what is refused ----

vef 2 report load.json -o load.json.html
says 'load.json.html exists: expected a new file, or --force'
head -c 1000 load.json >cut.json
vef 2 report cut.json -o cut.html
says 'cut.json:[0-9]*:[0-9]*: not JSON: parse error: premature EOF'
echo '{"a": [1, 2.5e3, true, null, {"b": "\u00e9"}]}' >other.json
vef 2 report other.json -o other.html
says 'other.json: unknown kind of document: expected a trace, JSON that vef info, replay, load or compare wrote'
for wrong in '{"a": 01}' '{"a": 1,}' '{"a" 1}' '{"a": "\x"}' '{"a": [1 2]}' '{"a": tru}' '{} {}' '{"a": 1]'; do
    echo "$wrong" >wrong.json
    vef 2 report wrong.json -o other.html
    says 'wrong.json:1:[0-9]*: not JSON: '
done
mkdir empty
vef 2 report empty -o other.html
says 'empty: not the folder of a study'
vef 2 report none -o other.html
says 'none: No such file'
[ ! -e other.html ] && [ ! -e cut.html ] || fail "something that failed left its output"

# ---- the data of timelines ----

if command -v python3 >/dev/null; then
    data() { python3 "$here/tests/cli/page_data.py" "$@" >out 2>err || fail "page_data.py $*: $(cat err)"; }
    number() { grep -o "\"$1\": [0-9]*" timeline.json | sed 1q | sed 's/.* //'; }
    data half.vef.html blocks
    printf 'task 0 5 15 MPI_Barrier collective -1 0 1 0 0\ntask 0 20 20 MPI_Barrier collective -1 0 1 0 0\n' | cmp -s - out || fail "half.vef: $(cat out)"
    data two.vef.html blocks
    printf '%s\n' 'task 0 100 150 MPI_Send send 1 64 1 0 0' 'task 0 400 500 MPI_Send send 1 4096 1 0 0' \
        'task 1 10 150 MPI_Recv receive 0 64 1 0 0' 'task 1 200 600 MPI_Recv receive 0 4096 1 0 0' \
        'task 2 700 703 MPI_Bcast collective 2 8 1 0 0' | cmp -s - out || fail "two.vef: $(cat out)"
    data two.vef.html messages
    printf 'task 0 task 1 100 150 64\ntask 0 task 1 400 600 4096\n' | cmp -s - out || fail "messages of two.vef: $(cat out)"
    # A replay: its calls, messages, and the critical path of --explain, which reaches from 0 to the end.
    calls=$((64 * (2 + 4 * 5)))
    for page in timeline.html again.html; do
        data $page
        grep -q "^rows 64 calls $calls blocks $calls messages $(number messages) pieces $(number path_pieces) by $(number path_messages) from 0 to $(number time_ns)$" out ||
            fail "$page: $(cat out); expected $calls calls, $(number messages) messages, $(number path_pieces) pieces"
    done
    # Messages of windows and of non-blocking collectives belong to the rows of tasks, and messages that processors send
    # after a call has one too.
    printf '%s\n' 'vef-trace 1' 'tasks 2' 'comm 1 parent=0 by=Win_create members=0-1' 'task 0' 'Win_fence comm=1' 'Put target=1 bytes=800 comm=1 gap=10' \
        'Win_fence comm=1 gap=100' 'Ibarrier request=1' 'Wait requests=1' 'task 1' 'Win_fence comm=1' 'Win_fence comm=1 gap=100' 'Ibarrier request=1' 'Wait requests=1' >sides.txt
    vef 0 assemble sides.txt -o sides.vef
    vef 0 replay sides.vef --net "$net" --html sides.html
    data sides.html messages
    [ "$(grep -c ' 800$' out)" -eq 1 ] && grep -q '^task 0 task 1 [0-9]* [0-9]* 800$' out || fail "the Put of sides.html: $(cat out)"
    [ "$(tail -n 2 out | sed 's/ [0-9]* [0-9]* 0$//' | sort | tr '\n' ' ')" = 'task 0 task 1 task 1 task 0 ' ] || fail "the Ibarrier of sides.html: $(cat out)"
    vef 0 replay many.vef --net '{model: loggp}' --html sides.html --json
    sent=$(sed -n 's/^  "messages": \([0-9]*\),/\1/p' out)
    data sides.html
    grep -q " messages $sent " out || fail "sides.html: $(cat out); expected $sent messages"
    # In little room the same calls are in fewer blocks, and the bytes that they send.
    data small.html
    grep -q "^rows 64 calls $calls blocks \([0-9]\{1,3\}\|10[0-9][0-9]\) messages " out || fail "small.html: $(cat out)"
    data small.html blocks && awk '{ b += $(NF - 3) } END { print b }' out >small.bytes
    data timeline.html blocks && awk '{ b += $(NF - 3) } END { print b }' out | cmp -s - small.bytes || fail "small.html has other bytes: $(cat small.bytes)"
    data part.html blocks
    awk '{ print $2 }' out | sort | uniq -c | tr -d '\n' | grep -q '^ *[0-9]* 3 *[0-9]* 5$' || fail "part.html has other tasks: $(cat out)"
fi

# The links of each interval add up to those of the whole run, to the thousandth to which they are rounded.
if command -v python3 >/dev/null; then
    for document in links.json timeline.json; do
        python3 "$here/tests/cli/page_data.py" $document links >out 2>err || fail "links of $document over time: $(cat err)"
        [ "$(wc -l <out)" -eq 256 ] || fail "$(wc -l <out) links in $document"
        awk '($2 - $3) ^ 2 > 0.00051 ^ 2 { print }' out | grep . && fail "links of $document over time do not add up"
    done
fi

# ---- without a browser ----

for page in *.html; do
    # Data end only where the page ends them: no name closes the script that holds it.
    [ "$(grep -c '</script>' $page)" -eq 3 ] || fail "$page has scripts of its own"
    ! grep -q '<img' $page || fail "$page has a name as HTML"
    grep -q "Content-Security-Policy\" content=\"default-src 'none';" $page || fail "$page may load something"
done
# The configuration of a page is a network file that gives the same result.
if command -v python3 >/dev/null; then
    python3 - replay.json.html >again.yaml <<'PYTHON' || fail "the configuration of replay.json.html"
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
inputs = json.loads(re.search(r'id="inputs">(.*?)</script>', text, re.S).group(1))
json.dump(inputs["inputs"][0]["document"]["configuration"], sys.stdout)
PYTHON
    vef 0 replay many.vef --net again.yaml --map identity --per-task --json
    grep '"time_cycles"' out >again && grep '"time_cycles"' replay.json | cmp -s - again || fail "the page's configuration gives another time"
fi

# So are those of a comparison: each network alone gives the time of its row.
if command -v python3 >/dev/null; then
    python3 - replays.json.html <<'PYTHON' >rows || fail "the configurations of replays.json.html"
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
document = json.loads(re.search(r'id="inputs">(.*?)</script>', text, re.S).group(1))["inputs"][0]["document"]
for i, row in enumerate(document["configurations"]):
    json.dump(row["configuration"], open(f"network-{i}.yaml", "w"))
for row in document["networks"]:
    print(row["time_cycles"])
PYTHON
    vef 0 compare network-0.yaml network-1.yaml --trace many.vef --csv
    awk -F, 'NR > 1 { print $2 }' out | cmp -s - rows || fail "compared again: $(cat out rows)"
fi

rm -f small.html part.html again.html sides.html # like the others in a browser

# ---- in a browser ----

if ! command -v chromium >/dev/null; then
    skip 'pages in a browser: no chromium (common/packages.sh chromium)'
    [ $failures -eq 0 ]
    exit
fi
# browse FILE WIDTHxHEIGHT OPTIONS...: leaves what it printed in dom and console.
browse() {
    file=$1 size=$2
    shift 2
    timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$TMPDIR/browser" \
        --enable-logging=stderr --window-size="$(echo $size | tr x ,)" --virtual-time-budget=5000 "$@" \
        "file://$TMPDIR/$file" >dom 2>console || fail "chromium on $file: $(tail -n 3 console)"
}

# Each page at three widths, in frames of one page. A probe in each clicks the first head of every table and
# reports the outcome; the page around them writes it.
cat >probe.js <<'JS'
<script>
setTimeout(() => {
  document.querySelectorAll("table:not(.heat table) thead").forEach((head) => head.querySelector("button").click());
  const count = (what) => document.querySelectorAll(what).length;
  const rows = [...document.querySelectorAll("table:not(.heat table) tbody")].map((body) => [...body.rows].map((row) => row.cells[0].textContent));
  parent.postMessage([window.name, `charts=${document.body.dataset.rendered}`,
    `undrawn=${[...document.querySelectorAll("figure:not(.map):not(.heat)")].filter((figure) => !(figure.querySelector("canvas") || {}).width).length}`,
    `unsorted=${count("table:not(.heat table)") - count('th[aria-sort="ascending"], th[aria-sort="descending"]')}`,
    `wide=${document.documentElement.scrollWidth > window.innerWidth}`, `images=${count("img:not(.map img)")}`,
    `unnamed=${count("button:empty, a:empty, .scroll:not([aria-label])")}`,
    `timelines=${[...document.querySelectorAll("[data-blocks]")].map(({ dataset: of }) => `${of.blocks}/${of.messages}/${of.path}`)}`,
    `samples=${[...document.querySelectorAll("[data-samples]")].map(({ dataset: of }) => `${of.samples}/${of.shapes}`)}`,
    `maps=${[...document.querySelectorAll(".map img")].filter((image) => image.naturalWidth && / links; the busiest, /.test(image.alt)).length}`,
    `pictures=${[...document.querySelectorAll(".map img")].filter((image) => image.naturalWidth).map((image) => image.alt).join(" ")}`,
    `verdict=${[...document.querySelectorAll(".verdict")].map((one) => one.textContent).join(" ")}`,
    `heat=${[...document.querySelectorAll(".heat tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join(",")).join(";")}`,
    `notes=${[...document.querySelectorAll(".note")].map((one) => one.textContent).join(" ")}`,
    `warnings=${[...document.querySelectorAll(".warning")].map((one) => one.textContent).join(" ")}`,
    `command=${[...document.querySelectorAll("h3")].filter((head) => head.textContent === "How to reproduce").map((head) => head.nextElementSibling.textContent.replace(/\n/g, "; "))}`,
    `first=${rows.length ? rows[0].slice(0, 3).join(",") : ""}`, `title=${document.getElementById("title").textContent}`].join(" "), "*");
}, 1000);
</script>
JS
cat >around.htm <<'HTML'
<!DOCTYPE html><meta charset="utf-8"><pre id="told"></pre><script>
addEventListener("message", (event) => { document.getElementById("told").append(event.data + "\n"); });
</script>
HTML
frames=0
for page in *.html; do
    sed '/^<\/body>/{
r probe.js
N
}' $page >$page.probed.htm
    for width in 1280 390 360; do
        echo "<iframe name=\"$page:$width\" src=\"$page.probed.htm\" style=\"width:${width}px;height:900px;border:0\"></iframe>" >>around.htm
        frames=$((frames + 1))
    done
done
browse around.htm 1400x900 --dump-dom
grep 'CONSOLE' console >out && fail "complaints of pages"
sed -n '/<pre id="told">/,/<\/pre>/p' dom | sed 's/.*<pre id="told">//; /<\/pre>/d' >told
[ "$(wc -l <told)" -eq $frames ] || fail "$(wc -l <told) of $frames pages were rendered: $(cat told)"
grep -v 'undrawn=0 unsorted=0 wide=false images=0 unnamed=0 ' told >out && fail "pages that are not as they should be"

# The command of a page, with the configuration of the page, gives the same document.
if command -v python3 >/dev/null; then
    python3 - load.json >torus.network.yaml <<'PYTHON'
import json, sys
json.dump(json.load(open(sys.argv[1]))["configuration"], sys.stdout)
PYTHON
    command=$(sed -n 's/^load.json.html:1280 .* command=vef \(.*\) first=.*/\1/p' told)
    eval "vef 0 $command"
    for of in load.json out; do
        grep -v -e '"network"' -e _per_second -e '"defaults"' $of >$of.compared
    done
    cmp -s load.json.compared out.compared || fail "again by '$command': $(diff load.json.compared out.compared | head -n 5)"
fi

# told_of PAGE PATTERN: at each width.
told_of() {
    [ "$(grep "^$1:" told | grep -c -- "$2")" -eq 3 ] || fail "$1 without '$2': $(grep "^$1:" told)"
}
# Charts: timeline, times and sizes of a trace, two of what vef info writes without --matrix; four of a load; none of an empty trace.
# Names are text. The first table of a comparison is sorted by name, that of calls too.
told_of many.vef.html 'charts=3 .*title=&lt;img src=x onerror=throw(1)&gt;&lt;/script&gt;&lt;b&gt;&amp;amp;'
told_of many.vef.html 'first=MPI_Allreduce,MPI_Finalize,MPI_Init'
told_of info.json.html 'charts=2 '
told_of alone.vef.html 'charts=0 '
told_of replay.json.html 'charts=1 .*title=many on '
told_of load.json.html 'charts=4 '
told_of timeline.html 'samples=[1-9][0-9]*/256 '
told_of timeline.html "timelines=$((64 * 22))/$(sed -n 's/^  "messages": \([0-9]*\),/\1/p' timeline.json)/[1-9]"
told_of two.vef.html 'timelines=5/2/0 '
told_of loads.json.html 'charts=2 '
told_of replays.json.html 'charts=2 '
told_of several.html 'charts=6 '
# Heat maps: SVG in the page, with alternative text; else the way to one. Tornado: of 256 links a half has no load.
told_of links.json.html 'charts=2 .*samples=[1-9][0-9]*/256 .*maps=1 .*256 links; the busiest, '
told_of tornado.json.html 'charts=4 .*maps=1 .*256 links; the busiest, '
[ "$(grep -o 'stroke=."#fde725." d=."[^"]*' tornado.json.html | grep -o M | wc -l)" -eq 128 ] || fail "tornado: links without load"
told_of foreign.html 'maps=0 .*not a link of the network'
told_of replay.json.html 'maps=0 .*With vef replay --per-link the report shows a heat map'
told_of load.json.html 'maps=0 .*With vef load --per-link the report shows a heat map'
told_of peaks.html 'charts=1 '
told_of study.html 'charts=0 ' # it has its own
# The verdict comes first: RTT(a) has two thirds of the diameter of RT(a), 3a/2; the study's own charts are in the page.
told_of study.html 'verdict=a 4: rtt beats rt by 50 % in diameter (exactly): average distance [0-9.]* instead of 3\. a 6: rtt beats rt by 50 % '
told_of study.html 'heat=,rt,rtt;a 4,+50 %nothing is random,★ best4;a 6,+50 %nothing is random,★ best6 '
told_of replays.json.html 'verdict={model: ideal} beats .*★ best'
# Below saturation both networks accept what is offered.
told_of peaks.html 'verdict=.* are equal within noise .*heat=,torus,mesh;.*≈ '
told_of study.html 'pictures=Chart size of the study'
told_of stall.json.html 'warnings=Stalled '

# The probe sees what a page complains about.
sed 's/^"use strict";/"use strict"; throw new Error("made up");/' load.json.html >broken.htm
browse broken.htm 1280x900 --dump-dom
grep 'CONSOLE' console | grep -q 'made up' || fail "an error in a page is not noticed: $(cat console)"

if [ -n "${VEF_SCREENSHOTS-}" ]; then
    for page in *.html; do
        for size in 1280x1700 390x2400; do browse $page $size --screenshot="$VEF_SCREENSHOTS/${page%.html}-${size%x*}.png"; done
    done
fi
[ $failures -eq 0 ]
