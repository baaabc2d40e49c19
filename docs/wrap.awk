# For the scripts that write pages: no line of the documentation has more than 140 characters.

# A line, unchanged if it is short enough, else broken at blanks; further lines begin with `rest`, and `end` ends all but
# the last. With an `end` it is a command, which is broken before options only.
function wrap(text, rest, end,    n, i, word, part, parts, line, page) {
    if (length(text) <= 140)
        return text
    n = split(text, word, " ")
    for (i = 1; i <= n; i++)
        if (i > 1 && end != "" && word[i] !~ /^--/)
            part[parts] = part[parts] " " word[i]
        else
            part[++parts] = word[i]
    line = part[1]
    for (i = 2; i <= parts; i++)
        if (length(line " " part[i] end) > 120) {
            page = page line end "\n"
            line = rest part[i]
        } else {
            line = line " " part[i]
        }
    return page line
}
