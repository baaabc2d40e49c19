#!/bin/sh
# names.sh FOLDER ARCHIVE: the names that the headers in FOLDER declare (headers.sh) and objects of ARCHIVE define: what
# plug-ins may use of vef.
set -eu
export LC_ALL=C
: "${CC:=cc}"
folder=$1
archive=$2
words=$(mktemp)
trap 'rm -f "$words"' EXIT
(cd "$folder" && find . -name '*.h' | sed 's,^\./\(.*\)$,#include "\1",') |
    $CC -std=c17 -D_GNU_SOURCE -I"$folder" -E -P -x c - | grep -o '\bvef_[A-Za-z0-9_]*' | sort -u >"$words"
nm -g --defined-only "$archive" | awk 'NF == 3 && $2 ~ /[TDRB]/ { print $3 }' | sort -u | comm -12 - "$words"
