#!/bin/sh
# Wrong command lines and files of all kinds (wrong.table): each is refused with status 2, and the message names the thing that is
# wrong, the place, and what is accepted. Usage lines do not count. For `vef study`, which reports points, stdout counts as well.
set -u
table=$(pwd)/tests/cli/wrong.table
. tests/command.sh

# file NAME: makes a file of these lines, with \n and \t as in printf.
file() { printf "$2" >"$1"; }

cp "$here/examples/networks/rt-4.yaml" net.yaml
cp net.yaml other.yaml
file text.txt 'vef-trace 1\ntasks 2\ntask 0\nSend to=1 bytes=1024\ntask 1\nRecv from=0\n'
file badtext.txt 'vef-trace 1\ntasks 2\ntask 0\nSned to=1 bytes=1024\ntask 1\nRecv from=0\n'
file badpeer.txt 'vef-trace 1\ntasks 2\ntask 0\nSend to=7 bytes=1024\ntask 1\nRecv from=0\n'
file badfield.txt 'vef-trace 1\ntasks 2\ntask 0\nSend to=1 byts=1024\ntask 1\nRecv from=0\n'
vef 0 assemble text.txt -o pair.vef
vef 0 export pair.vef --format goal -o sched.goal
bytes=$(wc -c <pair.vef)
head -c $((bytes * 2 / 3)) pair.vef >cut.vef
# One bit of the events, and the version.
{ head -c $((bytes / 2)) pair.vef && printf '\377\377' && tail -c +$((bytes / 2 + 3)) pair.vef; } >flip.vef
{ head -c 8 pair.vef && printf '\143' && tail -c +10 pair.vef; } >later.vef
"$vef" info pair.vef --json >result.json

file two.txt '0\n1\n'
file twice.txt '0\n1\n1\n'
file far.txt '0\n77\n2\n'
file words.txt '0\none\n2\n'
file graph.txt '0 1\n1 2\nendpoints 12 1\n'
file self.txt '0 1\n1 1\n'
file word.txt '0 b\n'
file graph.yaml 'topology: {family: edges, file: graph.txt}\n'
file graph-self.yaml 'topology: {family: edges, file: self.txt}\n'
file graph-word.yaml 'topology: {family: edges, file: word.txt}\n'
file graph-trace.yaml 'topology: {family: edges, file: pair.vef}\n'
file missing-graph.yaml 'topology: {family: edges, file: nowhere.txt}\n'
file tab.yaml 'topology:\n\tfamily: torus\n'
file twokeys.yaml 'topology: {family: torus, sizes: [4, 4]}\nrouting: {algorithm: dor}\nrouting: {algorithm: adaptive}\n'
file near.yaml 'topolgy: {family: torus, sizes: [4, 4]}\n'
file family.yaml 'topology: {family: tours, sizes: [4, 4]}\n'
file sizes.yaml 'topology: {family: torus, sizes: eight}\n'
file negative.yaml 'topology: {family: torus, sizes: [4, 4]}\nrouter: {queue_packets: -4}\n'
file nounit.yaml 'topology: {family: torus, sizes: [4, 4]}\nlink: {phit: 4}\n'
file both.yaml 'topology: {family: torus, sizes: [4, 4]}\nlink: {delay: 10 ns, delay_cycles: 3}\n'
file no-sizes.yaml 'topology: {family: torus}\n'
file huge.yaml 'topology: {family: torus, sizes: [60000, 60000]}\n'

file study.yaml 'run: load\nnetworks: [net.yaml]\nrates: [0.1]\nseeds: 1\nmax_cycles: 5000\n'
file axis.yaml 'run: load\nnetworks: [net.yaml]\nrates: [0.1]\nmapings: [identity]\n'
file norates.yaml 'run: load\nnetworks: [net.yaml]\n'
file kind.yaml 'run: laod\nnetworks: [net.yaml]\nrates: [0.1]\n'
file seeds.yaml 'run: load\nnetworks: [net.yaml]\nrates: [0.1]\nseeds: 5:1\n'
file badnet.yaml 'run: load\nnetworks: [absent.yaml]\nrates: [0.1]\n'
file chart.yaml 'run: load\nnetworks: [net.yaml]\nrates: [0.1]\ncharts:\n  - {name: c, kind: lines, x: rate, y: accepted_load}\n'
file figure.yaml 'run: load\nnetworks: [net.yaml]\nrates: [0.1]\ncharts:\n  - {name: c, kind: curves, x: rate, y: accepted}\n'
file jobs.yaml 'jobs:\n  - {trace: pair.vef}\n'
file nojobs.yaml 'job:\n  - {trace: pair.vef}\n'
file jobkey.yaml 'jobs:\n  - {trace: pair.vef, plce: group}\n'
file jobtime.yaml 'jobs:\n  - {trace: pair.vef, start: 5}\n'
file work.yaml 'tasks: 4\nworkload: ring\n'
file badwork.yaml 'tasks: 4\nworkload: stencil\npionts: 5\n'

file hello.txt 'hello\n'
file doc.pdf '%%PDF-1.4\n%%\342\343\317\323\n1 0 obj\n'
file cap.pcap '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000\000\000\004\000\001\000\000\000'
: >empty
mkdir folder
gzip -c <text.txt >t.gz
cp /bin/true app
vef 0 study study.yaml -o out-of-study

rows=0 things=0 places=0 accepteds=0 complete=0
# has PART PATTERN: whether the message has the part; the whole of a message counts, whatever its lines.
has() {
    grep -aqE -- "$2" message && return 0
    missing="$missing $1 ($2)"
    return 1
}
# check STATUS COMMAND PATTERNS: one row.
check() {
    eval "set -- \"\$1\" \"\$3\" $2"
    wanted=$1 patterns=$2
    shift 2
    ran="vef $*" missing=
    timeout 60 "$vef" "$@" >out 2>err </dev/null
    status=$?
    cat out err | grep -av '^usage: \|^See `' >message
    thing=${patterns%% ; *} rest=${patterns#* ; }
    rows=$((rows + 1))
    has thing "$thing" && things=$((things + 1))
    has place "${rest%% ; *}" && places=$((places + 1))
    has accepted "${rest#* ; }" && accepteds=$((accepteds + 1))
    [ -n "$missing" ] || complete=$((complete + 1))
    [ $status -eq "$wanted" ] || missing="$missing status $wanted, not $status"
    [ -z "$missing" ] || fail "$ran: lacks$missing"
}
command=
while IFS= read -r line <&3; do
    case $line in
        '#'* | '') ;;
        '$ '*) status=2 command=${line#??} ;;
        [0-9]*' $ '*) status=${line%% *} command=${line#*\$ } ;;
        '  '*) check "$status" "$command" "${line#  }" ;;
        *) fail "$table: $line" ;;
    esac
done 3<"$table"
echo "$rows rows: the message names the thing in $things, the place in $places, what is accepted in $accepteds, all three in $complete"
[ $rows -ge 100 ] || fail 'fewer than 100 rows'
[ $failures -eq 0 ]
