#!/bin/sh
# Kills at random moments: of a task, of mpiexec, of its proxy, of `vef capture`, of the process group; by
# TERM, HUP, INT, KILL. Whatever is left, each event of the trace is one that the program made, no call that
# had returned is missing, and no process and no file remains without a message. VEF_KILLS=1000 runs a long
# campaign; only kills that hit a process count, the others are checked too and listed as `none`.
. tests/command.sh
set -u
mpiexec=${MPIEXEC:-mpiexec.mpich}
kills=${VEF_KILLS:-12}
table=$TMPDIR/table
: >table
${MPICC:-mpicc.mpich} -O1 -w -o kill_target "$here/tests/mpi/kill_target.c" || exit 1

# A fixed sequence (Lehmer, Park and Miller 1988): random N sets $random to 0 .. N-1.
state=${VEF_SEED:-20261122}
random() {
    state=$((state * 48271 % 2147483647))
    random=$((state / 7 % $1))
}

# The tasks of the run under way. Hydra's proxies are in sessions of their own.
tasks_left() { processes_of kill_target; }
child_of() { children_of "$1" | head -n 1; }
end_tasks() { while [ -n "$(tasks_left)" ]; do kill -s KILL $(tasks_left) 2>/dev/null; sleep 0.05; done; }

# Hydra that gets a signal while it starts may lose it and wait for tasks that wait for it, without vef too: then for half a
# minute none of them begins, ends or computes.
end_hung_launcher() {
    picture= still=0
    while [ $still -lt 30 ]; do
        sleep 1
        last=$picture
        picture=$(cat $(tasks_left | sed 's,.*,/proc/&/stat,') /dev/null 2>/dev/null | cut -d ' ' -f 1,3,14,15)
        still=$((still + 1))
        [ "$picture" = "$last" ] || still=0
    done
    launcher=$(child_of "$1")
    echo hung >launcher
    kill -s KILL "$(child_of "$launcher")" "$launcher" $(tasks_left) 2>/dev/null
}

# Whether a task has returned from MPI_Init, and so recorded an event.
any_returned() {
    for task in $(seq 0 $((tasks - 1))); do
        [ "$(./kill_target counts counts "$task" | cut -d ' ' -f 2)" = 0 ] || return 0
    done
    return 1
}

# compare TRACE: each event of each task is what the program did; counts those that are missing or wrong. Until the last
# collective of all tasks, six events a round, every message has both its ends.
cat >compare.awk <<'END'
function end_of(line) { sub(/ from=.*/, "", line); sub(/ flags=.*/, "", line); sub(/ marks=unmatched$/, "", line); return line }
FILENAME != "-" { expected[FNR] = $0; next }
/^[A-Z]/ && gsub(/ (gap|time|outside)=[0-9]*/, "") { count++; if (!/^Finalize/) events[++made] = $0 }
END {
    settled = count > 12 ? count - 12 : 0
    print count + 0
    for (i = 1; i <= made; i++)
        if (i <= settled ? events[i] != expected[i] : end_of(events[i]) != end_of(expected[i])) {
            print "event " i ": " events[i] "; expected: " expected[i]
            exit
        }
}
END
compare() {
    for task in $(seq 0 $((tasks - 1))); do
        # shellcheck disable=SC2046
        set -- "$1" $(./kill_target counts counts "$task")
        ./kill_target expect "$tasks" "$task" "$2" >expected
        "$vef" dump --task "$task" "$1" 2>err | awk -f compare.awk expected - >compared
        { read -r count; read -r difference || difference=; } <compared
        [ "$count" -ge "$3" ] || { lost=$((lost + $3 - count)); fail "kill $number ($target $signal after $ms ms): task $task made $3 calls, the trace has $count"; }
        [ "$count" -le "$2" ] || { wrong=$((wrong + 1)); fail "kill $number ($target $signal after $ms ms): task $task began $2 calls, the trace has $count"; }
        [ -z "$difference" ] || { wrong=$((wrong + 1)); fail "kill $number ($target $signal after $ms ms): task $task: $difference"; }
    done
    "$vef" check "$1" >out 2>err
    ! grep -v 'is cut short after\|: [0-9]* faults\?$\|: no fault$' out >faults || fail "kill $number: $(cat faults)"
}

number=0 hits=0 lost=0 wrong=0 orphaned=0
while [ $hits -lt "$kills" ]; do
    number=$((number + 1))
    random 3 && tasks=$((random + 2))
    random 5 && target=$(echo task mpiexec proxy capture group | cut -d ' ' -f $((random + 1)))
    random 4 && signal=$(echo TERM HUP INT KILL | cut -d ' ' -f $((random + 1)))
    random 900 && ms=$random
    random 3 && steps=$((random == 0 ? 300 : 6000))
    rm -rf counts k.vef* taken.vef
    setsid "$vef" capture -o k.vef -- "$mpiexec" -n "$tasks" ./kill_target "$TMPDIR/counts" $steps >said 2>&1 &
    session=$!
    sleep "$(printf %d.%03d $((ms / 1000)) $((ms % 1000)))"
    case $target in
    task) victim=$(tasks_left | tail -n 1) ;;
    mpiexec) victim=$(child_of $session) ;;
    proxy) victim=$(child_of "$(child_of $session)") ;;
    capture) victim=$session ;;
    group) victim=-$session ;;
    esac
    if [ -n "$victim" ] && kill -s $signal -- "$victim" 2>/dev/null; then hits=$((hits + 1)); else target=none; fi
    # A capture that was told to end passes that on; one that was killed leaves the job running.
    if [ "$target $signal" = "capture KILL" ] || [ "$target $signal" = "group KILL" ]; then
        wait $session 2>/dev/null
        kill -s KILL -- -$session 2>/dev/null
        end_tasks
        result="capture killed"
        logs=$(find . -maxdepth 1 -name 'k.vef.logs-*')
        if [ -e k.vef ]; then
            compare k.vef
        elif [ -n "$logs" ] && ls "$logs"/*.vlog >/dev/null 2>&1; then
            "$vef" gather -o taken.vef "$logs" >out 2>err
            if [ -e taken.vef ]; then compare taken.vef
            else grep -q 'cut before the first event' err || fail "kill $number: vef gather: $(cat err)"; fi
        fi
    else
        # mpiexec's stopped processes and tasks that run on are waited for, or named.
        [ "$target" = none ] && kill -s TERM $session 2>/dev/null
        rm -f launcher
        end_hung_launcher $session &
        watch=$!
        wait $session
        status=$?
        kill "$watch" 2>/dev/null
        result="status $status"
        [ ! -e launcher ] || result="the launcher hung"
        logs=$(find . -maxdepth 1 -name 'k.vef.logs-*')
        if [ -n "$logs" ]; then
            result="logs kept"
            grep -q 'the logs are kept' said || fail "kill $number ($target $signal): leaves logs without a word: $(cat said)"
            command=$(sed -n 's/^    vef gather/gather/p' said)
            end_tasks
            eval "\"\$vef\" $command" >out 2>err
            made=${command##* }
            if [ -e "$made" ]; then compare "$made"; else fail "kill $number: vef $command: $(cat err)"; fi
        elif [ -e k.vef ]; then
            compare k.vef
        else
            ! any_returned || grep -q 'no MPI task' said || fail "kill $number ($target $signal after $ms ms): no trace: $(cat said)"
            result="nothing recorded"
        fi
        left=$(tasks_left)
        if [ -n "$left" ] && ! grep -q 'tasks still run' said; then
            # What has not joined MPI yet, or has left it, is not waited for.
            sleep 1
            left=$(tasks_left)
            [ -z "$left" ] || { orphaned=$((orphaned + 1)); fail "kill $number ($target $signal after $ms ms): processes run on: $left"; }
        fi
        end_tasks
    fi
    ls k.vef.*part* >/dev/null 2>&1 && fail "kill $number ($target $signal): leaves a part of a trace"
    echo "$target $signal: $result" >>table
done

sort table | uniq -c
echo "$hits kills: $wrong wrong, $lost lost, $orphaned orphaned; $failures failures"
[ $failures -eq 0 ]
