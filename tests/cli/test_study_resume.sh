#!/bin/sh
# `vef study` when it is killed, started several times at once, under mpiexec and as a job array; full disks and
# damaged results. However it ran, the tables are those of one undisturbed run, and no point ran twice.
set -u
. tests/command.sh
MPIEXEC=${MPIEXEC:-mpiexec.mpich}

. "$here/tests/cli/study_points.sh"

children_of() { cat "/proc/$1/task/$1/children" 2>/dev/null; }

# ---- killed in the middle: what is finished stays, the rest runs later; the points under way die too ----

for lines in 1 20; do
    "$vef" study loads.yaml -o killed >out 2>err &
    study=$!
    wait_for has_lines killed $lines
    kill -9 $study
    wait $study 2>/dev/null
done
vef 0 study loads.yaml -o killed
same killed
# Asked to stop: it says how to go on, and writes the tables of what is there.
"$vef" study loads.yaml -o stopped --jobs 1 >out 2>err &
study=$!
wait_for has_lines stopped 2
kill -TERM $study
if wait $study; then
    has_lines stopped 60 || fail 'status 0 after SIGTERM'
else
    grep -q 'stopped: [0-9]* of 60 points have results; the same command continues' err || fail "SIGTERM: $(cat err)"
    [ -s stopped/results.csv ] || fail 'no table after SIGTERM'
fi
vef 0 study loads.yaml -o stopped
same stopped

# ---- a process of a point is killed: the point runs again ----

"$vef" study loads.yaml -o children >out 2>err &
study=$!
wait_for has_lines children 1
for child in $(children_of $study); do kill -9 "$child" 2>/dev/null; done
wait $study || fail "a killed point: $(cat err)"
same children
# One that always ends so is failed, and said once.
cat >endless.yaml <<'END'
run: load
networks: [torus.yaml]
rates: 0.5
precisions: 0.000000001
max_cycles: 100000000000
END
# shellcheck disable=SC3045 # a shell without it does not run this part
if (ulimit -t 1) 2>/dev/null; then
    (
        ulimit -t 1
        "$vef" study endless.yaml -o endless >out 2>err
        echo $? >status
    )
    [ "$(cat status)" -eq 1 ] || fail "a point without end: $(cat out err)"
    grep -q 'ended by signal [0-9]* (.*), twice' endless/results.csv || fail "endless: $(cat endless/results.csv)"
fi

# ---- several at once: by hand, under mpiexec, as a job array ----

for n in 1 2 3; do
    "$vef" study loads.yaml -o together >together.$n 2>&1 || fail "together: $(cat together.$n)" &
done
wait
same together
cmp -s together.1 together.3 || fail 'not all waited for the end'
if command -v "$MPIEXEC" >/dev/null; then
    "$MPIEXEC" -n 3 "$vef" study loads.yaml -o mpi >out 2>err || fail 'under mpiexec'
    prints '^60 points: 60 done'
    [ "$(grep -c '^60 points' out)" -eq 1 ] || fail 'not one rank alone reports'
    same mpi
fi
# A sbatch that runs the tasks of the array one after the other (test_study_slurm.sh has a real one).
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
echo "$@" >sbatch.arguments
cat >job.sh
for SLURM_ARRAY_TASK_ID in 0 1; do export SLURM_ARRAY_TASK_ID; sh job.sh >>job.log 2>&1; done
echo 4711
END
chmod +x bin/sbatch
saved=$PATH PATH=$(pwd)/bin:$PATH
vef 0 study loads.yaml -o array --slurm 2 --sbatch=--partition=short --threads 1
PATH=$saved
prints '^4711$'
[ "$(tr ' ' '\n' <sbatch.arguments | grep -c -x -e '--parsable' -e '--array=0-1' -e '--partition=short')" -eq 3 ] ||
    fail "sbatch: $(cat sbatch.arguments)"
same array
saved=$PATH PATH=/nowhere
vef 2 study loads.yaml -o array --slurm 2
PATH=$saved
says '--slurm needs sbatch'

# ---- damage, full disks, other versions, other studies ----

mkdir torn
head -c 5000 whole/results.jsonl >torn/results.jsonl
vef 0 study loads.yaml -o torn
same torn
mkdir damaged
sed '3s/"state": "done"/"state": "dine"/' whole/results.jsonl >damaged/results.jsonl
cp damaged/results.jsonl before
vef 2 study loads.yaml -o damaged
says 'damaged/results.jsonl:3: damaged: expected a result of vef study; remove the line'
cmp -s before damaged/results.jsonl || fail 'a damaged file was changed'
sed -i 3d damaged/results.jsonl
vef 0 study loads.yaml -o damaged
same damaged
# A number, the host, the document, or the end of a line is another one: its check differs. A line twice is no result more.
digit() { sed "$1s/$2\([0-9.]*\)[0-4]/$2\\17/;$1s/$2\([0-9.]*\)[56]/$2\\18/" whole/results.jsonl; }
for damage in '"latency_mean_cycles": ' '"accepted_load": ' '"seconds": ' '"line": '; do
    digit 5 "$damage" >damaged/results.jsonl
    cmp -s whole/results.jsonl damaged/results.jsonl && fail "the test changes no digit after $damage"
    vef 2 study loads.yaml -o damaged --tables
    says 'damaged/results.jsonl:5: damaged: expected a result of vef study; remove the line'
done
sed '7s/.....$/}/' whole/results.jsonl >damaged/results.jsonl
vef 2 study loads.yaml -o damaged
says 'damaged/results.jsonl:7: damaged'
sed '7s/"check": "[^"]*",//' whole/results.jsonl >damaged/results.jsonl
vef 2 study loads.yaml -o damaged
says 'damaged/results.jsonl:7: damaged'
sed '4p' whole/results.jsonl >damaged/results.jsonl
vef 2 study loads.yaml -o damaged
says 'damaged/results.jsonl:5: the same as line 4: expected each result once; remove the line'
sed -i 5d damaged/results.jsonl
vef 0 study loads.yaml -o damaged
same damaged
mkdir older
# As older versions wrote them, without checks.
sed 's/"check": "[^"]*",//; s/"vef": "[^"]*"/"vef": "0.0.1"/' whole/results.jsonl >older/results.jsonl
vef 2 study loads.yaml -o older
says 'older/results.jsonl: 60 results are of vef 0.0.1, and this is vef .*: expected another folder, or --rerun'
vef 0 study loads.yaml -o older --rerun
same older
[ "$(grep -c '"vef": "0.0.1"' older/results-0.0.1.jsonl)" -eq 60 ] || fail 'older results were lost'
# A limit of file sizes fails like a full disk.
# shellcheck disable=SC3045
if (ulimit -f 40) 2>/dev/null; then
    (
        ulimit -f 40
        "$vef" study loads.yaml -o full >out 2>err
        echo $? >status
    )
    [ "$(cat status)" -eq 2 ] || fail "a full disk: status $(cat status)"
    says 'full/results.jsonl: cannot add a result: File too large'
    [ "$(tail -c 1 full/results.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail 'a full disk left part of a line'
    has_lines full 3 || fail 'a full disk lost results'
    vef 0 study loads.yaml -o full
    same full
fi
# Another study may follow in a folder, not run beside.
"$vef" study endless.yaml -o busy >/dev/null 2>&1 &
study=$!
wait_for test -s busy/study.yaml
vef 2 study loads.yaml -o busy
says 'busy: another study, .*busy/study.yaml, is running in this folder'
has_child() { [ -n "$(children_of $study)" ]; }
wait_for has_child
child=$(children_of $study | tr -d ' ')
kill -9 $study
wait $study 2>/dev/null
is_gone() { ! kill -0 "$child"; }
wait_for is_gone # the point ends with its study
vef 0 study loads.yaml -o busy
same busy
[ $failures -eq 0 ]
