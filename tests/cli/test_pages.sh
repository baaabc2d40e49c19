#!/bin/sh
# Help, manual pages and completion: lines of help and lists have at most 100 columns; each command has a page in ASCII
# with every option of its `--help`, groff has nothing to say about it (where there is groff), and bash completes
# commands, options, their values and lists.
set -u
vef=$1/vef
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
lint() {
    LC_ALL=C grep -q "[^ -~	]" "$1" && fail "$1: not ASCII: $(LC_ALL=C grep -n "[^ -~	]" "$1" | head -n 3)"
    ! command -v groff >/dev/null || [ -z "$(groff -k -man -Tutf8 -ww -z "$1" 2>&1)" ] || fail "$1: $(groff -k -man -Tutf8 -ww -z "$1" 2>&1)"
}

narrow() {
    "$@" | sed 's/\xe2\x80\xa6/./g; s/\xe2\x88\x98/./g' | LC_ALL=C awk 'length > 100' >"$TMPDIR/wide"
    [ ! -s "$TMPDIR/wide" ] || fail "$*: more than 100 columns: $(head -n 3 "$TMPDIR/wide")"
}

narrow "$vef" --help
narrow "$vef" list all
commands=$("$vef" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
"$vef" list man >"$TMPDIR/vef.1" || fail "vef list man: status $?"
lint "$TMPDIR/vef.1"
for command in $commands; do
    narrow "$vef" "$command" --help
    page=$TMPDIR/$command.1
    "$vef" list man "$command" >"$page" || fail "vef list man $command: status $?"
    grep -q "^.TH vef-$command 1 " "$page" || fail "$command: no title"
    grep -qF "\\fBvef\\-$command\\fR(1)" "$TMPDIR/vef.1" || fail "vef.1 does not name vef-$command(1)"
    "$vef" "$command" --help | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' | sed 's/-/\\-/g' >"$TMPDIR/options"
    while IFS= read -r option; do
        grep -qF -e "\\fB\\-\\-$option\\fR" "$page" || fail "$command: the page lacks --$option"
    done <"$TMPDIR/options"
    lint "$page"
done
# The options of large commands stand in groups, the common ones first.
for command in load replay; do
    "$vef" "$command" --help | grep '^[A-Z].*:$' | head -n 1 | grep -qx 'Common options:' || fail "$command: no group 'Common options' first"
done
"$vef" list man capture | grep -qF -e '\fB\-\-output\fR' || fail "vef-capture(1) lacks --output"
for words in "man nothing" "calls Send"; do
    # shellcheck disable=SC2086
    "$vef" list $words >"$TMPDIR/out" 2>&1
    [ $? -eq 2 ] || fail "vef list $words: status"
done

[ $failures -eq 0 ]
