#!/bin/sh
# The examples of CONTRIBUTING.md: its blocks of C are compiled as a plug-in, and as variants of vef itself beside a copy
# of the tables with their rows. Both do the same, and what can be counted by hand.
set -u
. tests/command.sh

# Blocks "```c PATH" become files of the folder blocks.
mkdir blocks
awk '/^```c / { path = "blocks/" $2; folder = path; sub("/[^/]*$", "", folder); system("mkdir -p " folder); next }
    /^```/ { path = ""; next }
    path { print >(path) }' "$here/CONTRIBUTING.md"
find blocks -type f | sed 's,^blocks/,,' | sort >files
[ "$(wc -l <files)" -eq 16 ] || { cp files out; fail "the blocks of CONTRIBUTING.md"; }
warnings='-Wall -Wextra -Wshadow -Wconversion -Werror'
sanitizer=
nm -D "$build/vef" | grep -q __asan && sanitizer=-fsanitize=address,undefined

# ---- as a plug-in ----
variants='netmodel/topology/hub.c netmodel/routing/graph/two_ways.c netmodel/traffic/patterns/mirror.c mappings/places/reverse.c'
# shellcheck disable=SC2086 # lists of words
(cd blocks && cc -std=c17 -O1 $warnings -shared -fPIC -fvisibility=hidden -I"$build/plugin" plugin.c $variants -o ../examples.so) >out 2>&1 ||
    fail "compiling the plug-in"
vef 0 list plugin examples.so
for row in 'topology: family: hub' 'routing: algorithm: two-ways' 'pattern: mirror' 'mapping: reverse'; do prints "^$row "; done
export VEF_PLUGINS=examples.so

# ---- as variants of vef itself ----
# A row goes into a copy of its table behind the last one of its kind; of the other three files, see below.
mkdir -p tree objects
for file in $(cat files); do
    mkdir -p "tree/${file%/*}"
    case $file in
    plugin.c) ;;
    *.def)
        awk -v kind="$(sed 's/(.*//;q' "blocks/$file")(" 'FNR == NR { row = row $0 "\n"; next }
            { line[++count] = $0 } index($0, kind) == 1 { last = count } last == count - 1 && /^ / { last = count }
            END { for (i = 1; i <= count; i++) { print line[i]; if (i == last) printf "%s", row } }' "blocks/$file" "$here/$file" >"tree/$file"
        ;;
    interchange/table.c) awk 'FNR == NR { row = row $0 "\n"; next } /^    {NULL,/ { printf "%s", row } 1' "blocks/$file" "$here/$file" >"tree/$file" ;;
    interchange/format.h) awk 'FNR == NR { row = row $0 "\n"; next } /^#endif/ { printf "%s", row } 1' "blocks/$file" "$here/$file" >"tree/$file" ;;
    */arbiters.c) awk 'FNR == NR { row = row $0 "\n"; next } /\*const arbiters\[\]/ { printf "%s", row } 1' "blocks/$file" "$here/$file" >"tree/$file" ;;
    *) cp "blocks/$file" "tree/$file" ;;
    esac
    [ "$file" = plugin.c ] || { [ -s "tree/$file" ] && ! cmp -s "tree/$file" "$here/$file"; } || fail "$file is not in the tree"
done
# What is compiled: the files of the blocks, the tables, and what includes the names of arbiters.
users=$(cd "$here" && grep -lE '"(netmodel/topology/families|netmodel/routing/routings|netmodel/traffic/patterns|mappings/families|replay/collectives/algorithms|netmodel/file/policies)\.(def|h)"' \
    $(find netmodel mappings replay -name 'table.c') netmodel/file/policies.c)
objects=
for file in $(grep '\.c$' files | grep -v plugin.c) $users; do
    source=tree/$file
    [ -f "$source" ] || source=$here/$file
    object=objects/$(echo "$file" | tr / _).o
    # shellcheck disable=SC2086
    cc -std=c17 -D_GNU_SOURCE $sanitizer -O1 $warnings -fPIC -Itree -I"$here" -c "$source" -o "$object" >out 2>&1 || fail "compiling $file"
    objects="$objects $object"
done
libraries="-lyaml -lyajl -lz -lm -lpthread -ldl"
for library in scotch:-lscotch otf2:-lopen-trace-format2; do
    grep -q . "$build/${library%%:*}.flags" && libraries="$libraries ${library#*:}"
done
# shellcheck disable=SC2086
cc $sanitizer -o examples $objects "$build/obj/cli/main.o" "$build/obj/cli/version.o" "$build/rooms.a" $libraries >out 2>&1 || fail "linking vef with the examples"

# The generic tests, which go through the tables, pass with the examples in them.
tests='netmodel/test_topology netmodel/test_topology_properties netmodel/test_routing netmodel/test_traffic_patterns mappings/test_mapping'
# shellcheck disable=SC2046,SC2086
(cd "$here" && env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$1" ${sanitizer:+SANITIZE=1 OPT=-O1} $(for test in $tests; do echo "$1/tests/$test"; done)) >out 2>&1 || fail "make $tests"
support=$(find "$build"/obj/tests/*/ -name '*.o' | grep -v '/test_\|/fuzz/')
for test in $tests; do
    # shellcheck disable=SC2086
    cc $sanitizer -o generic $objects "$build/obj/tests/$test.o" $support "$build/rooms.a" -lcmocka $libraries >out 2>&1 || fail "linking $test with the examples"
    (cd "$here" && "$TMPDIR/generic") >out 2>&1 || fail "$test with the examples"
done

# ---- both do the same ----
"$vef" generate '{workload: ring, tasks: 8, bytes: 1 KiB, compute: 1 us}' -o ring.vef >out 2>&1 || fail "generate"
# run PROGRAM NAME ARGUMENTS...: what it prints, in NAME of the folder of results.
run() {
    program=$1
    name=$2
    shift 2
    "$program" "$@" >out 2>err || { cat err >>out; fail "$program $*"; }
    cut -d, -f1-22 out >"$results/$name" # not the speed
}
# results FOLDER PROGRAM PLUGINS: the key of networks, if any.
results() {
    results=$1
    mkdir "$results"
    run "$2" hub topology "{${3}topology: {family: hub, leaves: 8}}" --csv
    run "$2" hub-load load "{${3}topology: {family: hub, leaves: 8}}" --rate 0.1,0.5 --csv
    for routing in two-ways dor; do
        run "$2" $routing load "{${3}topology: {family: torus, sizes: [8]}, routing: {algorithm: $routing}}" --pattern tornado --rate 0.45 --csv
    done
    for pattern in mirror bit-complement; do
        run "$2" $pattern load "{${3}topology: {family: torus, sizes: [8]}}" --pattern $pattern --rate 0.1 --csv
    done
    run "$2" map map ring.vef --net "{${3}topology: {family: torus, sizes: [8]}}" --map reverse --show --csv
}
results added "$vef" 'plugins: [examples.so], '
results built ./examples ''
diff -r added built >out || fail "plug-ins and variants of vef differ"

# Two leaves are two hops apart. The hub is a switch with queues at its inputs, which carries 0.586 and more (Karol et al. 1987).
vef 0 topology '{plugins: [examples.so], topology: {family: hub, leaves: 8}}' --json
grep -q '"diameter": 2' out || fail "the diameter of a hub"
grep -q '"links": 8' out || fail "the links of a hub"
awk -F, 'NR == 3 { exit !($3 > 0.49 && $3 < 0.51) }' added/hub-load || fail "a hub carries 0.5 of uniform traffic"
# Half round a ring of 8 less one, one way has room for 1 / 3, and both together for 1 / 3 + 1 / 5.
awk -F, 'NR == 2 { exit !($3 > 0.33 && $3 < 0.334) }' added/dor || fail "one way carries a third of tornado traffic"
awk -F, 'NR == 2 { exit !($3 > 0.43 && $3 < 0.534) }' added/two-ways || fail "two ways carry more"
vef 0 verify '{plugins: [examples.so], topology: {family: torus, sizes: [8]}, routing: {algorithm: two-ways}}'
prints 'free of deadlock: routing two-ways'
prints '^longest path  *7 hops'
vef 2 verify '{plugins: [examples.so], topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: two-ways}}'
says 'routing two-ways: expected a torus of one dimension; expected for this network one of: '
# Of a power of two of endpoints, n - 1 - s is s with every bit inverted.
cmp -s added/mirror added/bit-complement || fail "mirror is bit-complement on 8 endpoints"
[ "$(awk -F, 'NR > 1 { printf "%s ", $4 }' added/map)" = "7 6 5 4 3 2 1 0 " ] || { cp added/map out; fail "the mapping"; }

# ---- what only vef itself can have ----
printf 'vef-trace 1\ntasks 4\n' >four.txt
for task in 0 1 2 3; do printf 'task %s\nInit\nAllreduce bytes=1000 elements=125\nFinalize\nend finalized\n' $task; done >>four.txt
vef 0 assemble four.txt -o four.vef
vef=./examples
vef 0 replay four.vef --net '{topology: {family: torus, sizes: [4]}, mpi: {allreduce: direct}}' --json
grep -q '"algorithm": "direct"' out || fail "the algorithm of the replay"
grep -q '"messages": 12\b' out || fail "each of 4 ranks sends to 3"
vef 0 export ring.vef --format volumes -o ring.txt
[ "$(head -n 1 ring.txt | cut -d' ' -f1,2)" = "0 1" ] || { cp ring.txt out; fail "the volumes of a ring"; }
vef 0 load '{topology: {family: torus, sizes: [4, 4]}, router: {arbiter: lowest}}' --rate 0.2 --json
grep -q '"arbiter": "lowest"' out || fail "the arbiter of the load"
[ $failures -eq 0 ]
