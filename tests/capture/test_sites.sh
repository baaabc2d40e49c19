#!/bin/sh
# The places of calls (vef capture --sites): the lines that grep finds in the source, whatever the program is compiled
# like, in libraries and from Fortran; the same as addr2line finds; what tables, explanations, timelines and calls under
# way show of them; and that programs and traces without them stay as they are. With each MPI library, as below.
# With each MPI library
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich} mpicc=${MPICC:-mpicc.mpich} mpifort=${MPIFORT:-mpifort.mpich}
cp "$here/tests/mpi/sites.c" "$here/tests/mpi/sites_library.c" "$here/tests/mpi/sites.f90" .
"$vef" version >out
grep -q '^built with:.*libdw' out || { skip 'sites: built without libdw'; exit 0; }

# at FILE NAME: the number of the line with that comment.
at() { grep -n "at $2\\( \\*/\\)*\$" "$1" | cut -d : -f 1; }
# compile FLAGS...: the program and its library.
compile() {
    "$mpicc" -w "$@" -shared -fPIC -o libsites.so sites_library.c &&
        "$mpicc" -w "$@" -o sites sites.c -L. -lsites "-Wl,-rpath,$PWD" || fail "compiling with $*"
}
capture() { vef 0 capture --force --sites -o out.vef -- "$mpiexec" -n 2 "$@"; }
# is CALL COLUMN TEXT: of the call's only row among the sites.
is() {
    vef 0 info --sites --csv out.vef
    found=$(awk -F , -v call="MPI_$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        $2 == call { print $column }' out)
    [ "$found" = "$3" ] || fail "the $2 of MPI_$1 is '$found' instead of '$3'"
}
# place CALL FUNCTION FILE NAME: of a call at the line of that name.
place() {
    is "$1" function "$2"
    is "$1" file "$PWD/$3"
    is "$1" line "$(at "$3" "$4")"
}

# Every place is the one that another reader of debug information finds for the byte before the return address.
command -v addr2line >/dev/null || skip 'sites: no addr2line (Debian: binutils)'
agrees() {
    command -v addr2line >/dev/null || return
    vef 0 info --sites --csv out.vef
    tail -n +2 out | cut -d , -f 3,4,7,8 | while IFS=, read -r file line module offset; do
        found=$(addr2line -e "$module" "$(printf 0x%x $((offset - 1)))" | sed 's/ (discriminator.*//')
        [ "$found" = "$file:$line" ] || echo "$module $offset: $file:$line, addr2line: $found"
    done >different
    [ ! -s different ] || { cp different out; fail 'addr2line finds other places'; }
}

# ---- optimised, position-independent, inlined, by a pointer, in a library ----
compile -O2 -g
"$mpiexec" -n 2 ./sites >plain 2>err
capture ./sites
cmp -s plain out || fail 'the output of the program'
place Init main sites.c init
place Sendrecv_replace exchange sites.c inlined
is Sendrecv_replace caller "relay at sites.c:$(at sites.c relay) < main at sites.c:$(at sites.c caller)"
place Allreduce main sites.c allreduce
place Reduce main sites.c twice
is Reduce calls 4
place Barrier by_pointer sites.c pointer
place Bcast in_library sites_library.c bcast
is Bcast module "$(realpath libsites.so)"
place Finalize main sites.c finalize
is Allreduce calls 6
is Allreduce bytes 24
is Allreduce tasks 2
agrees
vef 0 check out.vef
vef 0 dump out.vef
cp out text
vef 0 assemble --force -o again.vef text
cmp -s out.vef again.vef || fail 'the text form loses call sites'
vef 0 slice --force --tasks 1 -o slice.vef out.vef
vef 0 dump slice.vef
[ "$(grep '^site ' out)" = "$(grep '^site ' text)" ] || fail 'a slice loses call sites'
[ "$(grep -c '^[A-Z]' out)" -gt 0 ] && ! grep '^[A-Z]' out | grep -v ' site=[1-9]' >different ||
    { cp different out; fail 'events of a slice without call sites'; }
sed 's/site=1$/site=99/' text >wrong
vef 2 assemble --force -o wrong.vef wrong
says 'call site 99 is out of range: the trace has [0-9]*'
# In text, explanations and timelines.
vef 0 info --sites out.vef
prints "MPI_Allreduce  *sites.c:$(at sites.c allreduce)  *main "
prints '^MPI_Bcast  *sites_library.c:'
vef 0 replay out.vef --net "$here/examples/networks/cluster.yaml" --explain
prints "of the critical path: MPI_.* at sites"
[ "$(grep -c '^MPI_Reduce at sites' out)" -eq 1 ] || fail 'the two calls of one line are not one row of the critical path'
vef 0 replay out.vef --net "$here/examples/networks/cluster.yaml" --explain --json
prints '"path_sites"'
vef 0 export -f chrome out.vef -o out.json
grep -q "\"site\":\"sites.c:$(at sites.c allreduce)\"" out.json || fail 'a timeline without call sites'

# ---- traces without sites are of the version before, with the same events ----
version() { od -An -tu4 -j8 -N4 "$1" | tr -d ' '; }
sed 's/ site=[0-9]*//; /^site /d' text >without
vef 0 assemble --force -o without.vef without
[ "$(version out.vef) $(version without.vef)" = '6 5' ] || fail 'the versions of the files'
vef 0 info --sites without.vef
prints 'call sites: not recorded (vef capture --sites)'

# ---- without debug information: the function by the symbols, or none ----
compile -O0 -no-pie -s
capture ./sites
is Bcast function in_library # an exported symbol
is Bcast file ''
is Allreduce function ''
is Allreduce module "$(realpath sites)"
vef 0 info --sites out.vef
prints 'MPI_Allreduce  *sites+0x[0-9a-f]* '

# ---- where tasks hang ----
compile -O1 -g -no-pie
setsid "$vef" capture --force --sites -o out.vef -- "$mpiexec" -n 2 ./sites hang >said 2>&1 &
session=$!
stack="hang at sites.c:$(at sites.c hang) < main at sites.c:$(at sites.c hung)"
shows() { "$vef" info "$@" --csv --calls-under-way >out 2>err && grep -q "^0,0,MPI_Recv,.*$stack" out; }
running() { shows --running out.vef.logs-*; } # the logs are not there at once
wait_for running
# shellcheck disable=SC2046
kill -s KILL $(processes_of sites)
wait $session
shows out.vef || fail 'the stacks of killed tasks'
vef 0 dump out.vef
cp out text
vef 0 assemble --force -o again.vef text
cmp -s out.vef again.vef || fail 'the text form loses stacks'

# ---- Fortran, by both modules ----
if "$mpifort" -w -O0 -g -o fortran sites.f90 >out 2>err; then
    capture ./fortran
    for call in Irecv Isend Waitall; do
        place $call sites sites.f90 "$(echo $call | tr '[:upper:]' '[:lower:]')"
    done
    place Bcast newer sites.f90 bcast
    agrees # with Open MPI gfortran gives other lines for mpi_init
else
    skip "sites: no $mpifort"
fi

echo "$failures failures"
[ $failures -eq 0 ]
