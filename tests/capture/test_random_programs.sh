#!/bin/sh
# Random legal MPI programs (tests/mpi/random_program.c, random_threads.c), each captured with calls left out,
# inside regions, with a ring, or killed, and sliced: `vef check` finds no fault, and whole and slices replay to
# their ends.
#
#     VEF_RANDOM_PROGRAMS=1000 VEF_RANDOM_SEED=1 sh tests/capture/test_random_programs.sh build
#
# tries that many programs from that seed on; what fails is kept in the folder VEF_RANDOM_KEEP. VEF_RANDOM_THREADS:
# none of them has threads; some (every sixth; the default); all; or all do, and several threads take messages
# with one tag: by matched probes (probes), by receives (receives).
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}
[ "${VEF_TEST_MPI:-mpich}" = mpich ] || { skip 'random programs: they need MPI 4.0'; exit 0; }
programs=${VEF_RANDOM_PROGRAMS:-10} first=${VEF_RANDOM_SEED:-21} steps=${VEF_RANDOM_STEPS:-60}
keep=${VEF_RANDOM_KEEP:-} threads=${VEF_RANDOM_THREADS:-some}
case $threads in
none) every=0 shared=none ;;
some) every=6 shared=none ;;
all) every=1 shared=none ;;
probes | receives) every=1 shared=$threads ;;
*) echo "VEF_RANDOM_THREADS is none, some, all, probes or receives" && exit 2 ;;
esac

cat >ideal.yaml <<'EOF'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
EOF
${MPICC:-mpicc.mpich} -O1 -w -o random_program "$here/tests/mpi/random_program.c" "$here/tests/mpi/random_groups.c" &&
    ${MPICC:-mpicc.mpich} -O1 -w -pthread -o random_threads "$here/tests/mpi/random_threads.c" || exit 1

# below N: a number below N into $n, from the seed of the program at hand.
below() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    n=$((state / 65536 % $1))
}
# one_of WORD...: one of them into $word.
one_of() {
    below $#
    shift "$n"
    word=$1
}
# some_calls: calls with commas into $word.
some_calls() {
    calls=
    below 4
    for _ in $(seq $((n + 1))); do
        one_of Send Recv Irecv Isend,Issend,Ibsend Bsend Probe Iprobe Mprobe,Improbe Mrecv Imrecv Wait Waitall \
            Test,Testall,Testany,Testsome Waitany,Waitsome Start Startall Pready Parrived Sendrecv Barrier Bcast \
            Allreduce Ibarrier,Ibcast Win_fence Win_post Win_start Win_complete Win_wait,Win_test Win_lock Win_unlock \
            Put,Get Win_allocate Comm_dup Comm_split Request_free Request_get_status Cancel Grequest_start \
            Grequest_complete Neighbor_allgather Intercomm_merge Isendrecv Win_lock_all Win_flush Mark
        calls=$calls${calls:+,}$word
    done
    word=$calls
}
# wrong WORDS: a failure, with all that is needed to see it again.
wrong() {
    fail "seed $seed ($tasks tasks, ${threaded:+threads, }${options:-no options}, killed: ${killed:-none}): $*"
    [ -z "$keep" ] || { mkdir -p "$keep" && cp "$1" "$keep/$seed-$(basename "$1")"; } 2>/dev/null
}
# goes_on FILE WHAT: no fault, and a replay to its end.
goes_on() {
    "$vef" check "$1" >out 2>err
    status=$?
    # Of a task that is cut short, or whose log was full, check says so and ends with 1; that is all.
    if [ $status -ne 0 ] && grep -v 'is cut short after\|was no longer recorded after\|: [0-9]* faults*$' out >other; then
        wrong "$1" "check $2: status $status"
    fi
    "$vef" replay "$1" --net ideal.yaml >out 2>err
    status=$?
    [ $status -eq 0 ] || wrong "$1" "replay $2: status $status"
}

events=0 slices=0 kills=0 rings=0 threaded_programs=0 guessed=0
for seed in $(seq "$first" $((first + programs - 1))); do
    state=$((seed * 7919 + 17)) options='' killed=''
    below 7
    tasks=$((n + 2))
    [ $tasks -le 5 ] || { below 3 && [ "$n" -eq 0 ] || tasks=$((tasks - 4)); }
    fill=0
    below 8
    case $n in
    0 | 1) some_calls; options="--skip $word" ;;
    2) some_calls; options="--only $word" ;;
    3) one_of a b a,c; options="--regions $word" ;;
    4) options="--max-size 1MiB --when-full ring" fill=40 rings=$((rings + 1)) ;;
    5) options="--max-size 1MiB" fill=40 ;;
    esac
    below 4
    if [ "$n" -eq 0 ]; then
        below "$tasks"
        killed="$n"
        below $((steps * 4))
        killed="$killed $((n + 1))"
        kills=$((kills + 1))
    fi
    rm -rf out.vef out.vef.*
    threaded=
    set -- ./random_program "$seed" "$steps" $fill
    if [ $every -gt 0 ] && [ $((seed % every)) -eq $((every - 1)) ]; then
        threaded=yes threaded_programs=$((threaded_programs + 1))
        set -- ./random_threads "$seed" "$steps" $fill $shared
    fi
    # shellcheck disable=SC2086
    timeout 100 "$vef" capture -o out.vef $options -- "$mpiexec" -n $tasks "$@" $killed >out 2>err
    status=$?
    if [ ! -f out.vef ] || { [ -z "$killed" ] && [ $status -ne 0 ]; }; then
        wrong out.vef "capture: status $status"
        continue
    fi
    # Pairs may be wrong where rings of several threads dropped calls, and vef capture says so; not in runs that
    # came to their end, whose threads have envelopes of their own.
    if [ "$killed$shared" != none ] && [ -n "$threaded" ] && grep -q 'may be paired wrongly' err; then
        guessed=$((guessed + 1))
        continue
    fi
    goes_on out.vef whole
    number=$("$vef" info out.vef --json 2>/dev/null | sed -n 's/.*"events": *\([0-9]*\).*/\1/p' | head -n 1)
    events=$((events + ${number:-0}))
    for part in 1 2; do
        below 5
        case $n in
        0) below $((tasks - 1)); choice="--tasks 0-$n" ;;
        1) below "$tasks"; choice="--tasks $n" ;;
        2) below 20; choice="--between Barrier:$((n + 1))-$((n + 5))" ;;
        3) below 40; choice="--time $((n * 100))us-$((n * 100 + 800))us" ;;
        *) one_of a b; choice="--region $word" ;;
        esac
        below 4
        [ "$n" -ne 0 ] || choice="$choice --outside drop"
        # shellcheck disable=SC2086
        "$vef" slice --force out.vef -o part.vef $choice >out 2>err
        status=$?
        if [ -z "$killed" ] && [ $status -ne 0 ] && ! grep -q 'slice is empty' err; then
            wrong out.vef "slice $choice: status $status"
        fi
        [ -f part.vef ] || continue
        slices=$((slices + 1))
        goes_on part.vef "of slice $choice"
        rm -f part.vef
    done
done
echo "$programs programs, $events events, $slices slices, $kills killed, $rings with a ring, $threaded_programs with threads, $guessed of them guesses: $failures findings"
[ $failures -eq 0 ]
