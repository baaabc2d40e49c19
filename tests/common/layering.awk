# Prints the breaches of the house's order in the source files given (paths from the root of the tree), one
# a line as FILE:LINE: what, and ends with status 1 when there is one. test_layering.sh runs it.
#
#   - who may include whom: the table below (docs: design, "Rooms"), entries being the beginnings of
#     the paths that a room may include beside its own; likewise the folders within a room
#   - no include cycle: a module, which is a header and the source file of the same name, depends on
#     what either of them includes
#   - includes are written from the root
#   - only capture/, and cli/mpi/ of the program for several ranks, include mpi.h
#   - only cli/ prints or ends the program; capture/ and common/progress.c may write to stderr
#   - randomness comes from common/rng.h alone
#   - texts of pictures are written by common/pictures/svg.c, which escapes them
#   - every source file opens with a comment
#   - no vef_ type is defined twice, and no vef_ function is declared in two headers, except in those of
#     capture/libraries/, which are alternatives
#
# Comments and the insides of strings are taken out of a line before it is looked at.

BEGIN {
    may["cli"]      = "study/ interchange/ replay/ mappings/ netmodel/ workloads/ traces/ common/"
    may["workloads"] = "traces/file traces/event traces/call common/"
    may["study"]    = "replay/ mappings/ netmodel/ traces/ common/"
    may["lib"]      = "interchange/ replay/ mappings/ netmodel/ traces/ common/"
    may["replay"]   = "mappings/ netmodel/ traces/ common/"
    may["interchange"] = "replay/ traces/ common/"
    may["mappings"] = "netmodel/topology/ traces/file/traffic common/"
    may["netmodel"] = "common/"
    may["capture"]  = "traces/event traces/call traces/log common/"
    may["traces"]   = "common/"
    may["common"]   = ""
    within["traces"] = ""
    within["traces/format"] = "traces/event traces/call traces/fields"
    within["traces/rewrite"] = within["traces/format"]
    within["traces/log"] = within["traces/format"] " traces/format/"
    within["traces/file"] = within["traces/log"] " traces/log/"
    within["traces/matching"] = within["traces/file"]
    within["traces/stats"] = within["traces/file"] " traces/file/"
    within["traces/check"] = within["traces/stats"]
    within["traces/merge"] = within["traces/stats"] " traces/matching/ traces/rewrite/"
    within["traces/text"] = within["traces/merge"]
    within["traces/slice"] = within["traces/merge"] " traces/stats/"
    within["traces/scale"] = within["traces/file"] " traces/file/ traces/rewrite/"
    within["workloads"] = ""
    within["workloads/kinds"] = "workloads/kind.h workloads/compute.h workloads/program.h workloads/grid.h workloads/transformer.h"
    within["common"] = ""
    within["common/containers"] = within["common/system"] = "common/memory common/rng common/status common/utf8"
    within["common/report"] = "common/arena common/containers/grow common/memory common/status common/units common/utf8"
    within["common/config"] = "common/"
    within["replay/collectives"] = ""
    within["interchange"] = ""
    split("chakra chrome dag dumpi goal otf2 paraver simgrid vef_text walk", names)
    for (i in names)
        within["interchange/" names[i]] = "interchange/format interchange/import interchange/exchange interchange/spool interchange/names"
    within["interchange/goal"] = within["interchange/goal"] " interchange/dag/ interchange/walk/"
    within["interchange/chakra"] = within["interchange/chakra"] " interchange/dag/"
    within["interchange/vef_text"] = within["interchange/goal"]
    within["interchange/simgrid"] = within["interchange/simgrid"] " interchange/walk/"
    within["netmodel/topology"] = ""
    split("lattice twin tree bypass dragonfly algebraic accelerators failures", names)
    for (i in names)
        within["netmodel/topology/" names[i]] = "netmodel/topology/"
    within["netmodel/traffic"] = "netmodel/netmodel.h netmodel/topology/"
    within["netmodel/simple"] = "netmodel/netmodel.h netmodel/clock netmodel/packets netmodel/kinds netmodel/pending"
    within["netmodel/file"] = "netmodel/netmodel.h netmodel/kinds netmodel/packets netmodel/topology/ netmodel/routing/routing netmodel/routing/broadcast/ netmodel/analysis/layout/"
    within["netmodel/flow"] = within["netmodel/simple"] " netmodel/latency netmodel/statistics netmodel/topology/ netmodel/routing/ netmodel/file/"
    within["netmodel/router/core"] = within["netmodel/flow"] " netmodel/ranks.h"
    within["netmodel/router/policy"] = within["netmodel/flow"] " netmodel/router/core/"
    within["netmodel/router"] = within["netmodel/router/policy"] " netmodel/router/policy/"
    within["netmodel/routing"] = "netmodel/topology/"
    one_routing = "netmodel/topology/ netmodel/routing/routing netmodel/routing/algorithms netmodel/routing/hops netmodel/routing/view netmodel/routing/draws"
    split("lattice graph tree twin accelerators broadcast", names)
    for (i in names)
        within["netmodel/routing/" names[i]] = one_routing
    within["netmodel/routing/tree"] = one_routing " netmodel/routing/graph/"
    within["netmodel/routing/two_phase"] = one_routing " netmodel/routing/lattice/ netmodel/routing/graph/"
    split("dragonfly hyperx", names)
    for (i in names)
        within["netmodel/routing/" names[i]] = one_routing " netmodel/routing/two_phase/"
    within["netmodel/analysis/graph"] = within["netmodel/analysis/layout"] = "netmodel/topology/"
    within["netmodel/analysis/loads"] = "netmodel/topology/ netmodel/analysis/graph/"
    within["netmodel/analysis"] = within["netmodel/analysis/search"] = within["netmodel/analysis/loads"] " netmodel/analysis/loads/ netmodel/analysis/layout/"
    within["netmodel/load"]     = "netmodel/netmodel.h netmodel/clock.h netmodel/topology/ netmodel/traffic/traffic.h netmodel/latency.h netmodel/sampling.h netmodel/utilization.h"
    within["mappings/places"] = "mappings/mapping mappings/families"
    within["mappings/grids"] = within["mappings/places"] " mappings/grid"
    within["mappings/optimisers"] = within["mappings/places"] " mappings/places/launch"
    within["cli/pictures"] = ""
    within["cli/map"] = "cli/pictures/"
    within["cli/info"] = ""
    within["cli/topology"] = "cli/map/traffic cli/program_grid"
    within["cli/load"] = "cli/pictures/ cli/options cli/numbers"
    within["cli/compare"] = within["cli/load"] " cli/load/ cli/map/ cli/program_grid cli/command.h"
    within["cli/study"] = "cli/options cli/capture/shell_word"
    within["cli/pages"] = "cli/command.h"
    within["capture/clock"] = ""
    within["capture/objects"] = "capture/"
    within["capture/wrappers"] = within["capture/libraries"] = "capture/"
    within["capture/preload"] = "capture/clock/clock capture/libraries/libraries"
    within["cli/capture"] = "cli/command.h cli/installed cli/interrupt.h"
    within["netmodel/deadlock"] = "netmodel/topology/ netmodel/routing/"
    split("tests examples bench", names)
    for (i in names)
        outside[names[i]] = 1 # not part of the program: only the opening comment is looked at
    prints = "printf vprintf puts putchar putchar_unlocked perror psignal exit _exit _Exit quick_exit abort"
    draws = "rand rand_r srand random srandom drand48 lrand48 mrand48 erand48"
    count_printing = split(prints, printing)
    count_drawing = split(draws, drawing)
    breaches = 0
}

function breach(what) {
    print FILENAME ":" FNR ": " what
    breaches++
}

# The code of a line; keeps in `in_comment` whether a comment goes on to the next.
function code_of(line,    code, token) {
    code = ""
    while (line != "") {
        if (in_comment) {
            if (!index(line, "*/"))
                return code
            line = substr(line, index(line, "*/") + 2)
            in_comment = 0
            continue
        }
        if (!match(line, /"|'|\/\*|\/\//))
            return code line
        token = substr(line, RSTART, RLENGTH)
        code = code substr(line, 1, RSTART - 1) " "
        line = substr(line, RSTART + RLENGTH)
        if (token == "//")
            return code
        if (token == "/*")
            in_comment = 1
        else if (token == "\"" && match(line, /^([^"\\]|\\.)*"/))
            line = substr(line, RLENGTH + 1)
        else if (token == "'" && match(line, /^([^'\\]|\\.)*'/))
            line = substr(line, RLENGTH + 1)
        else
            line = ""
    }
    return code
}

function holds_word(code, word) {
    return code ~ ("(^|[^A-Za-z0-9_])" word "([^A-Za-z0-9_]|$)")
}

function calls(code, name) {
    return code ~ ("(^|[^A-Za-z0-9_.>])" name "[ \t]*[(]")
}

# Whether the file is in that folder itself.
function is_in(name, folder) {
    return index(name, folder "/") == 1 && !index(substr(name, length(folder) + 2), "/")
}

# Whether `name` begins with one of the beginnings in `list`.
function begins_with(name, list,    entries, count, i) {
    count = split(list, entries, " ")
    for (i = 1; i <= count; i++)
        if (index(name, entries[i]) == 1)
            return 1
    return 0
}

function check_include(room, line,    name, target, folder) {
    if (!match(line, /[<"][^>"]*[>"]/)) {
        breach("an include whose file cannot be read off")
        return
    }
    name = substr(line, RSTART + 1, RLENGTH - 2)
    if (name ~ /(^|\/)mpi[a-z_]*[.]h$/ && room != "capture" && FILENAME !~ /^cli\/mpi\//)
        breach("only capture/ and cli/mpi/ may include " name)
    target = name
    sub(/\/.*/, "", target)
    if (!(target in may) || target == name) {
        if (line ~ /"/)
            breach("include \"" name "\" is not written from the root of the tree")
        return
    }
    folder = FILENAME
    sub(/\/[^\/]*$/, "", folder)
    if (target != room) {
        if (!begins_with(name, may[room]))
            breach(room "/ may not include " name)
    } else if (folder in within && !is_in(name, folder) && !begins_with(name, within[folder]))
        breach(folder "/ may not include " name)
    add_dependency(module_of(FILENAME), module_of(name))
}

function module_of(name) {
    sub(/[.][a-z]*$/, "", name)
    return name
}

function add_dependency(from, to) {
    if (from == to || (from, to) in depends)
        return
    depends[from, to] = 1
    modules[from] = 1
    needed[from] = needed[from] " " to
}

# Takes away modules that need no other one left, until none is found: what is left is in a cycle or
# needs one. Following any first need from there runs into a cycle.
function check_cycles(    module, names, count, i, found, first, path, seen) {
    do {
        found = 0
        for (module in modules) {
            count = split(needed[module], names, " ")
            for (i = 1; i <= count && !(names[i] in modules); i++)
                ;
            if (i > count) {
                delete modules[module]
                found = 1
            }
        }
    } while (found)
    for (module in modules) {
        while (!(module in seen)) {
            seen[module] = 1
            count = split(needed[module], names, " ")
            for (i = 1; i <= count && !(names[i] in modules); i++)
                ;
            module = names[i]
        }
        first = path = module
        do {
            count = split(needed[module], names, " ")
            for (i = 1; i <= count && !(names[i] in modules); i++)
                ;
            module = names[i]
            path = path " -> " module
        } while (module != first)
        print "include cycle: " path
        breaches++
        return
    }
}

function check_printing(room, code,    stderr_allowed, i) {
    # study/child.c gives them to the programs that it starts.
    stderr_allowed = room == "capture" || FILENAME == "common/progress.c" || FILENAME == "study/child.c"
    if (FILENAME != "study/child.c" && (holds_word(code, "stdout") || holds_word(code, "STDOUT_FILENO")))
        breach("only cli/ may write to stdout")
    if (!stderr_allowed && (holds_word(code, "stderr") || holds_word(code, "STDERR_FILENO")))
        breach("only cli/ may write to stderr")
    for (i = 1; i <= count_printing; i++)
        # A process that the recording would harm must be ended before it begins; and so must a
        # child that could not become another program, and of one that did a part of its parent's work.
        if (calls(code, printing[i]) && !(printing[i] == "_exit" && (room == "capture" || FILENAME == "study/child.c" || FILENAME == "common/system/apart.c")))
            breach("only cli/ may call " printing[i])
}

# The vef_ name that a line of code at file level gives to a type, or "".
function type_of(code) {
    if (code !~ /^(typedef[ \t]|})/)
        return ""
    # A pointer to a function, a function, or anything else.
    if (match(code, /[(][*]vef_[A-Za-z0-9_]+[)]/))
        return substr(code, RSTART + 2, RLENGTH - 3)
    if (match(code, /vef_[A-Za-z0-9_]+[(]/) || match(code, /vef_[A-Za-z0-9_]+[ \t]*;/)) {
        code = substr(code, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_]+$/, "", code)
        return code
    }
    return ""
}

# The vef_ function whose declaration begins in a line of code at file level, or "".
function function_of(code) {
    if (code !~ /^[A-Za-z_]/ || code ~ /^typedef[ \t]/ || !match(code, /(^|[ \t*])vef_[A-Za-z0-9_]+[(]/))
        return ""
    code = substr(code, RSTART, RLENGTH - 1)
    sub(/^[ \t*]/, "", code)
    return code
}

function check_names(code,    name) {
    name = type_of(code)
    if (name == "" && FILENAME ~ /[.]h$/ && (name = function_of(code)) != "" && name in named &&
        index(named[name], FILENAME ":") == 1)
        return # a declaration, then the inline definition
    if (name == "" || FILENAME ~ /^capture\/libraries\/.*_handles[.]h$/)
        return
    if (name in named)
        breach(name " is defined in " named[name] " too")
    else
        named[name] = FILENAME ":" FNR
}

FNR == 1 {
    in_comment = 0
    room = FILENAME
    sub(/\/.*/, "", room)
    known = room in may
    if (!known && !(room in outside))
        breach(room "/ is no room of the design")
    if ($0 !~ /^(\/\*|\/\/)/)
        breach("does not open with a comment that says what it is for")
}

{
    if (known && FILENAME != "common/pictures/svg.c" && $0 ~ /"[^"]*<(text|tspan)/)
        breach("a text of a picture: expected vef_svg_text")
    was_comment = in_comment
    code = code_of($0)
}

known {
    if (!was_comment && $0 ~ /^[ \t]*#[ \t]*include/)
        check_include(room, $0)
    else if (code != "") {
        check_names(code)
        if (room != "cli")
            check_printing(room, code)
        for (i = 1; i <= count_drawing; i++)
            if (calls(code, drawing[i]))
                breach("randomness comes from common/rng.h, not from " drawing[i])
    }
}

END {
    check_cycles()
    exit breaches > 0
}
