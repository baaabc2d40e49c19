#!/bin/sh
# headers.sh FOLDER NUMBER FILE.d...: copies the headers that the objects of these dependency files were compiled
# with, closed under inclusion, and plugin.h into FOLDER, with their paths. Their checksum, the number of the interface
# of plug-ins, goes into NUMBER and into the copy of plugin.h.
set -eu
export LC_ALL=C
folder=$1
number=$2
shift 2
entry=common/plugin/plugin.h
headers=$({ cat "$@" | tr ' \\' '\n\n' | grep '^[a-z].*\.\(h\|def\)$'; echo $entry; } | sort -u)
# shellcheck disable=SC2086 # no path of ours holds a blank
sum=$(for header in $headers; do echo "$header" && cat "$header"; done | cksum | awk '{ printf "0x%08xu\n", $1 }')
rm -rf "$folder"
for header in $headers; do
    mkdir -p "$folder/${header%/*}"
    cp "$header" "$folder/$header"
done
sed "s/^#define VEF_PLUGIN_INTERFACE 0$/#define VEF_PLUGIN_INTERFACE $sum/" $entry >"$folder/$entry"
if [ "$(cat "$number" 2>/dev/null)" != "$sum" ]; then echo "$sum" >"$number"; fi
touch "$number"
