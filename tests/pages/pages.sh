# The commands of pages: each runs, in the order of its page and in a folder of its own, and prints what the page says.
#
# tests/pages/rules says what a page needs before it, which commands cannot run here and why, which take long (they run with
# PAGES=complete), and which measure, so that their numbers differ from run to run. A rule that no command needs is an error.
# In what a page says that a command prints, "…" stands for anything; spaces and line breaks do not count.
#
# Sourced by the test scripts beside it, which define `chosen PATH_WITHOUT_EXTENSION`: whether a page is theirs.
# PAGES="README docs/load": of these those pages alone.
set -u
. tests/command.sh
tests=$here/tests/pages
PATH=$build:$PATH
used=$TMPDIR/used wrongs=$TMPDIR/wrongs commands=$TMPDIR/commands
rules=$TMPDIR/rules
grep -v '^#\|^$' "$tests/rules" >"$rules"
HOME=$TMPDIR
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export HOME LD_LIBRARY_PATH PATH tests used wrongs commands rules
: >"$used" && : >"$wrongs" && : >"$commands"

# run_rules KIND PAGE: the commands of the rules of this kind, "setup | PAGE | COMMAND".
run_rules() {
    awk -F ' [|] ' -v kind="$1" -v page="$2" '$1 == kind && $2 == page { sub(/^[^|]*[|][^|]*[|] /, ""); print }' "$rules" >setup.sh
    sh -eu setup.sh >out 2>&1 || fail "the rules $1 | $2"
    rm -f setup.sh out
}

# open_folder NAME: a folder with the tree's own, as if it were the top of the tree.
open_folder() {
    mkdir -p "$TMPDIR/$1"
    cd "$TMPDIR/$1" || exit 1
    ln -s "$build" build
    for entry in Makefile bench capture cli docs examples lib netmodel packaging; do ln -s "$here/$entry" "$entry"; done
}

open_folder fixtures
run_rules setup '*'
cd "$TMPDIR" || exit 1
for path in $(cd "$here" && find . -name '*.md' -not -path './build*' | sed 's,^./,,' | sort); do
    page=${path%.md}
    chosen "$page" || continue
    echo "$page" >>"$TMPDIR/run"
    case "${PAGES:-complete}" in complete | "$page" | "$page "* | *" $page" | *" $page "*) ;; *) continue ;; esac
    open_folder "folders/$page.d"
    find "$TMPDIR/fixtures" -type f -exec cp {} . \;
    run_rules setup "$page"
    { echo '. "$tests/steps.sh"'; awk -f "$tests/blocks.awk" "$here/$path"; } >"$TMPDIR/page.sh"
    page=$page printed=$TMPDIR/printed told=$TMPDIR/told sh "$TMPDIR/page.sh" >>"$TMPDIR/failures" 2>&1
    cd "$TMPDIR" || exit 1
done
cat failures
echo "$(wc -l <"$commands") commands, $(wc -l <"$wrongs") wrong"
if [ -z "${PAGES:-}" ]; then # every rule of these pages has been needed
    awk -F ' [|] ' 'FILENAME == ARGV[1] { ran[$1]; next } FILENAME == ARGV[2] { used[$1]; next }
        ($2 in ran) && $1 !~ /^(setup|slow)$/ && !(FNR in used) { print "FAIL: tests/pages/rules: no command needs: " $0; bad = 1 }
        END { exit bad }' "$TMPDIR/run" "$used" "$rules" || failures=1
fi
[ ! -s "$wrongs" ] && [ "$failures" -eq 0 ]
