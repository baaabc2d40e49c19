#!/bin/sh
# No circle of calls among the files of a folder: each file calls only those below it. By nm, and tsort, which names the
# files of a circle. tests/common/test_layering.sh has the same of includes.
set -u
. tests/command.sh
command -v nm >/dev/null || { skip 'calls: no nm (Debian: binutils)'; exit 0; }

# calls: "caller callee" for the calls among object files of the same folder, of what nm -A prints (paths may hold blanks).
calls() {
    awk '
        { name = $0; sub(/:[^:]*$/, "", name); folder = name; sub(/[^\/]*$/, "", folder); kind = $(NF - 1); symbol = folder $NF }
        kind ~ /^[TBDR]$/ { defined[symbol] = name }
        kind == "U" { used[name " " symbol] = 1 }
        END {
            for (use in used) {
                split(use, part, " ")
                if (part[2] in defined && defined[part[2]] != part[1])
                    print part[1], defined[part[2]]
            }
        }'
}

# Excepted: what the dynamic linker calls (capture/preload/loader.c) lets preload.c act, which puts it into place.
(cd "$here" && find capture cli common interchange lib mappings netmodel replay study traces workloads -name '*.c' ! -path 'capture/preload/*') |
    sed 's/c$/o/' >objects
for folder in obj mpich openmpi abi; do
    [ -d "$build/$folder" ] || continue
    (cd "$build/$folder" && while read -r object; do [ ! -e "$object" ] || echo "$object"; done <"$TMPDIR/objects" | xargs nm -A) | calls >pairs
    tsort pairs >order 2>circle || fail "$folder: $(tr '\n' ' ' <circle)"
    cat pairs >>every
done
[ "$(wc -l <every)" -gt 100 ] || fail "the calls are not read"

# A circle is found.
printf 'a.o b.o\nb.o a.o\n' | tsort >order 2>circle && fail 'tsort does not find a circle'
[ $failures -eq 0 ]
