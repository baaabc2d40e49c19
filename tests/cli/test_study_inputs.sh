#!/bin/sh
# What `vef study` takes for the inputs of a point: the files that it really read, by content, whatever their names.
# A changed file runs the points that read it, and no others; so does one that is missing, or was. Files that nobody
# read do not matter, even if an argument is called like them. The numbers of the results are those of the new content.
set -u
. tests/command.sh
MPIEXEC=${MPIEXEC:-mpiexec.mpich}

results() { wc -l <"$1/results.jsonl"; }
# ran COUNT COMMAND...: the command runs so many points, and leaves a result for each.
ran_points() {
    count=$1 before=$(results "$2" 2>/dev/null || echo 0)
    shift 2
    vef 0 study "$@"
    [ $(($(results "$folder") - before)) -eq "$count" ] || fail "$ran: $(($(results "$folder") - before)) points ran instead of $count: $(cat out err)"
}
# study COUNT FOLDER STUDY: runs it.
study() { folder=$2; ran_points "$1" "$2" "$3" -o "$2"; }
# missing COUNT FOLDER STUDY FILE: so many points lack a result because of the file, for every way to ask, and nothing runs.
missing() {
    before=$(results "$2")
    "$vef" study "$3" -o "$2" --plan >out 2>err
    prints "points, $1 to run"
    says "$4 has changed: $1 result"
    "$vef" study "$3" -o "$2" --tables >out 2>err
    prints " 0 failed, $1 without result"
    [ "$(results "$2")" -eq "$before" ] || fail "--plan or --tables ran points"
}

printf 'vef-trace 1\ntasks 2\ntask 0\nInit\nSend to=1 bytes=4000 ordinal=0\nFinalize\ntask 1\nInit\nRecv from=0 ordinal=0\nFinalize\n' >pair.txt
sed s/4000/8000/ pair.txt >larger.txt
vef 0 assemble pair.txt -o pair.vef
vef 0 assemble larger.txt -o larger.vef
printf '0\n1\n' >near
printf '0\n5\n' >far

# ---- the names of files ----

for name in plain.txt 'my map.txt' 'a,b' 'a:b' 'a=b' 'a[1]' 'a{1}' "a'b" 'a"b' 'a;b' '-a' '1' 'ä–ö' 'identity'; do
    rm -rf names
    cp near "./$name"
    printf 'traces: pair.vef\nnetworks: "{topology: {family: mesh, sizes: [8]}}"\nmappings: ["file(./%s)"]\n' "$(printf %s "$name" | sed 's/"/\\"/g')" >names.yaml
    study 1 names names.yaml
    study 0 names names.yaml
    cp far "./$name"
    missing 1 names names.yaml "$(printf %s "./$name" | sed 's/[[]/\\[/g')"
    study 1 names names.yaml
    study 0 names names.yaml
    vef 0 replay pair.vef --net '{topology: {family: mesh, sizes: [8]}}' --map "file(./$name)" --json
    wanted=$(sed -n 's/^ *"time_ns": \([0-9]*\).*/\1/p' out)
    grep -q ",done,,$wanted," names/results.csv ||
        fail "$name: $(cat names/results.csv) instead of $wanted"
    cp near "./$name" # the first content again: its result counts again
    study 0 names names.yaml
    rm "./$name"
done

# A graph that a network file names, in another folder, for kinds that build the topology before they run, or do not.
mkdir nets
printf '0 1\n1 2\n2 3\n3 0\n' >'nets/my graph, [1]: x.txt'
echo "topology: {family: edges, file: 'my graph, [1]: x.txt'}" >'nets/net, 1.yaml'
printf 'run: topology\nnetworks: "nets/net, 1.yaml"\n' >graph.yaml
printf 'run: load\nnetworks: "nets/net, 1.yaml"\nrates: 0.1\nprecisions: 0.1\nseeds: 1\n' >load.yaml
for kind in graph load; do study 1 $kind $kind.yaml; done
printf '0 2\n1 3\n' >>'nets/my graph, [1]: x.txt'
missing 1 graph graph.yaml 'nets/my graph, \[1\]: x.txt'
for kind in graph load; do study 1 $kind $kind.yaml; study 0 $kind $kind.yaml; done
grep -q '^1,.*,done,,4,4,6,.*' graph/results.csv || fail "the graph: $(cat graph/results.csv)"

# ---- a file that nobody reads ----

printf 'run: load\nnetworks: "{topology: {family: torus, sizes: [4]}}"\nrates: 0.1\nprecisions: 0.1\nseeds: 1:2\npatterns: uniform\n' >seeds.yaml
study 2 seeds seeds.yaml
echo x >1
echo x >uniform
study 0 seeds seeds.yaml
echo y >1
study 0 seeds seeds.yaml
rm 1 uniform

# ---- files that files name; a pattern; noise ----

echo "jobs: [{trace: 'the trace.vef', place: contiguous}]" >jobs.yaml
cp pair.vef 'the trace.vef'
printf 'run: jobs\njobs: jobs.yaml\nnetworks: "{topology: {family: mesh, sizes: [4, 4]}}"\n' >both.yaml
study 1 both both.yaml
cp larger.vef 'the trace.vef'
missing 1 both both.yaml 'the trace.vef'
study 1 both both.yaml
sed -i 's/contiguous/random(3)/' jobs.yaml
study 1 both both.yaml
# Two folders with the same text, which names different files.
mkdir one two
cp pair.vef one/t.vef
cp larger.vef two/t.vef
for where in one two; do echo 'jobs: [{trace: t.vef}]' >$where/jobs.yaml; done
printf 'run: jobs\njobs: {one: one/jobs.yaml, two: two/jobs.yaml}\nnetworks: "{topology: {family: mesh, sizes: [4, 4]}}"\n' >folders.yaml
study 2 folders folders.yaml
for where in one two; do
    mkdir $where/nets
    echo 'topology: {family: edges, file: g.txt}' >$where/nets/n.yaml
done
printf '0 1\n1 2\n2 0\n' >one/nets/g.txt
printf '0 1\n1 2\n2 3\n' >two/nets/g.txt
printf 'run: topology\nnetworks: {one: one/nets/n.yaml, two: two/nets/n.yaml}\n' >graphs.yaml
study 2 graphs graphs.yaml

seq 0 15 | awk '{ print $1, ($1 + 1) % 16 }' >'pairs of 16.txt'
printf 'run: load\nnetworks: "{topology: {family: torus, sizes: [4, 4]}}"\nrates: 0.1\nprecisions: 0.1\nseeds: 1\npatterns: [{pattern: permutation, file: "pairs of 16.txt"}]\n' >pattern.yaml
study 1 pattern pattern.yaml
seq 0 15 | awk '{ print $1, ($1 + 5) % 16 }' >'pairs of 16.txt'
missing 1 pattern pattern.yaml 'pairs of 16.txt'
study 1 pattern pattern.yaml

printf '10000 5000\n' >'a noise'
cat >machine.yaml <<'END'
topology: {family: mesh, sizes: [8]}
host: {noise: {kind: file, file: 'a noise'}}
END
printf 'traces: pair.vef\nnetworks: machine.yaml\n' >noise.yaml
study 1 noise noise.yaml
printf '10000 6000\n' >'a noise'
missing 1 noise noise.yaml '.*a noise'
study 1 noise noise.yaml
study 0 noise noise.yaml

# ---- missing the second time, and missing the first time ----

mv 'pairs of 16.txt' elsewhere
vef 1 study pattern.yaml -o pattern
prints "cannot open 'pairs of 16.txt'"
mv elsewhere 'pairs of 16.txt'
study 0 pattern pattern.yaml
rm -rf pattern
mv 'pairs of 16.txt' elsewhere
vef 1 study pattern.yaml -o pattern
mv elsewhere 'pairs of 16.txt'
study 1 pattern pattern.yaml

# ---- content counts, not name, size or time ----

cp -p pair.vef kept.vef
printf 'traces: pair.vef\nnetworks: "{topology: {family: mesh, sizes: [8]}}"\nmappings: "file(near)"\n' >content.yaml
study 1 content content.yaml
touch pair.vef near
study 0 content content.yaml
cp near copy && mv copy near
mv pair.vef renamed.vef
sed -i s/pair.vef/renamed.vef/ content.yaml
study 0 content content.yaml
# The same length and time of modification.
printf '0\n7\n' >other && touch -r near other && mv other near
study 1 content content.yaml
mv renamed.vef pair.vef

# ---- several processes: each knows what changed ----

sed 's/^seeds.*/seeds: 1:12/; s/^patterns.*/patterns: [{pattern: permutation, file: "pairs of 16.txt"}]/; s/sizes: .4./sizes: [4, 4]/' seeds.yaml >many.yaml
folder=many
vef 0 study many.yaml -o many --jobs 1
seq 0 15 | awk '{ print $1, ($1 + 3) % 16 }' >'pairs of 16.txt'
"$MPIEXEC" -n 3 "$vef" study many.yaml -o many --jobs 1 >out 2>err || fail "under mpiexec: $(cat out err)"
[ "$(results many)" -eq 24 ] || fail "under mpiexec: $(results many) results"
study 0 many many.yaml
vef 0 study many.yaml -o alone --jobs 1
cmp -s many/results.csv alone/results.csv || fail 'under mpiexec: another table'

# ---- a file that changes while a point runs: the result is of no content for sure ----

mkfifo pipe
printf 'traces: pair.vef\nnetworks: "{topology: {family: mesh, sizes: [8]}}"\nmappings: "file(pipe)"\n' >changing.yaml
"$vef" study changing.yaml -o changing >out 2>err &
study=$!
exec 9>pipe # once the point has opened its trace, and then the pipe
cp larger.vef new.vef && mv new.vef pair.vef
printf '0\n1\n' >&9
exec 9>&-
wait $study
ran='vef study changing.yaml'
prints 'pair.vef changed while the point ran: start the study again'
"$vef" study changing.yaml -o changing >out 2>err &
study=$!
printf '0\n1\n' >pipe
wait $study
prints 'pipe: not a regular file'
[ $failures -eq 0 ]
