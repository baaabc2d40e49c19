#!/bin/sh
# Plug-ins: the example of examples/embed/ is used as any other topology, routing, pattern and mapping is, with
# figures counted by hand; one that lies is refused with what is wrong.
set -u
. tests/command.sh

# object FILE NAME FLAGS...: compiles a plug-in.
object() {
    file=$1
    name=$2
    shift 2
    cc -std=c17 -O1 -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC -I"$build/plugin" "$@" "$here/$file" -o "$name" >out 2>&1 || fail "compiling $file"
}
object examples/embed/chordal_ring.c chordal_ring.so
mkdir networks
cp chordal_ring.so networks/
cat >networks/ring.yaml <<'END'
plugins: [./chordal_ring.so]
topology: {family: chordal-ring, routers: 16, chord: 5}
routing: {algorithm: hop-channels}
END

# A network alone loads nothing, whichever command reads it and whichever part it asks for: the object's constructor would leave a file.
cat >mark.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void mark(void) {
    open("ran", O_CREAT | O_WRONLY, 0600);
}
END
cc -shared -fPIC mark.c -o mark.so >out 2>&1 || fail "compiling mark.c"
"$vef" generate '{workload: ring, tasks: 4, bytes: 1 KiB}' -o four.vef >out 2>&1 || fail "generate"
refused() {
    vef "$@"
    grep -q 'plug-in ./mark.so: not allowed: .*expected --plugin ./mark.so' out err || fail "$ran does not say how to allow it"
    [ ! -e ran ] || fail "$ran ran the object"
    rm -f ran
}
echo '{plugins: [./mark.so], topology: {family: mine}}' >mine.yaml
echo '{plugins: [./mark.so], topology: {family: torus, sizes: [4]}, routing: {algorithm: mine}}' >routed.yaml
echo '{plugins: [./mark.so], topology: {family: torus, sizes: [4]}}' >usual.yaml
for net in mine.yaml routed.yaml usual.yaml; do
    refused 2 load $net --rate 0.1
    refused 2 replay four.vef --net $net
    refused 2 compare $net $net --rate 0.1
    printf 'run: load\nnetworks: %s\nrates: 0.1\n' $net >s.yaml
    refused 1 study s.yaml --plan
    refused 1 study s.yaml -o s-$net
done
refused 2 topology mine.yaml
refused 2 verify routed.yaml
refused 2 load usual.yaml --pattern mine --rate 0.1
refused 2 map four.vef --net usual.yaml --map mine
refused 2 model usual.yaml --map mine
refused 2 load '{family: torus, sizes: [4]}' --set 'plugins=[./mark.so]' --rate 0.1
refused 2 replay --job four.vef --net usual.yaml
refused 2 load usual.yaml --rate 0.1 --plugin ./chordal_ring.so
refused 2 load usual.yaml --rate 0.1 --plugin networks
vef 2 load usual.yaml --rate 0.1 --plugin a:b
says "expected FILE without ':'"
[ ! -e ran ] || fail "the object was run"
# The user names the object, or its folder, which others cannot change.
vef 2 load mine.yaml --rate 0.1 --plugin ./mark.so
[ -e ran ] || fail "an object that was allowed is not loaded"
rm -f ran
mkdir own
cp mark.so own
cp mark.so "own/it's.so"
echo "{plugins: [\"own/it's.so\"], topology: {family: mine}}" >its.yaml
chmod 755 own own/*.so
VEF_PLUGINS="/no/such:$PWD/own" vef 2 load its.yaml --rate 0.1
# The folders above the test's may be anybody's: then it is refused, and says so.
[ -e ran ] || says 'belongs to another user\|can be changed by other users'
rm -f ran
chmod 777 own
VEF_PLUGINS="$PWD/own" vef 2 load its.yaml --rate 0.1
says 'own can be changed by other users\|belongs to another user'
chmod 755 own
chmod 666 own/*.so
VEF_PLUGINS="$PWD/own" vef 2 load its.yaml --rate 0.1
says "it's.so can be changed by other users"
[ ! -e ran ] || fail "an object that others can change was run"
# The configuration of a result names the object so that YAML reads the same name.
cp chordal_ring.so "it's {1}, #.so"
vef 0 load "{plugins: [\"it's {1}, #.so\"], topology: {family: chordal-ring, routers: 16}, routing: {algorithm: hop-channels}}" \
    --plugin "it's {1}, #.so" --rate 0.1 --json
grep -qF "\"plugins\": [\"$PWD/it's {1}, #.so\"]" out || fail "the name of the object in the configuration"
export VEF_PLUGINS=chordal_ring.so:networks/chordal_ring.so:lie.so:no-such.so

# A chordal ring of 16 routers with chords of 5 has 24 links, and, counted by hand from a router of either kind,
# 3 routers at one hop, 6 at two, 5 at three, 1 at four: 34 hops in all.
vef 0 topology networks/ring.yaml --json
grep -q '"diameter": 4' out || fail "the diameter of the chordal ring"
awk '/"average_distance"|"average"/ { gsub(/[",]/, ""); if ($2 > 2.12499 && $2 < 2.12501) ok = 1 } END { exit !ok }' out || fail "its average distance is 34 / 16"
vef 0 topology networks/ring.yaml
prints '^  links  *24 '
prints '^  most loaded link .* by '
vef 0 verify networks/ring.yaml
prints 'free of deadlock: routing hop-channels'
prints '^longest path  *4 hops'

# A uniform load below saturation is delivered; the pattern of the object, too; the same with four threads.
vef 0 load networks/ring.yaml --pattern half-opposite --rate 0.1 --csv
cut -d, -f1-22 out >one
vef 0 load networks/ring.yaml --pattern half-opposite --rate 0.1 --csv --threads 4
cut -d, -f1-22 out >four
cmp -s one four || fail "the result depends on the threads"
vef 0 load networks/ring.yaml --rate 0.1
# The configuration of a result is a network file that names the object by its whole path.
vef 0 load networks/ring.yaml --rate 0.1 --json
grep -q "\"plugins\": \[\"$PWD/networks/chordal_ring.so\"\]" out || fail "the configuration does not name the object"
vef 2 load networks/ring.yaml --pattern '{pattern: half-opposite, strength: 3}' --rate 0.1
says "pattern half-opposite: unknown key 'strength'"

# The mapping: every third endpoint, then those left.
"$vef" generate '{workload: ring, tasks: 16, bytes: 1 KiB, compute: 1 us}' -o ring.vef >out 2>&1 || fail "generate"
vef 0 map ring.vef --net networks/ring.yaml --map 'every(3)' --show --csv
awk -F, 'NR > 1 { printf "%s ", $4 }' out >order
[ "$(cat order)" = "0 3 6 9 12 15 1 4 7 10 13 2 5 8 11 14 " ] || fail "the mapping of the object: $(cat order)"
vef 0 replay ring.vef --net networks/ring.yaml --map 'every(3)'
vef 0 replay ring.vef --net networks/ring.yaml --map 'swap . every(3)'
vef 2 replay ring.vef --net networks/ring.yaml --map 'every(17)'
says 'expected a number from 1 to that of the endpoints'
vef 0 replay ring.vef --net networks/ring.yaml --explain
vef 0 compare networks/ring.yaml '{topology: {family: torus, sizes: [4, 4]}}' --trace ring.vef
# The routing works on other networks.
vef 0 verify '{plugins: [chordal_ring.so], topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: hop-channels}}'
vef 2 topology '{plugins: [chordal_ring.so], topology: {family: chordal-ring, routers: 15}}'
says 'topology chordal-ring: routers: expected an even number'
vef 2 topology '{plugins: [chordal_ring.so], topology: {family: chordal-ring}}'
says 'routers.*missing'
vef 2 topology '{plugins: [chordal_ring.so], topology: {family: chordal-rings, routers: 16}}'
says "unknown topology family 'chordal-rings'"

vef 0 list plugin chordal_ring.so
prints '^topology: family: chordal-ring '
prints '^  chord  *length of a chord'
prints '^mapping: every\[(number)\] '
vef 2 list plugin
vef 2 list plugin no-such.so
says 'no-such.so: cannot open'
vef 2 topology '{plugins: [no-such.so], topology: {family: mine}}'
says "1:12: plug-in no-such.so: No such file"
vef 2 topology '{plugins: no-such.so, topology: {family: mine}}'
says 'expected a list of shared objects'
echo text >text.so
vef 2 list plugin text.so
object tests/plugins/liar.c empty.so -DLIE=NONE -Dvef_plugin_rows=something_else
vef 2 list plugin empty.so
says 'it has no vef_plugin_rows'

# One that was compiled with other headers, and one that uses what vef does not export.
cp -r "$build/plugin" tree
cp "$here/common/plugin/plugin.h" tree/common/plugin
# headers FOLDER: those of the tree as the build installs them.
headers() { (cd tree && find . -type f | sed 's,^\./,,' >list.d && sh "$here/common/plugin/headers.sh" "../$1" ../number list.d && rm list.d); }
headers same
diff -r same "$build/plugin" >out || fail "the same headers have another number"
echo '/* changed */' >>tree/netmodel/routing/view.h
headers other
cc -shared -fPIC -Iother -DLIE=NONE "$here/tests/plugins/liar.c" -o stale.so >out 2>&1 || fail "compiling with other headers"
vef 2 list plugin stale.so
says 'stale.so: made with headers of another version of vef: compile it again with those of this one (pkg-config --cflags vef-plugin)'
cc -shared -fPIC -I"$build/plugin" -DLIE=NONE -Dvef_topology_join=vef_that_was_removed "$here/tests/plugins/liar.c" -o removed.so >out 2>&1 || fail "compiling with other headers"
vef 2 list plugin removed.so
says 'undefined symbol: vef_that_was_removed: compile it again with the headers of this version'

# lies LIE COMMAND WORDS: refused, in those words.
net='{plugins: [lie.so], topology: {family: liar-ring}, routing: {algorithm: liar-forward}}'
lies() {
    object tests/plugins/liar.c lie.so -DLIE="$1"
    case $2 in
    verify) vef "$4" verify "$net" ;;
    topology) vef 2 topology "$net" ;;
    load) vef 2 load "$net" --pattern liar-next --rate 0.1 ;;
    replay) vef 2 replay eight.vef --net "$net" --map 'liar-shift(3)' ;;
    list) vef 2 list plugin lie.so ;;
    esac
    cat err >>out
    grep -q -- "$3" out || fail "$1: not refused with '$3'"
}
"$vef" generate '{workload: ring, tasks: 8, bytes: 1 KiB}' -o eight.vef >out 2>&1 || fail "generate"
vef 0 replay --job 'eight.vef,place=contiguous,map=every(3)' --job pattern=half-opposite,rate=0.1 --net networks/ring.yaml --json
grep -q "\"plugins\": \[\"$PWD/networks/chordal_ring.so\"\]" out || fail "the configuration of jobs does not name the object"
# The one that does not lie: a ring of 8 with one direction and a dateline. A task's 7 hops are its longest path.
lies NONE verify 'free of deadlock' 0
prints '^longest path  *7 hops'
vef 0 load "$net" --pattern liar-next --rate 0.1
vef 0 replay eight.vef --net "$net" --map 'liar-shift(3)'
lies DEADLOCK verify 'cycle' 1
lies DEADLOCK_CLAIMED_UNIFORM verify 'cycle' 1
lies LINK_NOT_BACK topology 'router 3, port 0 leads to router 4, port 0, which does not lead back'
lies ROUTER_OUT_OF_RANGE topology 'router 0, port 0 leads to router 8, port 1: out of range'
lies LINK_TO_ITSELF topology 'router 0, port 0 leads to itself'
lies CLASS_OUT_OF_RANGE topology 'router 4, port 0: class 0 of its link: expected one below 2, the same from both ends'
lies GRID_TOO_SMALL topology 'sizes of a grid: expected a product of 8, the number of routers'
lies ENDPOINT_OUT_OF_RANGE topology 'endpoint 1 is at router 8: expected routers below 8'
lies NO_ORBIT topology 'symmetries without their functions'
lies CHANNEL_OUT_OF_RANGE load 'at router 5 it offers port 0, channel 2, 1 places: expected a port with a link, a channel below 2'
lies PORT_OUT_OF_RANGE load 'at router 5 it offers port 9'
lies NO_PLACE load 'at router 0 it offers port 0, channel 0, 0 places'
lies NO_ESCAPE load 'it offers 1 candidates, none of them an escape'
lies NO_CANDIDATES load 'it offers 0 candidates'
lies TOO_MANY_CANDIDATES load 'it offers 2 candidates: expected at most 1'
lies NEVER_ARRIVES load 'a packet from router [0-9]* to router [0-9]*: plug-in: after 96 hops it has not arrived'
lies TOO_MANY_CHANNELS load '65 channels'
lies TOO_MANY_WORDS load '17 words: expected .* 1 to 16'
lies WORD_BEYOND load 'a hop changes word 1 of a route: expected one below route_words, 1'
lies OTHER_STEPS load 'a hop by port 0: `steps` and `advance` differ'
lies OTHER_SIGNATURE load 'a signature is out of range: expected below 1'
lies NO_COST load 'expected .* `weigh` for a selection by cost'
lies DESTINATION_OUT_OF_RANGE load 'endpoint 6 sends to 8: expected one below 8'
lies SHARES_OF_TWO load 'the shares of endpoint 0 add up to 2: expected 1'
lies TASKS_TOGETHER replay 'tasks 0 and 1 are both at endpoint 3'
lies TASK_OUT_OF_RANGE replay 'task 1 is at endpoint 8'
lies UNPLACED_TASK replay 'task 1 is at endpoint 4294967295'
lies REFUSES topology 'topology liar-ring: not today'
lies OTHER_INTERFACE list 'lie.so: made with headers of another version of vef: compile it again'
lies NO_NAME list 'topology: family: a row without a name'
lies NO_FUNCTION list 'topology: family liar-ring: missing build$'
lies NO_SCHEMA topology 'topology: family liar-ring: missing schema$'
lies NO_STRUCT topology 'topology: family liar-ring: missing parameter_bytes'
[ $failures -eq 0 ]
