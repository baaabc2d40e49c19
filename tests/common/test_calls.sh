#!/bin/sh
# No circle of calls among the files of a folder: each file calls only those below it. By nm, and tsort, which names the
# files of a circle. tests/common/test_layering.sh has the same of includes.
set -u
. tests/command.sh
command -v nm >/dev/null || { skip 'calls: no nm (Debian: binutils)'; exit 0; }

# calls FOLDER FILE...: "caller callee" for the calls among object files, named from the folder (its path may hold blanks).
calls() {
    (cd "$1" && shift && nm -A "$@") | awk '
        { name = $1; sub(/:[0-9a-f]*$/, "", name); sub(/.*\//, "", name); kind = $(NF - 1); symbol = $NF }
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

# check FOLDER OBJECTS: a folder of the program whose objects are there, in the same folders.
check() {
    objects=
    for source in "$here/$1"/*.c; do
        object=${source#"$here/"}
        object=${object%.c}.o
        [ -e "$2/$object" ] && objects="$objects $object"
    done
    [ -n "$objects" ] || return
    # shellcheck disable=SC2086 # no path of ours holds a blank
    calls "$2" $objects >pairs
    tsort pairs >order 2>circle || fail "$1: $(tr '\n' ' ' <circle)"
    cat pairs >>every
}

# Excepted: what the dynamic linker calls (capture/preload/loader.c) lets preload.c act, which puts it into place.
folders=$(cd "$here" && find capture cli common interchange lib mappings netmodel replay study traces workloads -name '*.c' |
    sed 's,/[^/]*$,,' | sort -u | grep -vx capture/preload)
for folder in $folders; do
    check "$folder" "$build/obj"
    for library in mpich openmpi abi; do
        check "$folder" "$build/$library"
    done
done
[ "$(wc -l <every)" -gt 100 ] || fail "the calls are not read"

# A circle is found.
printf 'a.o b.o\nb.o a.o\n' | tsort >order 2>circle && fail 'tsort does not find a circle'
[ $failures -eq 0 ]
