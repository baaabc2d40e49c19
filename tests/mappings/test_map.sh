#!/bin/sh
# `vef map`: what it prints, where it takes the grid from, and what it refuses.
set -u
. tests/command.sh

# map STATUS ARGUMENTS…: runs vef map and expects that exit status, and no mapping with another than 0.
map() {
    wanted=$1
    shift
    vef "$wanted" map "$@"
    [ "$wanted" -eq 0 ] || [ ! -s out ] || fail "$ran: prints a mapping that it refuses"
}

# rows EXPRESSION: the CSV rows of the last mapping are those that awk makes of $1 (task) and $2, $3 (x, y).
rows() {
    awk -F, -v OFS=, "NR > 1 && ($1) { print; bad = 1 } END { exit bad || NR != $2 + 1 }" out >wrong ||
        { cat wrong; fail "$ran: rows that are wrong, or not $2"; }
}

cat >rtt.yaml <<'END'
topology: {family: rtt, a: 4}
routing: {algorithm: adaptive}
END
cat >flat.yaml <<'END'
topology: {family: torus, sizes: [4, 2]}
routing: {algorithm: dor}
END
echo 'model: ideal' >ideal.yaml

# The paper's twisted union of 8x8 tasks: x + 4 floor(y / 4) mod 8, y mod 4.
map 0 --show --net rtt.yaml --set endpoints_per_router=2 --tasks 64 --map 'identity . twisted-union(2)' --csv
[ "$(head -n 1 out)" = task,x,y,endpoint,router,router_x,router_y ] || fail 'the heads of the CSV'
rows '$2 != $1 % 8 || $3 != int($1 / 8) || $6 != ($2 + 4 * int($3 / 4)) % 8 || $7 != $3 % 4 ||
      $5 != 8 * $7 + $6 || int($4 / 2) != $5 || $4 % 2 != int($3 / 4)' 64
map 0 --net rtt.yaml --tasks 32 --map=diagonal-shift
[ "$(sed -n 26p out | tr -s ' ')" = ' 24 0 3 27 27 3 3' ] || fail 'task 24, shifted by 3, in the aligned table'
map 0 --net rtt.yaml --tasks 2 --json
grep -q '"router_x": 1' out || fail 'task 1 at router 1 in JSON'
map 0 --net ideal.yaml --tasks 3 --csv
[ "$(tr '\n' ' ' <out)" = 'task,x,y,endpoint 0,0,0,0 1,1,0,1 2,2,0,2 ' ] || fail 'an ideal network'
printf '3 # last first\n2\n1\n0\n' >reverse.txt
map 0 --net flat.yaml --tasks 4 --map 'file(reverse.txt)' --csv
rows '$4 != 3 - $1' 4
map 0 --net rtt.yaml --tasks 32 --map 'random(5)' --csv
cut -d, -f4 out | sed 1d | sort -n | tr '\n' ' ' | grep -q '^0 1 2 .* 31 $' || fail 'random is no permutation'

# Tasks 0 and 7, 1 and 6, … exchange messages and come to neighbouring routers of the torus of 4x2: the
# centre, number 0, for the first of the equals, number 1 for its partner, and so on in pairs.
{
    printf 'vef-trace 1\ntasks 8\n'
    for task in 0 1 2 3 4 5 6 7; do
        printf 'task %s\nInit\nSend to=%s bytes=100 ordinal=0\nRecv from=%s bytes=100 ordinal=0\nFinalize\n' $task $((7 - task)) $((7 - task))
    done
} >opposite.txt
vef 0 assemble -o opposite.vef opposite.txt
map 0 opposite.vef --net flat.yaml --map greedy --csv
rows '$4 != ($1 < 4 ? 2 * $1 : 2 * (7 - $1) + 1)' 8
vef 0 replay opposite.vef --net flat.yaml --map greedy --json
grep -q '"average_hops": 1,' out || fail 'greedy: messages take more than a hop'
map 2 --tasks 8 --net flat.yaml --map greedy
says 'mapping greedy: missing traffic between the tasks: expected a trace'
map 2 opposite.vef --net flat.yaml --map 'greedy . transpose'
says 'not supported in a composition'

# The grid of the program's own communicator: 4 x 2 processes are a grid 2 wide, in MPI's order of ranks.
cat >grid.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    int extents[2] = {4, 2}, periods[2] = {1, 0};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
END
${MPICC:-mpicc.mpich} -o grid grid.c || exit 1
"$vef" capture -o grid.vef -- "${MPIEXEC:-mpiexec.mpich}" -n 8 ./grid >out 2>err || fail 'capturing a program'
map 0 --net flat.yaml --map transpose --csv grid.vef
rows '$2 != $1 % 2 || $3 != int($1 / 2) || $6 != $3 || $7 != $2' 8
map 2 --net flat.yaml --map diagonal-shift grid.vef
says "expected --grid 4x2, or end the mapping with '. transpose'"
map 0 --net flat.yaml --map diagonal-shift --grid 4x2 --csv grid.vef
rows '$6 != ($1 % 4 + int($1 / 4)) % 4 || $7 != int($1 / 4)' 8
map 0 --net flat.yaml --csv grid.vef
rows '$4 != $1' 8

map 2 --net rtt.yaml --tasks 33 && says '33 tasks do not fit on 32 endpoints'
map 2 --net rtt.yaml --set endpoints_per_router=2 --tasks 64 --map 'horizontal-union(2)' && says 'expected --grid 16x4'
map 2 --net rtt.yaml --tasks 32 --map diagonal && says 'did you mean diagonal-shift'
map 2 --net rtt.yaml --tasks 32 --grid 8by4 && says 'as 16x8'
map 2 --net rtt.yaml --tasks 0 && says 'expected 1 to'
map 2 --net rtt.yaml && says 'missing number of tasks'
map 2 --tasks 4 && says 'missing --net'
map 2 --net none.yaml --tasks 4 && says none.yaml
map 2 --net rtt.yaml missing.vef && says missing.vef
map 2 --net rtt.yaml --tasks 4 --maps identity && says "unknown option '--maps'"
"$vef" map --help >out 2>err || fail 'help'
for stage in identity diagonal-shift transpose 'horizontal-union(c)' 'vertical-union(c)' 'twisted-union(c)' \
    'random(seed)' 'file(path)'; do
    grep -qF -- "  $stage " out || fail "help does not list $stage"
done
[ $failures -eq 0 ]
