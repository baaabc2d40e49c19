#!/bin/sh
# Links between the pages of the documentation lead to files of the tree.
set -u
failures=0
pages=$(find . \( -name '.?*' -o -name 'build*' \) -prune -o -name '*.md' -print)
for page in $pages; do
    for target in $(grep -o ']([^)]*)' "$page" | sed 's/^](//; s/)$//; s/[ #].*//' | grep -v '^https\?:'); do
        [ -e "${page%/*}/$target" ] || { echo "FAIL: $page links to $target, which is missing"; failures=1; }
    done
done
[ "$(echo "$pages" | wc -l)" -gt 10 ] || { echo "FAIL: finds no pages"; failures=1; }
exit $failures
