"""libvef in Python: `python_library.py TREE`, in a folder of its own, with $VEF."""

import ctypes
import os
import re
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import vef
from vef import library

TREE = Path(sys.argv[1])


def fails(message, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except vef.Error as error:
        assert message in str(error), str(error)
        return
    raise AssertionError(f"no failure: {message}")


# ---- structs and functions are those of the headers
headers = sorted((TREE / "lib/vef").glob("*.h"))
text = "".join(header.read_text() for header in headers)
source = "#include <stdio.h>\n" + "".join(f"#include <vef/{header.name}>\n" for header in headers) + "int main(void) {\n"
for name, struct in library.STRUCTS.items():
    source += f'printf("{name} %zu\\n", sizeof({name}));\n'
    source += "".join(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));\n' for field, *_ in struct._fields_)
Path("layout.c").write_text(source + "}\n")
subprocess.run(["cc", "-std=c99", f"-I{TREE}/lib", "layout.c", "-o", "layout"], check=True)
there = subprocess.run(["./layout"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.split("\n")[:-1]
here = []
for name, struct in library.STRUCTS.items():
    here += [f"{name} {ctypes.sizeof(struct)}"] + [f"{name}.{field} {getattr(struct, field).offset}" for field, *_ in struct._fields_]
assert here == there, set(here) ^ set(there)
assert set(library.STRUCTS) == set(re.findall(r"^} (vef_\w+);", text, re.M)) - {"vef_failure_code", "vef_feed_kind"}
functions = re.findall(r"VEF_PUBLIC [^(]*?(vef_\w+)\(", text)
assert len(functions) > 25
code = Path(library.__file__).read_text()
called = {"vef_library_version", "vef_fabric_open", "vef_feed_open"}
for family, text in re.findall(r'_family = "(vef_\w+)"(.*?)(?=^class|\Z)', code, re.M | re.S):
    called |= {f"{family}_{name}" for name in re.findall(r'_(?:get|call|fill)\("(\w+)"', text + code.split("class Network")[0])}
assert called == set(functions), called ^ set(functions)

# ---- a network of the caller's: each message takes 300 cycles of 1 ns. Task 0 computes 100 ns, sends 40 bytes, and gets the
# answer 7 ns after their arrival; 5 ns later it ends.
Path("pair.txt").write_text("vef-trace 1\ntasks 2\ntask 0\nInit\nSend to=1 bytes=40 gap=100\nRecv from=1 bytes=8 ordinal=0\n"
                            "Finalize gap=5\nend finalized\ntask 1\nInit\nRecv from=0 bytes=40 ordinal=0\nSend to=0 bytes=8 gap=7\n"
                            "Finalize\nend finalized\n")
vef.run("assemble", "pair.txt", output="pair.vef")
with vef.Feed("pair.vef", "{mpi: {}}", cycle_ps=1000, endpoints=2) as feed:
    assert (feed.tasks, feed.endpoint(1), feed.run(0), feed.take(), feed.next()) == (2, 1, False, [], 100)
    assert not feed.run(100)
    (first,) = feed.take()
    assert first[1:] == (0, 1, 40, 100, 0, "data") and feed.under_way() == 1 and feed.next() is None
    fails("", feed.deliver, first.id + 1, 400)
    fails("", feed.deliver, first.id, 99)
    feed.deliver(first.id, 400)
    feed.run(400)
    feed.run(407)
    (answer,) = feed.take()
    assert answer.time_cycles == 407 and feed.task_ended(0) is None and feed.task_ended(1) == 407000
    feed.deliver(answer.id, 707)
    feed.run(707)
    assert feed.run(712) and feed.task_ended(0) == 712000
    result = feed.finish()
    assert (result["complete"], result["time_ps"], result["messages"], result["bytes"], result["stall"]) == (1, 712000, 2, 48, "")
    assert [(row["task"], row["end_ps"], row["bytes_sent"]) for row in feed.task_times()] == [(0, 712000, 40), (1, 407000, 8)]
    assert feed.task_times().attrs["units"]["end_ps"] == "ps"
fails("this Feed is closed", feed.run, 800)
feed.close()
fails("no-such.vef: No such file", vef.Feed, "no-such.vef", "{mpi: {}}", 1000, 2)
fails("cycle_ps of 1 to", vef.Feed, "pair.vef", "{mpi: {}}", 0, 2)
Path("far").write_text("0\n7\n")
fails("endpoint 7 is out of range", vef.Feed, "pair.vef", "{mpi: {}}", 1000, 2, "file(far)")

# ---- a replay through both has the times of `vef replay`, to the ps


def replayed(trace, net, mapping):
    with vef.Network(net) as network:
        with vef.Feed(trace, net, network.cycle_ps, network.endpoints, mapping) as feed:
            now = 0
            while not feed.run(now):
                for message in feed.take():
                    network.inject(*message[:6])
                arrived = network.advance(feed.next())
                now = arrived[0].time_cycles if arrived else feed.next()
                for delivery in arrived:
                    feed.deliver(delivery.id, delivery.time_cycles)
            assert feed.finish()["complete"]
            return [row["end_ps"] for row in feed.task_times()]


vef.run("generate", "{workload: stencil, points: 7, tasks: 16, block: [32, 32, 32], iterations: 2, compute: {time: 20 us, imbalance: 0.3}}",
        output="stencil.vef")
vef.run("generate", "{workload: transpose, tasks: 16, points: [64, 64, 64], iterations: 1, compute: 10 us}", output="transpose.vef")
torus = {"topology": {"family": "torus", "sizes": [4, 4]}, "link": {"bandwidth": "56 Gbit/s"}, "mpi": {"eager_threshold": "512 B"}}
flow = "model: flow\ntopology:\n  family: dragonfly\n  a: 4\n  h: 1\n"
for trace, net, mapping in (("stencil.vef", torus, "greedy"), ("transpose.vef", torus, "identity"), ("stencil.vef", flow, "random(3)")):
    with warnings.catch_warnings():
        tasks = vef.replay(trace, net, map=mapping, per_task=True).attrs["document"].table("task")
    ours, theirs = replayed(trace, net, mapping), [task["end_ns"] * 1000 for task in tasks]
    assert len(ours) == 16 and all(abs(a - b) <= 1 for a, b in zip(ours, theirs)), (ours, theirs)

# ---- networks: 15 messages of 256 phits to the corner of a mesh come through its only ejection port
with vef.Network({"topology": {"family": "mesh", "sizes": [4, 4]}}, set={"link.phit": "4 B"}, threads=2) as network:
    assert (network.endpoints, network.routers, network.ports, network.now()) == (16, 16, 4, 0)
    assert network.cycle_ps == Fraction(32000)  # 4 B at 1 Gbit/s
    for source in range(1, 16):
        network.inject(source, source, 0, 1024, 0)
    assert network.waiting(5) == 1
    arrived = []
    while len(arrived) < 15:
        arrived += network.advance(network.now() + 1000000)
    assert sorted(delivery.id for delivery in arrived) == list(range(1, 16)) and 3840 <= arrived[-1].time_cycles < 3940
    figures, links = network.measure(), network.links()
    assert figures["messages"] == 15 and figures["phits"] == 3840 and network.waiting(5) == 0 and network.deadlock() is None
    assert len(links) == 2 * 24 and sum(link["phits"] for link in links if link["to_router"] == 0) == 3840
    assert network.advance() == []  # nothing is under way
    network.reset()
    assert network.measure()["messages"] == 0
    fails("", network.inject, 1, 16, 0, 8, network.now())
with vef.Network("{model: ideal}") as network:
    assert (network.endpoints, network.routers, network.cycle_ps) == (2**32 - 1, 0, 1)  # any number
fails("did you mean torus", vef.Network, {"topology": {"family": "tours"}})

# ---- other libraries are refused


def refuses(path, message):
    words = [sys.executable, "-c", "import vef\ntry:\n    vef.Network('{family: torus}')\nexcept vef.Error as error:\n    print(error)"]
    done = subprocess.run(words, env={**os.environ, "VEF_LIBVEF": path}, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert message in done.stdout, done.stdout


Path("other.c").write_text('const char *vef_library_version(void) { return "99.1.2"; }\n' + "".join(
    f"void {name}(void) {{}}\n" for names in library._RETURNS.values() for name in names.split() if name != "vef_library_version"))
subprocess.run(["cc", "-shared", "-fPIC", "other.c", "-o", "other.so"], check=True)
subprocess.run("echo 'int nothing;' | cc -shared -fPIC -x c - -o nothing.so", shell=True, check=True)
refuses(str(Path("other.so").resolve()), f"libvef 99.1.2: expected {vef.__version__}")
refuses(str(Path("nothing.so").resolve()), "undefined symbol")
refuses("/no/such/libvef.so", "expected libvef")
