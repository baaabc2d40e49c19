# Whether a command prints what a page says: awk -f agrees.awk PAGE_SAYS COMMAND_PRINTS. "…" stands for anything; spaces and
# line breaks do not count, since pages have short lines. With measured=1 numbers and the names of links do not count either.
function plain(text) {
    gsub(/[ \t\n]+/, " ", text)
    if (measured) {
        gsub(/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "#", text)
        gsub(/-#/, "#", text)
        gsub(/[xyz][-+]/, "link", text)
    }
    return text
}
FNR == NR { says = says $0 "\n"; next }
{ prints = prints $0 "\n" }
END {
    rest = " " plain(prints) " "
    whole = rest
    count = split(says, part, "…")
    for (i = 1; i <= count; i++) {
        wanted = plain(part[i])
        sub(/^ /, "", wanted)
        sub(/ $/, "", wanted)
        if (wanted == "") continue
        place = index(rest, wanted)
        if (!place || (i == 1 && place > 2)) {
            print "the page says: " part[i]
            print "the command prints: " prints
            exit 1
        }
        rest = substr(rest, place + length(wanted))
    }
}
