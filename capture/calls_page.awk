# Writes capture/CALLS.md, how vef treats each MPI function, from the table of calls:
#
#     awk -f docs/wrap.awk -f capture/calls_page.awk traces/calls.def
#
# Reads rows CALL(number, name, kind, …), REGION(number, name) and NOT_WRAPPED(function, reason), one
# per line; traces/calls.def defines them.
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

# The group of a counted call, as a number: the order of the page.
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
    print wrap(list)
}

function counted_group(number, title) {
    print wrap("* **" title ":** " counted_of[number], "  ")
}

END {
    print "# How vef treats each MPI call"
    print ""
    print "After reading this page you know which MPI calls of a program its trace contains. The same from the"
    print "command line:"
    print ""
    print "    vef list calls       # what a trace stores of each call"
    print "    vef info app.vef     # the calls in one trace, recorded and counted"
    print ""
    print "`make docs` generates the page from [traces/calls.def](../traces/calls.def). It has every function of"
    print "MPI 5.0, and every other one that the `mpi.h` of MPICH 4.0.2 or Open MPI 4.1.4 declares:"
    print ""
    print "| functions | treatment |"
    print "| --- | --- |"
    print "| " recorded " | recorded under their own names |"
    print "| " as_count " | with large counts: recorded as the call without `_c` |"
    print "| " counted " | counted |"
    print "| " not_wrapped " | not wrapped |"
    print ""
    print "Calls by `PMPI_` names are recorded like calls by `MPI_` names."
    print ""
    print "A recorded call that a trace cannot store (it failed, or was made on a communicator with members"
    print "outside the world) is counted instead. `vef info` lists the counted calls, with the time inside them."
    print ""
    print "## Recorded"
    print ""
    print "### Collectives"
    print ""
    print "A persistent collective is recorded when it is made, which moves no data, and at each start by"
    print "`MPI_Start` or `MPI_Startall`. Each line has the blocking, the non-blocking and the persistent call."
    print "Those with large counts follow the comma: they are recorded as the call before it."
    print ""
    for (i = 1; i <= base_count; i++)
        print wrap("* " with_large(bases[i]) "; " with_large(collective[bases[i], "immediate"]) "; " with_large(collective[bases[i], "persistent"]), "  ")
    simple("TRANSFER", "Sends and receives", "Names with `_c` are recorded as the call without the suffix. An `MPI_Isendrecv` that receives from any source\nor with any tag stays unmatched in the trace, because MPICH 4.0.2 does not report which message it took.")
    simple("COMPLETE", "Completion", "The trace stores the requests that they complete or see complete; successive unsuccessful calls are one event.")
    simple("PROBE", "Probes", "The trace stores the message that the probe saw; successive unsuccessful calls are one event.")
    simple("ONE_SIDED", "One-sided operations", "Names with `_c` are recorded as the call without the suffix.")
    simple("SYNC", "Synchronisation of windows", "The trace stores the target, or the group of tasks.")
    simple("COMM", "Communicators and windows", "The trace stores members, grids and neighbours.")
    simple("LOCAL", "Local calls", "They move no data themselves.")
    print "\n### Marks\n"
    print "Functions of [capture/vef.h](vef.h), not of MPI: " regions "."
    print "\n## Counted\n"
    print "The trace stores the number of calls of each function and the time inside them, which is neither"
    print "communication nor computation. Computation before such a call counts as computation before the next"
    print "recorded call."
    print ""
    print "The time inside a call that cannot block is measured by the clock of computation, so with the CPU"
    print "clock it does not include waiting for a core. The time inside a call that may block is wall time:"
    print "the calls of other programs and files below (except handles, groups and hints of files), and"
    print wrap(blocking ".") "\n"
    counted_group(1, "Other programs")
    print "  Their tasks are outside the world of the trace. Calls on the communicators that these calls make are"
    print "  counted too, under their own names, so that the trace shows what it lacks."
    counted_group(2, "Files")
    counted_group(3, "Datatypes")
    counted_group(4, "Work on data")
    counted_group(5, "Groups")
    counted_group(6, "Operations and hints")
    counted_group(7, "Attributes")
    counted_group(8, "Errors")
    counted_group(9, "Other bookkeeping")
    print "\n## Not wrapped\n"
    print wrap("* **Return at once:** measuring them would take longer than the calls: " passed["AT_ONCE"], "  ")
    print wrap("* **Conversions** of handles and statuses between C and Fortran, and of handles and integers: " passed["CONVERSION"] ", and the macros of `mpi.h`.", "  ")
    print wrap("* **Tool information interface:** it queries the library, not the program: " passed["TOOL"], "  ")
    print wrap("* **MPICH extensions,** in neither standard: " passed["EXTENSION"] ". The capture library does not know the communicators and requests that these make; calls on them are counted.", "  ")
    print "\n## From Fortran\n"
    print "`mpif.h` and `use mpi` call the C functions, `use mpi_f08` partly by their `PMPI_` names; both are"
    print "recorded. Only attribute functions of communicators, windows and datatypes, which MPICH implements"
    print "separately for Fortran, are not seen."
}
