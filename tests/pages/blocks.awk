# Turns a page of Markdown into a shell script that runs its commands: awk -v name=PAGE -f blocks.awk PAGE.md
# A block is what is indented by four spaces between empty lines, or fenced without the name of a language. It is
# - console output, if it begins with "$ ": the lines after a command are what it prints; `$ cat FILE` shows a file
#   (a page may show a file below the command that reads it);
# - a file, if its first line is a comment that is its name alone: "# jobs.yaml";
# - commands, if its first word is a program, a loop or an assignment;
# - else an example of something else, which is not run.
# For each command the script calls `command_begins LINE TEXT`, which is false if the command is not to be run, and
# `command_ends STATUS` with what the page says that it prints, if the page says so (steps.sh).
BEGIN {
    programs = "^(vef|make|cc|mpicc[.a-z]*|mpiexec[.a-z]*|sh|sudo|srun|smpirun|LogGOPSim|spack|eb|for|export|mkdir|cd|cp|" \
        "chakra_[a-z_]*|pip|git|python3|cmp|awk|ROUNDS=9|build/[a-z]+/[a-z]+|[A-Za-z_]+=[^ ].*)$"
}
function quoted(text) { gsub(/'/, "'\\''", text); return "'" text "'" }

# Whether a command goes on in the next line: a backslash, an open quotation, a loop without its end.
function goes_on(text,   rest, open, c, i) {
    if (text ~ /\\$/)
        return 1
    open = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (open == "") {
            if (c == "'" || c == "\"") open = c
            else if (c == "#" && (i == 1 || substr(text, i - 1, 1) ~ /[ \n;]/)) { # a comment, to the end of its line
                while (i < length(text) && substr(text, i + 1, 1) != "\n") i++
            }
        } else if (c == open) open = ""
    }
    if (open != "")
        return 1
    return text ~ /^for / && text !~ /(^|[\n;] *)done/
}

function put_command(line, text, said) {
    commands = commands sprintf("if command_begins %d %s; then\neval \"$command_run\" >\"$printed\" 2>&1 </dev/null\n", line, quoted(text)) \
        sprintf("command_ends $? <<'END_OF_PAGE'\n%sEND_OF_PAGE\nfi\n", said)
}
function put_file(path, from,   i, text) {
    text = "cat >" path " <<'END_OF_PAGE'\n"
    for (i = from; i <= count; i++) text = text block[i] "\n"
    text = text "END_OF_PAGE\n"
    if (!(path in known)) files = files text
    known[path]
    commands = commands text
}

function end_block(   i, text, line, said, console) {
    if (!count)
        return
    if (block[1] ~ /^\$ cat [^ ]+$/)
        put_file(substr(block[1], 7), 2)
    else if (block[1] ~ /^# [A-Za-z0-9_-]+\.[a-z]+(:.*)?$/ || block[1] ~ /^# [A-Za-z0-9_-]+\.[a-z]+; .*$/) {
        text = block[1]; sub(/^# /, "", text); sub(/[:;].*/, "", text)
        put_file(text, 1)
    } else {
        console = block[1] ~ /^\$ /
        text = block[1]
        if (!console && text !~ /^[^ ]+( .*)?$/) { count = 0; return }
        split(text, word, " ")
        if (!console && word[1] !~ programs) { count = 0; return }
        for (i = 1; i <= count; ) {
            line = first + i - 1
            text = block[i++]
            if (console) sub(/^\$ /, "", text)
            while (i <= count && goes_on(text)) text = text "\n" block[i++]
            said = ""
            while (console && i <= count && block[i] !~ /^\$ /) said = said block[i++] "\n"
            put_command(line, text, said)
        }
    }
    count = 0
}
/^```/ { end_block(); fenced = !fenced; skipped = fenced && $0 != "```"; next }
fenced && !skipped { if (!count) first = FNR; block[++count] = $0; next }
!fenced && /^    / && (count || previous ~ /^ *$/ || previous ~ /:$/ ) {
    if (!count) first = FNR
    block[++count] = substr($0, 5)
    previous = $0
    next
}
{ end_block(); previous = $0 }
END { end_block(); printf "%s%s", files, commands }
