#!/bin/sh
# Runs programs plain and under `vef capture`, and demands that nothing differs: output and errors of each task, how each
# task and the job ended, and the files that they wrote (names, sizes, modes, contents). The programs (programs/, cases in
# table) print what else a process can see of itself, and check it. Whether a case's own checks hold is part of it: a plain
# run that fails is a fault of the case.
#
#     tests/harmless/run.sh BUILD [--quick] [--list] [--keep FOLDER] [--spoiled LIBRARY WAYS | --plain] [WORD...]
#
# BUILD      the folder with vef
# --quick    the cases that the table calls quick
# --keep     keep the results of cases that differ in this folder
# --plain    compares two plain runs: cases that differ by themselves are of no use
# --spoiled  preloads this library into the second run in place of a capture: shows that the comparison notices its effects;
#            one such run for each word of WAYS, which is a part of the name under which the library is preloaded
# WORD       cases whose names contain one of the words; =WORD: the case of that name
#
# $HARMLESS_MADE, a folder, keeps the compiled programs for further runs.
# With each MPI library of $MPIS (default: those of the build). The last line is "N cases compared, N differ".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
shift
quick= keep= second=captured spoiler= spoils=once words=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=" $(sed -n 's/^quick //p' "$here/table" | tr '\n' ' ') " ;;
    --keep) mkdir -p "$2" && keep=$(cd "$2" && pwd) && shift || exit 2 ;;
    --plain) second=plain ;;
    --spoiled) second=spoiled spoiler=$2 spoils=$3 && shift 2 ;;
    --list) sed -n 's/^run \([^ ]*\) .*/\1/p' "$here/table" && exit ;;
    -*) echo "run.sh: unknown option $1" && exit 2 ;;
    *) words="$words $1" ;;
    esac
    shift
done
: "${MPIS:=$(ls "$build"/libvefcapture-*.so | sed 's/.*libvefcapture-//; s/\.so$//' | sort | tr '\n' ' ')}"

# Open MPI's launcher as root and with more tasks than cores; no handlers of MPI libraries that print addresses. Sanitizers
# report no leaks of MPI libraries.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_opal_signal= UCX_HANDLE_ERRORS=none UCX_DEBUG_SIGNO=SIGSTKFLT UCX_LOG_LEVEL=fatal
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" LC_ALL=C OMP_NUM_THREADS=3
unset OMP_WAIT_POLICY 2>/dev/null
ulimit -c 0
# Where a folder has a space in its name, vef adds it to LD_LIBRARY_PATH (docs/capture.md); programs/state.h leaves it out.
export HARMLESS_VEF="$build"

# LD_PRELOAD, in which cases name libraries of this folder, cannot hold a name with a space.
case ${TMPDIR:-/tmp} in *[[:space:]:]*) TMPDIR=/tmp ;; esac
case ${HARMLESS_MADE:-} in *[[:space:]:]*) HARMLESS_MADE= ;; esac
scratch=$(mktemp -d "${TMPDIR:-/tmp}/harmless.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP PIPE
made=${HARMLESS_MADE:-$scratch}
mkdir -p "$scratch/tmp" "$made"
TMPDIR=$scratch/tmp
export TMPDIR
[ -e "$made/watch" ] || ${CC:-cc} -D_GNU_SOURCE -O1 -o "$made/watch" "$here/watch.c" || exit 2
for spoil in ${spoiler:+$spoils}; do # programs/state.h leaves libraries of this name out
    cp "$spoiler" "$scratch/libvefcapture-$spoil.so" || exit 2
done
full= compared=0 different=0 skipped=0 swept=0 harmed=0 silent=0

# compile COMPILER NAME WORDS...: into $bin.
compile() {
    with=$1 to=$bin/$2
    mkdir -p "${to%/*}"
    shift 2
    case $1 in *.sh) cp "$here/programs/$1" "$to" && return ;; esac
    count=$#
    while [ "$count" -gt 0 ]; do
        case $1 in
        mpi/*.c | mpi/*.F90) set -- "$@" "$here/../$1" ;;
        failing.c) set -- "$@" "$here/$1" ;;
        *.c | *.cc) set -- "$@" "$here/programs/$1" ;;
        @*) set -- "$@" "$bin/${1#@}" ;;
        +*) ;;
        *) set -- "$@" "$1" ;;
        esac
        shift
        count=$((count - 1))
    done
    "$with" -D_GNU_SOURCE -I"$here/programs" -I"$here/../.." -I"$here/../../capture" -O1 -g -w -o "$to" "$@" -ldl -pthread >"$scratch/compiler" 2>&1
}

# need NAME...: compiles these programs, and what they need, unless they are there. Names that the table does not have are no
# programs of ours.
need() {
    for program; do
        program=${program#[@+]}
        [ ! -e "$bin/$program" ] || continue
        line=$(grep "^build[a-z-]* $program " "$here/table") || continue
        # shellcheck disable=SC2046 # a list of words
        (need $(printf '%s\n' "$line" | tr ' ' '\n' | grep '^[@+]')) || return 1
        with=$compiler
        case $line in
        build-plain\ *) with=${CC:-cc} ;;
        build-fortran\ *) with=mpifort${compiler#mpicc} ;;
        build-headers\ *) with=${CC:-cc} line="$line $("$compiler" -show | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')" ;;
        esac
        # shellcheck disable=SC2086
        if ! compile "$with" $(printf '%s\n' "$line" | cut -d ' ' -f 2-); then
            printf 'WRONG   %s (%s) does not compile\n' "$program" "$mpi"
            sed 's/^/        /' "$scratch/compiler" | head -n 20
            return 1
        fi
    done
}

# wanted NAME: whether the words of the command line choose the case.
wanted() {
    case $quick in '' | *" $1 "*) ;; *) return 1 ;; esac
    [ -n "$words" ] || return 0
    for word in $words; do
        case $1 in "${word#=}") return 0 ;; esac
        case $word in =*) ;; *) case $1 in *"$word"*) return 0 ;; esac ;; esac
    done
    return 1
}

# run_job WAY NAME: the job of the case in the folder $scratch/run, so that both runs have the same paths; leaves its results
# in $scratch/NAME: out, err and end of the job, task/{out,err,end}-RANK, and files/.
run_job() {
    way=$1 result=$scratch/$2
    rm -rf "$result" "$scratch/now" "$scratch/run" "$scratch/trace"
    mkdir -p "$scratch/now/task" "$scratch/run" "$scratch/trace"
    set -- "$made/watch" task "$scratch/now/task" sh -c "exec $(printf '%s' "$command" | sed 's,@\([A-Za-z0-9_.-]*\),"$HARMLESS_BIN"/\1,g')"
    [ "$tasks" -eq 0 ] || set -- "$mpiexec" -n "$tasks" "$@"
    case $way in
    captured)
        set -- "$build/vef" capture -o "$scratch/trace/t.vef" -- "$@"
        # shellcheck disable=SC2016
        [ -z "$full" ] || set -- unshare -m sh -c 'mount -t tmpfs -o "size=$0" none "$1" && shift && exec "$@"' "$full" "$scratch/trace" "$@"
        ;;
    spoiled) set -- env LD_PRELOAD="$scratch/libvefcapture-$spoil.so" "$@" ;;
    esac
    (cd "$scratch/run" && PATH=$bin:$PATH exec "$made/watch" job "$scratch/now" "${LIMIT:-60}" "$@" </dev/null)
    mv "$scratch/now" "$result" && mv "$scratch/run" "$result/files"
    # Names, types, modes, sizes and targets of links of what the job wrote.
    (cd "$result/files" && find . -type d -printf '%p %y %m\n' -o -printf '%p %y %m %s %l\n' | sort) >"$result/list"
}

# Of programs that are expected to lose events (END with -), vef may say so among the errors of a task.
without_losses() {
    case $ends in *-) sed -i '/^vef: task [0-9]*: /d' "$scratch"/second/task/err-* ;; esac
}

# shown FILE: without numbers of processes and addresses, and without what vef itself says.
shown() {
    sed -e '/^vef capture: /d; /^    vef gather /d' -e 's/0x[0-9a-f]*/0x/g; s/[0-9][0-9][0-9][0-9]*/N/g; s/\[\[N,1\],[0-9]*\]/[[N,1],N]/' "$1" 2>/dev/null
}

# differs TEXT: reports a difference of the case, with the results, once for each case.
differs() {
    [ -n "$reported" ] || printf 'DIFFERS %s (%s): %s\n' "$name" "$mpi" "${spoiler:+$spoil: }$command"
    reported=1
    printf '    %s\n' "$1"
}

# same WHAT FILE: the results of both ways.
same() {
    if [ ! -e "$scratch/plain/$2" ] || [ ! -e "$scratch/second/$2" ]; then
        [ ! -e "$scratch/plain/$2" ] && [ ! -e "$scratch/second/$2" ] || differs "$1: only one run has it"
    elif cmp -s "$scratch/plain/$2" "$scratch/second/$2"; then
        :
    elif [ "$3" = exact ]; then
        differs "$1 (plain <, $second >):"
        excerpt "$scratch/plain/$2" "$scratch/second/$2"
    else
        shown "$scratch/plain/$2" >"$scratch/shown-plain"
        shown "$scratch/second/$2" >"$scratch/shown-second"
        cmp -s "$scratch/shown-plain" "$scratch/shown-second" || { differs "$1 (plain <, $second >):"; excerpt "$scratch/shown-plain" "$scratch/shown-second"; }
    fi
}
excerpt() {
    diff -a "$1" "$2" | grep -a '^[<>]' | cut -c 1-160 | sed 's/^/        /' | head -n "${LINES_SHOWN:-8}"
}

# The plain run has to end as the table says, in every task.
as_expected() {
    [ "$ends" != any ] || return 0
    for file in "$scratch"/plain/task/end-* "$scratch/plain/end"; do
        [ "$file" != "$scratch/plain/end" ] || [ "$tasks" -eq 0 ] || [ "${ends%-}" = 0 ] || continue # the launcher's own status
        case $(cat "$file") in
        "exit ${ends%-}" | "signal ${ends#s}") ;;
        *)
            printf 'WRONG   %s (%s): the plain run: %s: %s instead of %s\n' "$name" "$mpi" "${file##*/}" "$(cat "$file")" "$ends"
            head -n 20 "$scratch"/plain/task/* "$scratch/plain/out" "$scratch/plain/err" | sed 's/^/        /'
            return 1
            ;;
        esac
    done
}

# The exit status of vef is that of the command, or 128 and the signal (vef capture --help), or 1 if the command succeeded
# but there is no trace where none is expected, or a task ended without MPI_Finalize.
same_end() {
    plain=$(cat "$scratch/plain/end") now=$(cat "$scratch/second/end")
    [ "$second" != captured ] || case $plain in signal*) plain="exit $((128 + ${plain#signal }))" ;; esac
    [ "$plain" = "$now" ] && return
    [ "$second" = captured ] && [ "$plain/$now" = "exit 0/exit 1" ] && { [ "$wanted_tasks" -eq 0 ] || [ "$ends" = 0- ]; } && grep -q '^vef capture: ' "$scratch/second/err" && return
    differs "the job ends: plain '$plain', $second '$now'"
}

# The trace has the tasks of the table, and, if they end well, vef says nothing of losses.
has_trace() {
    [ "$second" = captured ] || return 0
    if [ "$wanted_tasks" -gt 0 ]; then
        found=$("$build/vef" info "$scratch/trace/t.vef" 2>/dev/null | sed -n 's/^tasks:* *\([0-9]*\).*/\1/p' | head -n 1)
        [ "$found" = "$wanted_tasks" ] || differs "trace: '${found:-0}' instead of $wanted_tasks tasks: $(grep '^vef capture' "$scratch/second/err" | head -n 2)"
        [ "$ends" != 0 ] || ! grep 'cut short\|without MPI_Finalize\|incomplete' "$scratch/second/err" >"$scratch/lost" ||
            differs "losses: $(head -n 2 "$scratch/lost")"
    elif [ ! -e "$scratch/trace/t.vef" ]; then
        grep -q '^vef capture: ' "$scratch/second/err" || differs "neither a trace nor a message of vef"
    fi
}

# run_case: compares plain and captured.
run_case() {
    # shellcheck disable=SC2046,SC2086
    if ! need $(printf '%s\n' "$command" | tr -c 'A-Za-z0-9_.+@\n-' '\n') || ! run_job plain plain || ! as_expected; then
        different=$((different + 1)) compared=$((compared + 1))
        return
    fi
    for spoil in $spoils; do
        reported=
        run_job "$second" second
        compared=$((compared + 1))
        compare_runs
        has_trace
        if [ -n "$reported" ]; then
            different=$((different + 1))
            keep_results "$mpi.$name"
        fi
    done
}

# compare_runs: reports each difference of $scratch/plain and $scratch/second.
compare_runs() {
    without_losses
    for file in $(ls "$scratch/plain/task" "$scratch/second/task" | sed '/:$/d' | sort -u); do
        same "${file%-*} of task ${file##*-}" "task/$file" exact
    done
    [ "$ends" = any ] || same_end
    same "output of the job" out shown
    same "errors of the job" err shown
    same "files" list exact
    sed -n 's/ f [0-7]* [0-9]* $//p' "$scratch/plain/list" >"$scratch/names"
    while IFS= read -r file; do
        [ ! -e "$scratch/second/files/$file" ] || same "file $file" "files/$file" exact
    done <"$scratch/names"
}

keep_results() {
    if [ -n "$keep" ]; then
        rm -rf "$keep/$1"
        mkdir "$keep/$1"
        cp -R "$scratch/plain" "$scratch/second" "$keep/$1"
    fi
}

# events: how many the trace of the last run has.
events() {
    "$build/vef" info --json "$scratch/trace/t.vef" 2>/dev/null | sed -n 's/.*"events": *\([0-9]*\).*/\1/p' | head -n 1
}

# run_sweep: lets each call of the system, and each allocation, inside the capture library fail in turn, alone and with all
# later ones. The program has to do what it does otherwise, and vef to say so if events are missing. With --quick: eight of
# them, every other one alone.
run_sweep() {
    need failing.so || return
    FAIL_COUNT=$scratch/count
    export FAIL_AT FAIL_ON FAIL_KIND FAIL_COUNT
    FAIL_AT=0 FAIL_ON=0
    run_job plain plain
    as_expected || { different=$((different + 1)); return; }
    for FAIL_KIND in calls memory; do
        FAIL_AT=0 FAIL_ON=0
        rm -f "$FAIL_COUNT"
        run_job captured second
        whole=$(events)
        calls=$(sort -n "$FAIL_COUNT" 2>/dev/null | tail -n 1 | cut -d ' ' -f 1)
        if [ -z "$calls" ] || [ -z "$whole" ]; then
            echo "WRONG   $name ($mpi): no call of the capture library was counted, or there is no trace"
            different=$((different + 1))
            continue
        fi
        step=1
        [ -z "$quick" ] || step=$((calls / 4 + 1))
        swept_here=0 harmed_here=0 silent_here=0 failed_here=0
        for FAIL_ON in 0 1; do
            FAIL_AT=1
            [ -z "$quick" ] || FAIL_AT=$((1 + FAIL_ON * step / 2))
            while [ "$FAIL_AT" -le "$calls" ]; do
                rm -f "$FAIL_COUNT"
                reported=
                run_job captured second
                compare_runs
                swept_here=$((swept_here + 1))
                ! grep -qv ' -$' "$FAIL_COUNT" 2>/dev/null || failed_here=$((failed_here + 1))
                what="$FAIL_KIND: call $FAIL_AT$([ "$FAIL_ON" = 0 ] || echo " and all later ones"), $(sort -n "$FAIL_COUNT" 2>/dev/null | tail -n 1 | cut -d ' ' -f 2)"
                if [ -n "$reported" ]; then
                    echo "    ($what)"
                    harmed_here=$((harmed_here + 1))
                    keep_results "$mpi.$name.$FAIL_KIND.$FAIL_ON.$FAIL_AT"
                fi
                # A whole trace, or a message beyond the usual ones, and status 1.
                left=$(events)
                if [ "${left:-0}" != "$whole" ] && ! { [ "$(cat "$scratch/second/end")" != "exit 0" ] && grep '^vef capture: ' "$scratch/second/err" | grep -qv ' events, \|by wall clock'; }; then
                    printf 'SILENT  %s (%s): %s: %s of %s events, and vef reports no loss: %s\n' "$name" "$mpi" "$what" "${left:-0}" "$whole" "$(cat "$scratch/second/end")"
                    silent_here=$((silent_here + 1))
                fi
                FAIL_AT=$((FAIL_AT + step))
            done
        done
        if [ "$failed_here" -eq 0 ]; then # then the sweep proves nothing
            echo "WRONG   $name ($mpi): $FAIL_KIND: no call failed"
            different=$((different + 1))
        fi
        echo "$name ($mpi): $FAIL_KIND: $calls calls, $swept_here runs with failing ones: $harmed_here harmed programs, $silent_here losses without a message"
        swept=$((swept + swept_here)) harmed=$((harmed + harmed_here)) silent=$((silent + silent_here))
    done
    unset FAIL_AT FAIL_ON FAIL_KIND FAIL_COUNT
}

skip() {
    printf 'skipped: %s (%s): %s\n' "$name" "$mpi" "$1"
    skipped=$((skipped + 1))
}

for mpi in $MPIS; do
    bin=$made/bin.$mpi
    mkdir -p "$bin"
    compiler=mpicc.$mpi mpiexec=mpiexec.$mpi
    command -v "$compiler" >/dev/null || compiler=mpicc mpiexec=mpiexec
    need exchange || exit 1
    library=$(ldd "$bin/exchange" | sed -n 's/^[^a-z]*\(libmpi[^ ]*\) .*/\1/p' | head -n 1)
    export HARMLESS_BIN="$bin" HARMLESS_MPIEXEC="$mpiexec" HARMLESS_MPI="$library" HARMLESS_PROGRAMS="$here/programs"
    while read -r kind name tasks wanted_tasks ends command; do
        case $kind in
        run) wanted "$name" && run_case ;;
        sweep) [ "$second" != captured ] || { wanted "$name" && run_sweep; } ;;
        run-full) # name is a size
            size=$name name=$tasks tasks=$wanted_tasks wanted_tasks=0 ends=${command%% *} command=${command#* }
            wanted "$name" || continue
            if unshare -m mount -t tmpfs none "$scratch/tmp" 2>/dev/null; then
                full=$size
                run_case
                full=
            else
                skip "no right to mount"
            fi
            ;;
        run-if) # name is a command, the other words follow it
            required=$name name=$tasks tasks=$wanted_tasks wanted_tasks=$ends ends=${command%% *} command=${command#* }
            wanted "$name" || continue
            case $required in mpich | openmpi)
                [ "$required" != "$mpi" ] || run_case
                continue
                ;;
            esac
            if command -v "$required" >/dev/null; then run_case; else skip "$required is not installed"; fi
            ;;
        esac
    done <"$here/table"
done
[ "$swept" -eq 0 ] || echo "$swept runs with failing calls, $harmed harmed, $silent losses without a message"
[ "$skipped" -eq 0 ] || echo "$skipped cases skipped"
echo "$compared cases compared, $different differ"
[ $((different + harmed + silent)) -eq 0 ] && [ $((compared + swept)) -gt 0 ]
