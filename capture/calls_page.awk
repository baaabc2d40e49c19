# Writes capture/CALLS.md, what becomes of each function of MPI, from the table of calls:
#
#     awk -f capture/calls_page.awk traces/calls.def
#
# Reads rows CALL(number, name, kind, …), REGION(number, name) and NOT_WRAPPED(function, reason), one
# a line; traces/calls.def says what they mean.
function code(name) { return "`" name "`" }
function mpi(name) { return code("MPI_" name) }
function append(list, item) { return list == "" ? item : list ", " item }

/^CALL\(/ {
    split($0, field, /[(), ]+/)
    name = field[3]
    kind = field[4]
    if (kind == "AS") {
        as_count++
        large[field[5]] = name
    } else if (kind == "COLLECTIVE") {
        recorded++
        base = field[5]
        if (base == name) {
            form = "blocking"
            bases[++base_count] = base
        } else {
            form = name ~ /_init$/ ? "persistent" : "immediate"
        }
        collective[base, form] = name
    } else if (kind == "COUNTED") {
        counted++
        counted_of[group(name)] = append(counted_of[group(name)], mpi(name))
        if (field[5] != "LOCAL" && group(name) > 2)
            blocking = append(blocking, mpi(name))
    } else {
        recorded++
        rows[kind, ++row_count[kind]] = name
    }
}

/^REGION\(/ {
    split($0, field, /[(), ]+/)
    regions = append(regions, code(field[3]))
}

/^NOT_WRAPPED\(/ {
    split($0, field, /[(), ]+/)
    not_wrapped++
    passed[field[3]] = append(passed[field[3]], code(field[2]))
}

# What a counted call is about, as a number: the order of the page.
function group(name) {
    if (name ~ /^Comm_(spawn|accept|connect|join)/) return 1
    if (name ~ /errhandler|Errhandler|error/) return 8
    if (name ~ /^(File_|Register)/) return 2
    if (name ~ /^Type_/ && name !~ /keyval|attr/) return 3
    if (name ~ /^(Pack|Unpack|Reduce_local)/) return 4
    if (name ~ /^Group_/) return 5
    if (name ~ /^(Op_|Info_)/) return 6
    if (name ~ /(keyval|Keyval|attr|Attr)/) return 7
    return 9
}

function with_large(name) {
    return name == "" ? "" : mpi(name) (name in large ? ", " mpi(large[name]) : "")
}

function simple(kind, title, text,    i, list) {
    print "\n### " title "\n"
    print text "\n"
    for (i = 1; i <= row_count[kind]; i++)
        list = append(list, with_large(rows[kind, i]))
    print list
}

function counted_group(number, title) {
    print "* **" title ":** " counted_of[number]
}

END {
    print "# What becomes of each call of MPI"
    print ""
    print "Made by `make docs` from [traces/calls.def](../traces/calls.def): every function that the"
    print "`mpi.h` of MPICH 4.0.2 declares, which has all of MPI 3.1 and 4.0. " recorded " are recorded under"
    print "their own names, " as_count " with large counts as the call without `_c`, " counted " are counted, " not_wrapped
    print "pass unseen. `PMPI_` names are recorded as `MPI_` names are."
    print ""
    print "A recorded call that cannot be held (it failed, or was made on a communicator with members"
    print "outside the world) is counted instead. `vef info` lists what was counted, with the time inside."
    print ""
    print "## Recorded"
    print ""
    print "### Collectives"
    print ""
    print "A persistent one is recorded when it is made, which moves nothing, and at each start by"
    print "`MPI_Start` or `MPI_Startall`. Those with large counts stand behind the comma: they are recorded as"
    print "the call before it."
    print ""
    print "| blocking | non-blocking | persistent |"
    print "| --- | --- | --- |"
    for (i = 1; i <= base_count; i++)
        print "| " with_large(bases[i]) " | " with_large(collective[bases[i], "immediate"]) " | " with_large(collective[bases[i], "persistent"]) " |"
    simple("TRANSFER", "Sends and receives", "Names with `_c` are recorded as the call without. An `MPI_Isendrecv` that receives from any source or with\nany tag stays unmatched in the trace: MPICH 4.0.2 tells nobody which message it took.")
    simple("COMPLETE", "Completion", "With the requests that they complete, or saw complete; unsuccessful ones in a row are one event.")
    simple("PROBE", "Probes", "With the message that was seen; unsuccessful ones in a row are one event.")
    simple("ONE_SIDED", "One-sided operations", "Names with `_c` are recorded as the call without.")
    simple("SYNC", "Synchronisation of windows", "With the tasks that they are about.")
    simple("COMM", "Communicators and windows", "With their members, grids and neighbours.")
    simple("LOCAL", "Local calls", "They move nothing themselves.")
    print "\n### Marks\n"
    print "Not of MPI but of [capture/vef.h](vef.h): " regions "."
    print "\n## Counted\n"
    print "The trace holds how often each was called and the time inside, which is neither communication nor"
    print "computation. Computation before such a call counts as computation before the next recorded one."
    print ""
    print "The time inside a call that cannot block is measured by the clock of computation, so with the CPU"
    print "clock it does not include waiting for a core. The time inside a call that may block is wall time:"
    print "those of other programs and files below, but for handles, groups and hints of files, and"
    print blocking ".\n"
    counted_group(1, "Other programs")
    print "  Their tasks are outside the world of the trace. What is called on the communicators that these"
    print "  make is counted too, under its own name: so the trace says what it lacks."
    counted_group(2, "Files")
    counted_group(3, "Datatypes")
    counted_group(4, "Work on data")
    counted_group(5, "Groups")
    counted_group(6, "Operations and hints")
    counted_group(7, "Attributes")
    counted_group(8, "Errors")
    counted_group(9, "Other bookkeeping")
    print "\n## Not wrapped\n"
    print "* **They return at once,** and measuring would take longer than they do: " passed["AT_ONCE"]
    print "* **Conversions** of handles and statuses between C and Fortran: " passed["CONVERSION"] ", and what `mpi.h`"
    print "  has as macros."
    print "* **The interface for tools:** it asks about the library, not about the program: " passed["TOOL"]
    print "* **MPICH's own,** in neither standard: " passed["EXTENSION"] ". What these make (communicators, requests) is"
    print "  not known to the recording: calls on it are counted."
    print "\n## From Fortran\n"
    print "`mpif.h` and `use mpi` call the functions of C, `use mpi_f08` partly by their `PMPI_` names: both"
    print "are recorded. Only attributes of communicators, windows and datatypes are kept by MPICH in another"
    print "way there, and pass unseen."
}
