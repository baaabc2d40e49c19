#!/bin/sh
# Under `ulimit -s 64` commands work: large buffers are not on the stack, and threads get stacks that suffice.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}
if ldd "$vef" | grep -q libasan; then
    skip 'small stacks: a build with sanitizers has large frames'
    exit 0
fi
cat >net.yaml <<'END2'
topology: {family: torus, sizes: [8, 8]}
END2
cat >study.yaml <<'END2'
run: load
networks: [net.yaml]
rates: [0.1, 0.2]
precisions: 0.1
END2
vef 0 generate '{tasks: 16, workload: stencil, message: 100 B}' -o stencil.vef
cat >one.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
${MPICC:-mpicc.mpich} -w -o one one.c || exit 1
ulimit -s 64 || { skip 'small stacks: ulimit -s is not supported'; exit 0; }
# MPI itself, and its launcher, may need more: without a task, and with one that needs no launcher.
vef 1 capture -o none.vef -- true
says 'no MPI task wrote a log'
vef 7 capture -o none.vef -- sh -c 'exit 7'
if ./one >/dev/null 2>&1; then
    vef 0 capture -o one.vef -- ./one
    vef 0 capture --keep-logs --force -o one.vef -- ./one
    vef 0 gather --force -o one.vef one.vef.logs-*
else
    skip 'small stacks: MPI itself does not start'
fi
vef 2 info none.vef
vef 0 info stencil.vef
vef 0 info --json stencil.vef
vef 0 check stencil.vef
vef 0 slice stencil.vef --tasks 0-1 -o two.vef
vef 0 export stencil.vef --format chrome -o a.json
vef 0 export stencil.vef --format goal -o a.goal
vef 0 topology net.yaml
vef 0 verify net.yaml
vef 2 topology '{family: torsu}'
says "did you mean torus"
vef 0 load net.yaml --rate 0.1 --threads 3
vef 0 load net.yaml --rate 0.1 --set router.queue_packets=8 --json
vef 0 map stencil.vef --net net.yaml --map identity --map anneal --simulate
vef 0 replay stencil.vef --net net.yaml --threads 2 --explain
vef 0 compare net.yaml --rate 0.1
vef 0 study study.yaml -o study --jobs 2
cp one.c damaged.vef
vef 2 info damaged.vef
head -c 600 stencil.vef >damaged.vef
"$vef" info damaged.vef >out 2>err
[ $? -le 2 ] || fail 'a damaged trace'
[ $failures -eq 0 ]
