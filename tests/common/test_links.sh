#!/bin/sh
# Links between the pages of the documentation lead to files of the tree, and to their headings; no line of a page has
# more than 140 characters.
set -u
failures=0
fail() {
    echo "FAIL: $*"
    failures=1
}
pages=$(find . \( -name '.?*' -o -name 'build*' \) -prune -o -name '*.md' -print)

# The anchors that GitHub gives the headings of a page.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for page in $pages; do
    LC_ALL=C sed 's/[\xc0-\xff][\x80-\xbf]*/?/g' "$page" |
        awk -v page="$page" 'length > 140 { print page ":" FNR ": " length " characters: expected at most 140" }' >"$TMPDIR/long"
    [ ! -s "$TMPDIR/long" ] || fail "$(cat "$TMPDIR/long")"
    for target in $(grep -o ']([^)]*)' "$page" | sed 's/^](//; s/)$//; s/ .*//' | grep -v '^https\?:'); do
        file=${page%/*}/${target%%#*}
        [ "${target%%#*}" != "" ] || file=$page
        if [ ! -e "$file" ]; then
            fail "$page links to $target, which is missing"
        elif [ "$target" != "${target#*#}" ]; then
            anchors "$file" | grep -qxF -e "${target#*#}" || fail "$page links to $target: $file has no such heading"
        fi
    done
done
[ "$(echo "$pages" | wc -l)" -gt 10 ] || fail "finds no pages"
exit $failures
