# Sourced by tests of replays: a ping of 100 bytes and a pong of 4 after 3200 ns, ping.txt, between two
# routers, pair.yaml, on which a cycle lasts 32 ns (4 bytes at 1 Gbit/s). So 25 phits take 1 + 25 cycles,
# the computation 100, and the phit back 1 + 1.
cat >pair.yaml <<'END'
topology: {family: mesh, sizes: [2]}
routing: {algorithm: dor}
link: {bandwidth: 1 Gbit/s, phit: 4 B}
packet: {phits: 16}
END
cat >ping.txt <<'END'
vef-trace 1
tasks 2
comm 0 members=0-1
task 0
Init gap=0 time=0
Send to=1 bytes=100 ordinal=0 gap=0 time=0
Recv from=1 bytes=4 ordinal=0 gap=0 time=0
Finalize gap=0 time=0
task 1
Init gap=0 time=0
Recv from=0 bytes=100 ordinal=0 gap=0 time=0
Send to=0 bytes=4 ordinal=0 gap=3200 time=0
Finalize gap=0 time=0
END
