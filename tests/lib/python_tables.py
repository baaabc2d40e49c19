"""Tables of the Python package: `python_tables.py [pandas]`, in a folder of its own, with $VEF."""

import copy
import json
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

import vef
from vef import table as tables

PANDAS = "pandas" in sys.argv


def rows(table):
    """The rows of a table as dicts in which None is missing, with pandas and without."""
    assert hasattr(table, "to_dict") == PANDAS, type(table)
    records = table.to_dict("records") if PANDAS else table
    return [{name: None if value != value else value for name, value in row.items()} for row in records]


def fails(status, message, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except vef.Error as error:
        assert error.status == status and message in str(error), (error.status, str(error))
        return
    raise AssertionError(f"no failure: {message}")


def printed(*words):
    done = subprocess.run([os.environ["VEF"], *words, "--json"], capture_output=True, encoding="utf-8")
    return json.loads(done.stdout)


def comparable(document):
    """Without what depends on the machine."""
    if isinstance(document, dict):
        return {key: comparable(value) for key, value in document.items() if key not in ("packet_hops_per_second", "memory_bytes")}
    return [comparable(item) for item in document] if isinstance(document, list) else document


# ---- closed forms: a torus of k x m has the diameter k/2 + m/2, a mesh k - 1 + m - 1; half of a torus of even k >= m is
# cut off by 2m links, half of a mesh by m. A network may be a dict, a text in braces or in lines, or a file.
for wraps, family in ((1, "torus"), (0, "mesh")):
    for k, m in ((4, 4), (8, 4), (8, 8)):
        lines = f"topology:\n  family: {family}\n  sizes: [{k}, {m}]\n"
        Path("network.yaml").write_text(lines)
        for net in ({"topology": {"family": family, "sizes": [k, m]}}, {"family": family, "sizes": (k, m)},
                    f"{{family: {family}, sizes: [{k}, {m}]}}", lines, "network.yaml", Path("network.yaml")):
            (figures,) = rows(vef.topology(net))
            assert figures["diameter"] == (k // 2 + m // 2 if wraps else k + m - 2), figures
            assert figures["axis_bisection_links"] == (2 * m if wraps else m), figures
            if k != m or net is not lines:
                break  # every form of a network once is enough

# ---- the numbers of the program, units and documents
torus = "{topology: {family: torus, sizes: [4, 4]}}"
loads = vef.load(torus, rate=[0.1, 0.95], seeds=1, precision=0.1)
document = printed("load", torus, "--rate", "0.1,0.95", "--seeds", "1", "--precision", "0.1")
assert comparable(loads.attrs["document"]) == comparable(document)
assert [row["rate"] for row in rows(loads)] == [0.1, 0.95]
for row, point in zip(rows(loads), document["points"]):
    for name in ("accepted_load", "latency_mean_ns", "message_latency_mean_ns", "saturated"):
        assert row[name] == point[name], (name, row[name], point[name])
    assert "confidence" not in row
units = loads.attrs["units"]
assert (units["latency_p99_ns"], units["accepted_load"], units["goodput_bytes_per_s"]) == ("ns", "phits/cycle/endpoint", "B/s")
assert "saturated" not in units and loads.attrs["status"] == 0
confidence = rows(loads.attrs["document"].table("resolved.links"))
assert [link["class"] for link in confidence] == ["x", "y"], confidence
try:
    loads.attrs["document"].table("resolved.nothing")
    raise AssertionError("a path that is not there")
except KeyError as error:
    assert "nothing" in str(error)
assert tables.unit("m") is None and tables.unit("length_m") == "m"  # m may be an axis of a study
assert copy.deepcopy(loads.attrs)["document"] is loads.attrs["document"]  # pandas copies attrs often
if PANDAS:
    assert loads.accepted_load.dtype == float

# ---- replays, mappings, statistics, comparisons
Path("pair.txt").write_text("vef-trace 1\ntasks 2\ntask 0\nInit\nSend to=1 bytes=4000 ordinal=0\nFinalize\n"
                            "task 1\nInit\nRecv from=0 ordinal=0\nFinalize\n")
vef.run("assemble", "pair.txt", output="app.vef", force=True)
assert "MPI_Alltoall" in vef.run("list", "calls")
replay = vef.replay("app.vef", torus, per_task=True, set={"mpi.eager_threshold": "1 KiB", "seed": 3})
document = printed("replay", "app.vef", "--net", torus, "--per-task", "--set", "mpi.eager_threshold=1 KiB", "--set", "seed=3")
assert comparable(replay.attrs["document"]) == comparable(document)
# 4,000 bytes are 1,000 phits; a rendezvous takes more than the data.
assert rows(replay)[0]["time_cycles"] > rows(vef.replay("app.vef", torus))[0]["time_cycles"] > 1000
assert [task["bytes_sent"] for task in rows(replay.attrs["document"].table("task"))] == [4000, 0]
assert rows(vef.info("app.vef"))[0]["message_bytes"] == 4000
calls = rows(vef.info("app.vef").attrs["document"].table("call_details"))
assert {row["name"]: row["count"] for row in calls} == {"MPI_Init": 2, "MPI_Send": 1, "MPI_Recv": 1, "MPI_Finalize": 2}
Path("far").write_text("0\n10\n")  # 2 + 2 hops
costs = rows(vef.map("app.vef", torus, map=["identity", "file(far)"], simulate=True))
assert [(row["name"], row["hop_bytes"]) for row in costs] == [("identity", 4000), ("file(far)", 16000)], costs
ways = vef.compare(torus, rate=0.1, seeds=1, precision=0.1, vary={"router.arbiter": ["random", "oldest"]})
assert [row["router.arbiter"] for row in rows(ways)] == ["random", "oldest"], ways
nets = vef.compare(torus, {"topology": {"family": "mesh", "sizes": [4, 4]}}, trace="app.vef")
assert [row["time_cycles"] for row in rows(nets)] == [1001, 1001], nets

assert rows(vef.topology(torus, set={"topology.sizes": [8, 4]}))[0]["diameter"] == 6
assert len(rows(vef.run("topology", best="ibt sizes=8x8 L=1"))) > 1
assert [place["endpoint"] for place in rows(vef.run("map", net=torus, tasks=4, map="cyclic"))] == [0, 1, 2, 3]
assert rows(vef.run("model", torus))[0]["closed_form_hops"] is None  # the program writes n/a
vef.run("map", "app.vef", net=torus, map="cyclic", output="hosts", as_="hostfile", force=True)
assert Path("hosts").read_text().split() == ["node0", "node1"], Path("hosts").read_text()
jobs = vef.run("replay", job=["app.vef,name=a", "app.vef,name=b"], net=torus)
assert [job["name"] for job in rows(jobs)] == ["a", "b"], jobs

# ---- failures and warnings
fails(2, "vef load: unknown option '--colour", vef.load, torus, colour="red")
fails(2, "did you mean torus", vef.topology, "topology:\n  family: tours\n")
fails(2, "vef load: missing --rate", vef.load, torus)
fails(2, "no-such.vef: No such file", vef.info, "no-such.vef")
fails(2, "unknown command 'lode'", vef.run, "lode", torus)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    proof = vef.verify({"topology": {"family": "torus", "sizes": [4, 4]}}, without_bubble=True)
    assert proof.attrs["status"] == 1 and not rows(proof)[0]["free_of_deadlock"]
    Path("stall.txt").write_text("vef-trace 1\ntasks 2\ntask 0\nInit\nRecv from=1 bytes=8 ordinal=0\nFinalize\nend finalized\n"
                                 "task 1\nInit\nFinalize gap=3\nend finalized\n")
    vef.run("assemble", "stall.txt", output="stall.vef", force=True)
    assert not [warning for warning in caught if warning.category is vef.Warning], caught
    stalled = vef.replay("stall.vef", torus)
    assert stalled.attrs["status"] == 1 and rows(stalled)[0]["stalled"] == "no-send"
    assert "never sends it" in str(caught[-1].message) and caught[-1].category is vef.Warning, caught
    assert caught[-1].filename == __file__, caught[-1].filename
    vef.load({**json.loads('{"topology": {"family": "torus", "sizes": [4, 4]}}'), "routing": {"algorithm": "polarized", "root": 0}},
             rate=0.1, seeds=1, precision=0.1, set={"routing.algorithm": "minimal"})
    assert "root: not a key with" in str(caught[-1].message) and caught[-1].filename == __file__, caught[-1]
given, os.environ["VEF"] = os.environ["VEF"], "/no/such/vef"
fails(None, "expected the program vef", vef.topology, torus)
Path("other").write_text("#!/bin/sh\necho '{\"version\": \"99.1.2\", \"commands\": {}}'\n")
Path("other").chmod(0o755)
os.environ["VEF"] = str(Path("other").resolve())
fails(None, f"vef 99.1.2: expected {vef.__version__}", vef.topology, torus)
os.environ["VEF"] = given
assert vef.options("load")["per-link"]["value"] is None and "KEY=VALUE" == vef.options("load")["set"]["value"]
assert set(vef.options("topology")["by"]["choices"]) == {"average", "diameter", "inner"}

# ---- a study runs, is read again, and runs again without a run
Path("tori.yaml").write_text("run: topology\nnetworks: {rt: '{family: rt, a: $a}', rtt: '{family: rtt, a: $a}'}\n"
                             "vary: {a: [4, 6]}\nsummary: {base: {network: rt}, measure: diameter}\n")
study = vef.study("tori.yaml", jobs=2)
for results in (study, vef.study("tori")):
    points = [(row["network"], row["a"], row["diameter"]) for row in rows(results.table())]
    assert points == [("rt", 4, 6), ("rt", 6, 9), ("rtt", 4, 4), ("rtt", 6, 6)], points
    documents = results.table().attrs["document"]
    assert [documents[row["key"]]["diameter"] for row in rows(results.table())] == [6, 9, 4, 6]
    relative = {row["network"]: row["diameter_relative"] for row in rows(results.table("summary"))}
    assert relative["rt"] == 1 and math.isclose(relative["rtt"], 2 / 3, abs_tol=1e-6), relative
assert study.document["done"] == 4
# A key of digits is no number.
assert [tables._value(*cell) for cell in (("key", "12"), ("a", "12"), ("a", "true"), ("a", "x"))] == ["12", 12, True, "x"]
