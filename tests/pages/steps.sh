# What the scripts that blocks.awk makes of pages call; sourced with $page and $rules set, in the folder of the page.

# rule KIND COMMAND: whether a rule of this kind has a text that occurs in the command of this page; the text is $pattern, the
# last field of the rule $found.
rule() {
    found=$(awk -F ' [|] ' -v kind="$1" -v page="$page" -v text="$2" -v used="$used" '
        $1 == kind && ($2 == page || $2 == "*") && ($3 == "*" || index(text, $3)) { print FNR >>used; print $3 "\n" $4; exit }' "$rules")
    pattern=${found%%
*}
    found=${found#*
}
    [ -n "$pattern$found" ]
}
wrong() {
    echo "FAIL: $page:$command_line: $1: $command_text"
    sed 's/^/  | /' "$2" | head -n 30
    echo "$page" >>"$wrongs"
}
# command_begins LINE TEXT: false if the command is not to be run.
command_begins() {
    command_line=$1 command_text=$2
    if rule skip "$2"; then return 1; fi
    command_run=$2
    if [ "${PAGES:-}" != complete ]; then
        if rule slow "$2"; then return 1; fi
        ! rule short "$2" || command_run=$(printf '%s\n' "$2" | awk -v text="$pattern" -v instead="$found" '
            { place = index($0, text) } place { $0 = substr($0, 1, place - 1) instead substr($0, place + length(text)) } 1')
    fi
    # A page may write a file that its setup or an earlier command has written: the reader has none yet.
    for word in $(printf '%s\n' "$command_run" | sed -n 's/.* -o \([A-Za-z0-9._-]*\).*/\1/p; s/.* --\(plot\|timeline\) \([A-Za-z0-9._-]*\).*/\2/p'); do
        [ ! -f "$word" ] || rm "$word"
    done
    echo "$page:$1" >>"$commands"
}
# command_ends STATUS <WHAT_THE_PAGE_SAYS: judges the command; what it printed is in $printed.
command_ends() {
    cat >"$told"
    failure=
    if rule fails "$command_text" || tr '\n' ' ' <"$told" | grep -Eq '(^|… )vef( [a-z]+)?: [^…]*: '; then failure=1; fi
    case $1$failure in
    0 | 11 | 21) ;;
    *) wrong "status $1" "$printed" ;;
    esac
    [ -s "$told" ] || return 0
    if rule varies "$command_text"; then return 0; fi
    measured=
    ! rule measured "$command_text" || measured=1
    awk -v measured=$measured -f "$tests/agrees.awk" "$told" "$printed" >"$printed.differs" ||
        wrong "does not print what the page says" "$printed.differs"
}
