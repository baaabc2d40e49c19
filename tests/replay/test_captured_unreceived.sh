#!/bin/sh
# Messages that real tasks see in probes and that no receive of the trace takes: such a send goes out,
# and the probe waits for it. Also in slices that cut between the two.
set -u
. tests/command.sh
mpiexec=${MPIEXEC:-mpiexec.mpich}

cat >ideal.yaml <<'EOF'
model: ideal
link: {bandwidth: 32 Gbit/s, phit: 4 B}
EOF
cat >mesh.yaml <<'EOF'
topology: {family: mesh, sizes: [2, 2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
EOF

# goes_on FILE: the trace has no fault and replays to its end.
goes_on() {
    vef 0 check "$1"
    for network in ideal mesh; do
        vef 0 replay "$1" --net $network.yaml
    done
}

${MPICC:-mpicc.mpich} -O1 -o unreceived "$here/tests/mpi/unreceived.c" || exit 1
for left_out in "" "--skip Recv" "--skip Recv,Mrecv" "--skip Probe,Mprobe,Improbe" "--only Probe,Iprobe,Send,Mprobe" \
    "--skip Send" "--skip Barrier,Recv"; do
    # shellcheck disable=SC2086
    vef 0 capture --force -o out.vef $left_out -- "$mpiexec" -n 2 ./unreceived 5
    goes_on out.vef
    for part in "--tasks 0" "--tasks 1" "--between Iprobe:2-5" "--between Send:4-20" "--between Pcontrol:3-6"; do
        # shellcheck disable=SC2086
        "$vef" slice --force out.vef -o part.vef $part >out 2>err || continue # nothing of it is in the trace
        goes_on part.vef
    done
done

# Without the receives every message is for probes alone: five of the six, and the last one is on its way
# to nobody.
vef 0 capture --force -o out.vef --skip Recv,Mrecv -- "$mpiexec" -n 2 ./unreceived 1
"$vef" dump --task 1 out.vef >sends
"$vef" dump --task 0 out.vef >probes
[ "$(grep -c '^Send .*flags=unmatched,probed' sends)" -eq 6 ] || fail "sends: $(grep ^Send sends)"
[ "$(grep -c '^[A-Z][a-z]*probe .*flags=[a-z,-]*unmatched\|^Probe .*flags=[a-z,-]*unmatched' probes)" -eq 6 ] || fail "probes: $(grep -i probe probes)"
[ $failures -eq 0 ]
