#!/bin/sh
# `vef import --format otf2` of archives that EZTrace writes while an example runs: each task has the calls,
# messages and bytes of a capture of the same program.
# EZTrace states neither the senders of non-blocking receives nor what completes them: such archives are refused.
set -u
. tests/command.sh
: "${MPIEXEC:=mpiexec.mpich}"
export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

if [ "${VEF_TEST_MPI:-mpich}" != mpich ] || ! command -v eztrace >/dev/null || ! eztrace_avail 2>/dev/null | grep -q mpich; then
    skip 'eztrace: not installed, or without MPICH (Debian: eztrace)'
    exit 0
fi

# events TRACE: sends of all tasks with their envelopes, and the number of each call; sorted. EZTrace does not
# say which communicators are made, and numbers others.
events() {
    "$vef" dump "$1" | awk '
        $1 == "task" { task = $2; next }
        /^[A-Z][a-z_]* ?/ && task != "" {
            calls[task " " $1]++
            if ($1 ~ /^I?send$/ || $1 ~ /^(Isend|Send)$/) {
                line = task
                for (i = 1; i <= NF; i++) if ($i ~ /^(Isend|Send|to=|bytes=|tag=|ordinal=)/) line = line " " $i
                print line
            }
        }
        END { for (call in calls) if (call !~ / (Cart_create|Comm_free)$/) print call, calls[call] }' | sort
}

for program in 'cg -n 512' 'halo2d -n 64 -i 10' 'wavefront -n 16 -i 2'; do
    name=${program%% *}
    [ -x "$build/examples/$name" ] || { skip "$name: not built"; continue; }
    ln -s "$build/examples/$name" . # eztrace splits names at blanks
    # shellcheck disable=SC2086
    "$vef" capture -o "$name.vef" "$MPIEXEC" -n 4 ./$program >out 2>err || fail "capture: $program"
    # shellcheck disable=SC2086
    "$MPIEXEC" -n 4 eztrace -t mpich ./$program >out 2>err || fail "eztrace: $program"
    "$vef" import "${name}_trace/eztrace_log.otf2" --format otf2 -o "$name-eztrace.vef" >out 2>err
    status=$?
    if grep -q 'built without OTF2 (libopen-trace-format2-dev)' err; then
        skip 'otf2: vef was built without it'
        break
    fi
    if [ "$name" != wavefront ]; then
        [ $status -eq 2 ] && grep -q 'EZTrace does not record what becomes of requests' err && [ ! -e "$name-eztrace.vef" ] ||
            fail "$program: expected a refusal"
        continue
    fi
    [ $status -eq 0 ] || { fail "import: $program"; continue; }
    vef 0 check "$name-eztrace.vef"
    events "$name.vef" >expected
    events "$name-eztrace.vef" >found
    [ -s expected ] && cmp -s expected found || { diff expected found >out; fail "$program: other messages or calls"; }
done
[ $failures -eq 0 ]
