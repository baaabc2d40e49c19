#!/bin/sh
# Figures for papers: every command that draws takes --figure, and the picture has that width as SVG and as PDF, whose fonts
# are embedded; points of load curves lie where the numbers of the table say; where curves end; facets; bars of differences;
# the keys of charts of studies; refusals.
set -u
. tests/command.sh

few='--precision 0.05 --seeds 2 --max-cycles 30000'
cat >torus.yaml <<'END'
topology: {family: torus, sizes: [4, 4]}
routing: {algorithm: dor}
packet: {phits: 4}
END
cat >pairs.txt <<'END'
vef-trace 1
tasks 4
task 0
Init
Send to=1 bytes=40000 ordinal=0
Finalize
task 1
Init
Recv from=0 ordinal=0
Finalize
task 2
Init
Send to=3 bytes=40000 ordinal=0
Finalize
task 3
Init
Recv from=2 ordinal=0
Finalize
END
"$vef" assemble pairs.txt -o pairs.vef || fail 'assembling'

# is_wide FILE MM: the SVG has that width, and its viewBox the same shape.
is_wide() {
    sed -n 's/.*<svg[^>]* width="\([0-9.]*\)mm" height="\([0-9.]*\)mm" viewBox="0 0 \([0-9.]*\) \([0-9.]*\)".*/\1 \2 \3 \4/p' "$1" |
        awk -v mm="$2" '{ found = 1; shape = $1 / $2 / ($3 / $4) } END { exit !(found && $1 == mm && shape > 0.999 && shape < 1.001) }' ||
        fail "$1 is not $2 mm wide: $(head -n 1 "$1")"
}

# ---- every command ----

draws() { # draws ARGUMENTS...: with the picture as the last argument
    vef 0 "$@" drawn.svg --figure width=84mm,font=8
    is_wide drawn.svg 84
    rm -f drawn.svg
}
# shellcheck disable=SC2086 # options
{
    draws load torus.yaml --rate 0.1,0.2 $few --plot
    draws load torus.yaml --rate 0.1 $few --plot-links
    draws compare torus.yaml --vary routing.algorithm=dor,adaptive --rate 0.1,0.2 $few --plot
}
draws compare torus.yaml --trace pairs.vef --plot
draws info pairs.vef --plot
draws replay pairs.vef --net torus.yaml --plot
draws map pairs.vef --net torus.yaml --map identity --plot
draws model torus.yaml --plot
draws topology '{family: rtt, a: 4}' --layout trellis --svg

vef 0 info pairs.vef --plot sized.svg --figure width=120mm,height=90mm,font=10
is_wide sized.svg 120
grep -q 'height="90.00mm"' sized.svg || fail "the height: $(head -n 1 sized.svg)"
vef 0 info pairs.vef --plot plain.svg --figure title=false
texts plain.svg | grep -q 'tasks:' && fail 'a title that was not wanted'
if command -v rsvg-convert >/dev/null; then
    vef 0 info pairs.vef --plot sized.pdf --figure width=84mm
    # In points of 1/72 inch.
    if command -v pdfinfo >/dev/null; then
        pdfinfo sized.pdf | awk '/^Page size/ { exit !($3 > 84 / 25.4 * 72 - 0.5 && $3 < 84 / 25.4 * 72 + 0.5) }' ||
            fail "the PDF: $(pdfinfo sized.pdf)"
    else skip 'the width of PDF: no pdfinfo'; fi
    if command -v pdffonts >/dev/null; then
        pdffonts sized.pdf | awk 'NR > 2 { fonts++; if ($(NF - 4) != "yes") exit 1 } END { exit !fonts }' ||
            fail "fonts of the PDF: $(pdffonts sized.pdf)"
    else skip 'the fonts of PDF: no pdffonts'; fi
else skip 'PDF: no rsvg-convert'; fi

# ---- refusals ----

while IFS='|' read -r figure words; do
    vef 2 info pairs.vef --plot refused.svg --figure "$figure"
    says "$words"
done <<'END'
width=10mm|from 30 mm on
width=84|has no unit
widht=84mm|did you mean width
font=3|from 4 to 32
columns=0.5|columns
width=84mm,width=90mm|width
END
[ ! -e refused.svg ] || fail 'a picture of a wrong size'
vef 2 info pairs.vef --figure width=84mm
says '--figure: expected with --plot'

# ---- load curves ----

# dots FILE PANEL: the places of the symbols of a panel, in the order of the points.
dots() {
    sed -n "/clip-path=\"url(#box$2)\"/,/<clipPath/p" "$1" | sed -n 's/.*translate(\([-0-9.]*\),\([-0-9.]*\)).*/\1 \2/p'
}
# affine FILE: whether the last two columns of every row follow from the first two, each by one line.
affine() {
    awk '{ u[NR] = $1; v[NR] = $2; x[NR] = $3; y[NR] = $4 }
        END { n = NR; if (n < 3) exit 1
          for (i = 1; i <= n; i++) {
            dx = x[i] - x[1] - (u[i] - u[1]) / (u[n] - u[1]) * (x[n] - x[1])
            dy = y[i] - y[1] - (v[i] - v[1]) / (v[n] - v[1]) * (y[n] - y[1])
            if (dx > 0.1 || dx < -0.1 || dy > 0.1 || dy < -0.1) exit 1 } }' "$1"
}
# On a ring of 16 the channels bound uniform traffic by 8 / 16 phits per cycle and endpoint: three loads are below, two above.
# shellcheck disable=SC2086
vef 0 load '{topology: {family: torus, sizes: [16]}, routing: {algorithm: dor}, packet: {phits: 4}}' --rate 0.1,0.2,0.3,0.8,0.9 \
    $few --csv --plot curve.svg
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { print $column["offered_load"], $column["accepted_load"], $column["message_latency_mean_cycles"] }' out >numbers
awk '{ if (NR <= 3 ? !($3 > 0) : $3 ~ /[0-9]/) exit 1 }' numbers || fail "loads below and above saturation: $(cat numbers)"
dots curve.svg 1 | paste -d ' ' numbers - | awk '{ print $1, $2, $(NF - 1), $NF }' >accepted
affine accepted || fail "accepted load: $(cat accepted)"
# Latencies below saturation, the end, and the 99th percentiles.
dots curve.svg 0 >latency.dots
[ "$(wc -l <latency.dots)" -eq 7 ] && [ "$(grep -c 'v-8m' curve.svg)" -eq 1 ] || fail "symbols of the latency: $(cat latency.dots)"
head -n 3 latency.dots | paste -d ' ' numbers - | awk 'NR <= 3 { print $1, $3, $4, $5 }' >latency
affine latency || fail "latency: $(cat latency)"
awk 'NR <= 2 { x[NR] = $1 } NR == 3 { y = $2 } NR == 4 { steps = ($1 - x[1]) / (x[2] - x[1]); exit !(steps > 6.99 && steps < 7.01 && $2 < y) }' \
    latency.dots || fail "the curve does not end at 0.8: $(cat latency.dots)"
for text in 'offered load (% of injection bandwidth)' 'accepted load (%)'; do
    texts curve.svg | grep -qxF "$text" || fail "the picture lacks $text: $(texts curve.svg)"
done
texts curve.svg | grep -q '^uniform, bernoulli, messages of one packet, packets of up to 4 phits' || fail 'the traffic'

# Networks of another bandwidth have no share in common: bytes per second.
# shellcheck disable=SC2086
vef 0 compare torus.yaml --vary 'link.bandwidth=10 Gbit/s,20 Gbit/s' --rate 0.1 $few --plot bandwidths.svg
texts bandwidths.svg | grep -q 'offered load (.*B/s per endpoint)' || fail "loads of two bandwidths: $(texts bandwidths.svg)"

# Nine series become three facets of three, named by the first key, with one legend and shared axes.
# shellcheck disable=SC2086
vef 0 compare torus.yaml --vary router.queue_packets=4,6,8 --vary link.delay_cycles=1,2,3 --rate 0.1,0.2 --precision 0.2 --seeds 1 --plot facets.svg
for value in 4 6 8; do
    [ "$(texts facets.svg | grep -cx "router.queue_packets=$value")" -eq 1 ] || fail "the facet of $value: $(texts facets.svg)"
done
for value in 1 2 3; do
    [ "$(texts facets.svg | grep -cx "link.delay_cycles=$value")" -eq 1 ] || fail "the legend has $value once: $(texts facets.svg)"
done
[ "$(grep -c '<clipPath' facets.svg)" -eq 6 ] || fail 'two panels for each facet'
[ "$(texts facets.svg | grep -c 'offered load')" -eq 2 ] || fail 'shared axes of x'

# ---- differences ----

# Times within 10 % of the first are differences of it: the bars are as long as the table says.
vef 0 compare torus.yaml --vary 'link.delay_cycles=1,2,4,6' --trace pairs.vef --csv --plot times.svg
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { print $column["relative"] }' out >relative
awk '{ if ($1 < 1 || $1 >= 1.1) exit 1; if (NR > 1 && $1 == last) exit 1; last = $1 }' relative || fail "times that are near: $(cat relative)"
sed -n '/<g clip-path/,$p' times.svg | sed -n 's/^<rect x="[0-9.]*" y="[0-9.]*" width="[0-9.]*" height="\([0-9.]*\)".*/\1/p' >bars
[ "$(wc -l <bars)" -eq 3 ] || fail "a bar for all but the base: $(cat bars)"
sed 1d relative | paste -d ' ' - bars | awk '{ if (NR == 1) unit = $2 / ($1 - 1); off = $2 / ($1 - 1) / unit; if (off < 0.99 || off > 1.01) exit 1 }' ||
    fail "the lengths of bars: $(cat relative bars)"
texts times.svg | grep -q '%' || fail 'the unit of differences'
vef 0 compare torus.yaml --vary 'link.delay_cycles=1,2' --trace pairs.vef --plot bars.svg --bars times
texts bars.svg | grep -q '^simulated time (' || fail "times: $(texts bars.svg)"
vef 0 compare torus.yaml --vary 'link.bandwidth=10 Gbit/s,20 Gbit/s' --trace pairs.vef --plot far.svg
texts far.svg | grep -q '^simulated time (' || fail "times that are not near: $(texts far.svg)"
vef 0 compare torus.yaml --vary 'link.bandwidth=10 Gbit/s,20 Gbit/s' --trace pairs.vef --plot far.svg --bars differences
texts far.svg | grep -qx 'difference of the simulated time (%)' || fail "differences: $(texts far.svg)"
texts far.svg | grep -q '−' || fail 'no minus sign'

# ---- studies ----

cat >study.yaml <<'END'
run: load
networks: {rt: '{topology: {family: rt, a: 2}}', rtt: '{topology: {family: rtt, a: 2}}'}
patterns: [uniform, tornado]
rates: [0.1, 0.2]
seeds: 1:2
precisions: 0.1
summary: {measure: average_hops, base: {network: rt}}
charts:
  - {name: facets, kind: curves, x: rate, y: latency_mean_cycles, series: [network], facets: pattern, figure: {width: 174mm, columns: 2}}
  - {name: ratio, kind: bars, x: pattern, y: average_hops, series: [network], relative: ratio}
  - {name: percent, kind: bars, x: pattern, y: average_hops, series: [network], relative: percent}
END
vef 0 study study.yaml -o study
is_wide study/facets.svg 174
[ "$(texts study/facets.svg | grep -cx 'uniform\|tornado')" -eq 2 ] || fail "facets: $(texts study/facets.svg)"
texts study/ratio.svg | grep -qx 'average hops relative to rt' || fail "ratios: $(texts study/ratio.svg)"
texts study/percent.svg | grep -q 'difference from rt (%)$' || fail "differences: $(texts study/percent.svg)"
texts study/percent.svg | grep -qx rt && fail 'the base among the bars'
vef 0 study study.yaml -o study --tables --figure width=84mm
is_wide study/facets.svg 84
sed 's/width: 174mm/width: 1mm/' study.yaml >narrow.yaml
vef 2 study narrow.yaml -o narrow
says 'narrow.yaml:.*30 mm'
[ $failures -eq 0 ]
