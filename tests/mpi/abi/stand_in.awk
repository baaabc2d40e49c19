# From declarations of MPI functions, `int MPI_Send(const void *buf, int count, …)`, one a line: the functions
# of the stand-in (stand_in.c), which convert arguments from the standard ABI to MPICH's and results back.
function add(list, item) { return list == "" ? item : list ", " item }
function handle(type) { return type ~ /^MPI_(Comm|Datatype|Errhandler|Group|Info|Message|Op|Request|Session|Win)$/ }

# One parameter: its part of the signature, of what goes before and after the call, and of the arguments.
function parameter(text,    name, type, array, constant, kind) {
    array = sub(/\[\]$/, "", text)
    match(text, /[A-Za-z0-9_]+(\[3\])?$/)
    name = substr(text, RSTART)
    type = substr(text, 1, RSTART - 1)
    if (text ~ /\[\]\[3\]$/) { # int ranges[][3]
        signature = add(signature, text)
        sub(/\[\]\[3\]$/, "", name)
        arguments = add(arguments, "ranges")
        return
    }
    gsub(/ /, "", type)
    constant = sub(/^const/, "", type)
    pointer = sub(/\*$/, "", type)
    kind = substr(type, 5)
    if (handle(type) && array) {
        signature = add(signature, "handle *" name)
        before = before type " *own_" name " = real_handles(" name ", " length_of(name) ");"
        arguments = add(arguments, "own_" name)
        if (!constant)
            after = after "give_handles('" substr(kind, 1, 1) "', " name ", own_" name ", " length_of(name) ");"
    } else if (handle(type) && pointer) {
        signature = add(signature, "handle *" name)
        before = before type " own_" name " = real_handle(*" name ");"
        arguments = add(arguments, "&own_" name)
        after = after "*" name " = abi_handle('" substr(kind, 1, 1) "', own_" name ");"
    } else if (handle(type)) {
        signature = add(signature, "handle " name)
        arguments = add(arguments, "real_handle(" name ")")
    } else if (type == "MPI_File" && !pointer) {
        signature = add(signature, "handle " name)
        arguments = add(arguments, "real_file(" name ")")
    } else if (type == "MPI_File") {
        signature = add(signature, "handle *" name)
        before = before "MPI_File own_" name " = real_file(*" name ");"
        arguments = add(arguments, "&own_" name)
        after = after "*" name " = abi_file(own_" name ");"
    } else if (type == "MPI_Status") {
        signature = add(signature, "abi_statuses " name)
        before = before "MPI_Status *own_" name " = real_statuses(" name ", " (array ? length_of(name) : 1) ");"
        arguments = add(arguments, "own_" name)
        after = after "give_statuses(" name ", own_" name ", " (array ? length_of(name) : 1) ", " (constant + 0) ");"
    } else {
        signature = add(signature, text (array ? "[]" : ""))
        arguments = add(arguments, converted(type, name, pointer, array))
        if (type == "int" && pointer && name ~ /^(provided|rank_source|rank_dest|result|status)$/)
            after = after "*" name " = abi_" name "(*" name ");"
    }
}
function converted(type, name, pointer, array) {
    if (type == "void" && name ~ /(buf|buffer)$/) return "real_buffer(" name ")"
    if (array && name ~ /weights$/) return "real_weights(" name ")"
    if (type != "int" || pointer || array) return name
    if (name ~ /^(dest|source|root|rank|target_rank)$/) return "real_rank(" name ")"
    if (name ~ /^(tag|sendtag|recvtag)$/) return "real_tag(" name ")"
    if (name ~ /^(assert|required|split_type|lock_type|amode)$/) return "real_" name "(" name ")"
    return name
}
# Of an array of handles or statuses.
function length_of(name) {
    if (called ~ /lltoallw/) return "members(comm, " (called ~ /eighbor/) ", " (name ~ /^send/) ")"
    return called ~ /contents/ ? "max_datatypes" : called ~ /some$/ ? "incount" : "count"
}
{
    match($0, / MPI_[A-Za-z0-9_]*/)
    called = substr($0, RSTART + 5, RLENGTH - 5)
    result = $1
    text = substr($0, RSTART + RLENGTH + 1)
    sub(/\) *$/, "", text)
    signature = before = after = arguments = ""
    count = split(text, parameters, / *, */)
    for (i = 1; i <= count; i++)
        if (parameters[i] != "void")
            parameter(parameters[i])
    if (called ~ /^(Error_class|Grequest_start|Get_version)$/)
        next # stand_in.c has these
    print result " abi_" called "(" (signature == "" ? "void" : signature) ") {"
    print "    static __typeof__(MPI_" called ") *real;"
    print "    FIND(" called ");"
    print "    " before
    print "    " result " code = real(" arguments ");"
    print "    " after
    print "    return " (result == "int" ? "abi_code(code)" : "code") ";"
    print "}"
    print "EXPORT(" called ")"
}
