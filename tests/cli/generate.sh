# What the tests of `vef generate` share; sourced after tests/command.sh.
ideal='{model: ideal, link: {bandwidth: 8 Gbit/s, phit: 1 B}}' # cycles of 1 ns

# generated WORKLOAD: w.vef, without a fault; its dump in dump.
generated() {
    vef 0 generate "$1" -o w.vef --force
    vef 0 check w.vef
    prints ': no fault'
    vef 0 dump w.vef
    cp out dump
    ran="generate $1"
}
# count N PATTERN: the dump has so many lines with that extended regular expression.
count() {
    found=$(grep -Ec -- "$2" dump)
    [ "$found" -eq "$1" ] || fail "$ran: $found lines with '$2' instead of $1"
}
# refused WORKLOAD SENTENCE: with the position in the text.
refused() {
    vef 2 generate "$1" -o refused.vef
    says "^vef generate: '{...}':1:[0-9]*: .*$2"
    [ ! -e refused.vef ] || fail "$ran: leaves a file"
}
# takes NS: so long does w.vef where messages take no time.
takes() {
    vef 0 replay w.vef --net "$ideal" --set mpi.eager_threshold=1TB --json
    prints "\"time_ns\": $1,"
    prints '"stalled": null'
}

# messages N BYTES: so many messages in the trace, with so many bytes in all. calls N: so many MPI calls of all tasks.
messages() {
    vef 0 info w.vef --json
    prints "\"messages\": $1,"
    prints "\"message_bytes\": $2,"
}
calls() {
    vef 0 info w.vef --json
    prints "\"mpi_calls\": $1,"
}

# again WORKLOAD: the workload in the header of its trace gives the same trace.
again() {
    generated "$1"
    options=$(sed -n 's/^options "\(.*\)"$/\1/p' dump)
    cp w.vef before.vef
    vef 0 generate "$options" -o w.vef --force
    cmp -s w.vef before.vef || fail "the workload of the header, $options, gives another trace than $1"
}
