#!/bin/sh
# libvef as others use it: installed, compiled against with pkg-config. The examples of examples/embed/ run, and a
# replay through both interfaces has the times of `vef replay`, to the ps.
set -u
. tests/command.sh

prefix=$TMPDIR/prefix
(cd "$here" && env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$1" PREFIX="$prefix" install) >out 2>&1 || fail "make install"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH
source=$prefix/share/vef/embed
flags='-Wall -Wextra -Wshadow -Wconversion -Werror -O2'
sanitized=
if nm -D "$prefix/lib/libvef.so" | grep -q __asan; then
    sanitized=yes
    flags="$flags -fsanitize=address,undefined"
fi
[ "$(pkg-config --modversion vef)" = "$(cat "$here/VERSION")" ] || fail "the version of pkg-config"

# compiled COMPILER FILE...: each becomes a program.
compiled() {
    compiler=$1
    shift
    for file; do
        # shellcheck disable=SC2046,SC2086 # flags are words
        $compiler $flags "$source/$file" $(pkg-config --cflags --libs vef) -o "${file%.*}" >out 2>&1 || fail "compiling $file"
    done
}
compiled "cc -std=c17" switch.c replay.c
compiled c++ uniform.cpp

# Each header compiles by itself, in C99 and in C++11.
for header in "$prefix"/include/vef/*.h; do
    echo "#include <vef/$(basename "$header")>" >one.c
    # shellcheck disable=SC2046 # flags are words
    { cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags vef) one.c &&
        c++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags vef) one.c; } >out 2>&1 || fail "$header"
done

# Those of plug-ins include no others.
(cd "$prefix/include/vef/plugin" && find . -name '*.h') | sed 's,^\./\(.*\),#include "\1",' >whole.c
[ "$(wc -l <whole.c)" -gt 20 ] || fail "the headers of plug-ins"
# shellcheck disable=SC2046 # flags are words
cc -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags vef-plugin) whole.c >out 2>&1 || fail "the headers of plug-ins"

# Nothing but the interface and what plug-ins use is visible, each by a version of its own, and the static library clashes
# with nobody's names.
if [ -z "$sanitized" ]; then
    nm -D --defined-only "$prefix/lib/libvef.so" | awk '$2 != "A" { split($3, name, "@@"); print name[1], name[2] }' | sort >symbols
    sed -n 's/ VEF_0$//p' symbols >functions
    grep -vE '^vef_(feed|fabric|library)_' functions >out
    [ -s out ] && fail "libvef.so shows more than its interface"
    sed -n 's/ VEF_PLUGIN$//p' symbols | LC_ALL=C sort | cmp - "$build/plugin.names" || fail "libvef.so shows plug-ins other names"
    nm -D --defined-only "$prefix/bin/vef" | awk '$3 ~ /^vef_/ { print $3 }' | LC_ALL=C sort | cmp - "$build/plugin.names" || fail "vef shows plug-ins other names"
    awk '$2 != "VEF_0" && $2 != "VEF_PLUGIN" || !/^vef_/' symbols >out
    [ -s out ] && fail "libvef.so shows names without a version"
    # Every function of it is on the page.
    [ "$(wc -l <functions)" -gt 20 ] || fail "the functions of libvef.so"
    while read -r function; do
        grep -q "\`$function\`" "$here/docs/library.md" || fail "docs/library.md does not name $function"
    done <functions
    nm -g --defined-only "$prefix/lib/libvef.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >static
    LC_ALL=C sort functions "$build/plugin.names" | diff static - >out || fail "libvef.a and libvef.so show different names"
fi

# One message of 100 bytes after 1 us: over the switch, stored in between, 2 (50 + 100) ns.
cat >one.txt <<'END'
vef-trace 1
tasks 2
task 0
Init
Send to=1 bytes=100 gap=1000
Finalize
end finalized
task 1
Init
Recv from=0 bytes=100 ordinal=0
Finalize
end finalized
END
vef 0 assemble one.txt -o one.vef
./switch one.vef >out 2>&1 || fail "switch"
[ "$(cat out)" = "2 tasks, 1 messages, 1300 ns" ] || fail "the time of a message over the switch"
# Of two that arrive together at one endpoint the second waits for its cable.
sed -n '/^task 0/,/^end/p' one.txt | sed 's/task 0/task 2/' >second
{ sed -e 's/tasks 2/tasks 3/' -e 's/^Recv .*/&\nRecv from=2 bytes=100 ordinal=0/' one.txt; cat second; } >two.txt
vef 0 assemble two.txt -o two.vef
./switch two.vef >out 2>&1
[ "$(cat out)" = "3 tasks, 2 messages, 1400 ns" ] || fail "two messages over the switch"
./switch no-such.vef >out 2>&1
[ $? -eq 2 ] && grep -q 'no-such.vef: No such file' out || fail "a trace that is not there"
./switch two.vef 2 >out 2>&1
[ $? -eq 2 ] && grep -q 'task 2 is mapped to endpoint 2' out || fail "too few endpoints"

# equal TRACE NETWORK MAPPING: replay.c and vef replay agree on the end of every task.
equal() {
    ./replay "$1" "$2" "$3" >ours 2>&1 || { cp ours out; fail "replay $1 $2"; }
    "$vef" replay "$1" --net "$2" --map "$3" --per-task --csv >theirs 2>err || fail "vef replay $1 $2"
    "$vef" replay "$1" --net "$2" --map "$3" --csv >whole 2>err || fail "vef replay $1 $2"
    cycle_ns=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { printf "%.15g", $column["time_ns"] / $column["time_cycles"] }' whole)
    # To half a ps, and one more where a time was a whole number of cycles but for rounding.
    awk -F, -v cycle_ns="$cycle_ns" 'NR == FNR { split($0, word, " "); ends[word[2]] = word[5]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "end_cycles") column = i; next }
        { off = $column * cycle_ns - ends[$1]; tasks++; if (!($1 in ends) || off * off > 0.0015 ^ 2) exit bad = 1 }
        END { exit bad || tasks == 0 }' ours theirs || { cat ours theirs >out; fail "the times of $1 on $2"; }
}
"$vef" generate '{workload: stencil, points: 7, tasks: 16, block: [32, 32, 32], iterations: 3, compute: {time: 20 us, imbalance: 0.3}}' -o stencil.vef >out 2>&1 || fail "generate"
"$vef" generate '{workload: transpose, tasks: 16, points: [64, 64, 64], iterations: 2, compute: 10 us}' -o transpose.vef >out 2>&1 || fail "generate"
for trace in stencil.vef transpose.vef; do
    equal $trace '{topology: {family: torus, sizes: [4, 4]}}' identity
    equal $trace "$here/examples/networks/rtt-4.yaml" 'random(3)'
    equal $trace '{topology: {family: torus, sizes: [4, 4]}, link: {bandwidth: 56 Gbit/s}, mpi: {eager_threshold: 512 B, alltoall: bruck}}' greedy
    equal $trace '{topology: {family: torus, sizes: [2, 2]}, endpoints_per_router: 1, host: {cores: 4, send_overhead: 700 ns, receive_overhead: 300 ns}}' block
    equal $trace '{model: flow, topology: {family: dragonfly, a: 4, h: 1}}' identity
done

# 0.3 of uniform traffic on a torus of 8x8, which saturates at 1: all of it is delivered (within 3 %).
./uniform >out 2>&1 || fail "uniform"
awk -F'[ ,]+' '{ exit !($6 > 0.29 && $6 < 0.31) }' out || fail "uniform traffic is not delivered"
./uniform '{topology: {family: tours}}' >out 2>&1
[ $? -eq 2 ] && grep -q 'did you mean torus' out || fail "an unknown topology from C++"

# A plug-in, in the installed program and in the library.
# shellcheck disable=SC2046,SC2086 # flags are words
cc -std=c17 $flags -shared -fPIC "$source/chordal_ring.c" $(pkg-config --cflags vef-plugin) -o chordal_ring.so >out 2>&1 || fail "compiling chordal_ring.c"
ring='{plugins: [chordal_ring.so], topology: {family: chordal-ring, routers: 64, chord: 15}, routing: {algorithm: hop-channels}}'
./uniform "$ring" 0.1 >out 2>&1
[ $? -eq 2 ] && grep -q 'chordal_ring.so: not allowed' out || fail "the library loads a plug-in that is not allowed"
export VEF_PLUGINS=chordal_ring.so
"$prefix/bin/vef" verify "$ring" >out 2>&1 || fail "vef verify of a plug-in"
./uniform "$ring" 0.1 >out 2>&1 || fail "a plug-in in the library"
awk -F'[ ,]+' '{ exit !($6 > 0.09 && $6 < 0.11) }' out || fail "uniform traffic on a plug-in is not delivered"
equal stencil.vef '{plugins: [chordal_ring.so], topology: {family: chordal-ring, routers: 16, chord: 5}, routing: {algorithm: hop-channels}}' 'every(3)'

# A program with libvef.a shows its functions only with -rdynamic.
# shellcheck disable=SC2046,SC2086
for option in '' -rdynamic; do
    c++ $flags $option "$source/uniform.cpp" $(pkg-config --cflags vef) "$prefix/lib/libvef.a" $(pkg-config --libs --static vef | sed 's/-lvef//') \
        -o "static$option" >out 2>&1 || fail "linking with libvef.a $option"
done
./static "$ring" 0.1 >out 2>&1
[ $? -eq 2 ] && grep -q 'undefined symbol: vef_.*: the program does not export the functions of vef: expected one that is linked with -rdynamic' out ||
    fail "a plug-in in a program with libvef.a"
./static-rdynamic "$ring" 0.1 >out 2>&1 || fail "a plug-in in a program with libvef.a and -rdynamic"

# 15 messages of 256 phits to the corner of a 4x4 mesh come through its only ejection port.
if [ -n "$sanitized" ]; then
    skip "Python: an interpreter without AddressSanitizer"
elif command -v python3 >/dev/null; then
    export PYTHONPATH="$prefix/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1
    python3 "$source/hot_spot.py" >out 2>&1 || fail "hot_spot.py"
    awk 'NR == 1 { exit !($1 == 15 && $8 >= 3840 && $8 < 3940) }' out || fail "15 messages of 256 phits through a port take 3,840 cycles"
    grep -q '^router [14] -> 0: [0-9]* phits$' out || fail "the busiest links of a hot spot"
    # Python loads the library for itself alone; a plug-in finds it nevertheless.
    python3 "$source/hot_spot.py" '{plugins: [chordal_ring.so], topology: {family: chordal-ring, routers: 16, chord: 5}, routing: {algorithm: hop-channels}}' >out 2>&1 || fail "a plug-in in Python"
    awk 'NR == 1 { exit !($1 == 15 && $8 >= 3840 && $8 < 3940) }' out || fail "15 messages of 256 phits through a port of a chordal ring take 3,840 cycles"
    python3 "$source/hot_spot.py" '{topology: 3}' >out 2>&1 && fail "hot_spot.py with a wrong network"
    grep -q '^hot_spot: .*topology' out || fail "a failure is no exception in Python"
else
    skip "Python: not installed"
fi

(cd "$here" && env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$1" PREFIX="$prefix" uninstall) >out 2>&1 || fail "make uninstall"
find "$prefix" -type f >out
[ -s out ] && fail "make uninstall leaves files"
[ $failures -eq 0 ]
