"""vef in Python: networks, traces and studies as tables with units.

    import vef

    torus = {"topology": {"family": "torus", "sizes": [8, 8]}}
    vef.load(torus, rate="0.1:1.0:0.1")       # a DataFrame; without pandas a list of dicts
    vef.replay("app.vef", torus)
    vef.study("tori.yaml").table()

A network is the path of its file, its text (YAML), or a dict with its keys. Keyword arguments are the options of
the command, which vef.options("load") lists. Each table has `attrs`: "units" of its columns, the whole "document",
whose table(PATH) has its other tables, and the exit "status". Failures are raised as vef.Error. vef.Network and
vef.Feed use networks and traces through libvef."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Union

from vef.library import Delivery, Feed, Message, Network
from vef.program import VERSION as __version__
from vef.program import Error, Warning, call, options
from vef.table import Document, Rows, Study, Table

__all__ = ["Delivery", "Document", "Error", "Feed", "Message", "Network", "Rows", "Study", "Table", "Warning"]
__all__ += ["compare", "info", "load", "map", "options", "replay", "run", "study", "topology", "verify"]

Path = Union[str, "os.PathLike[str]"]
Net = Union[Path, Dict[str, Any]]


def _table(command: str, *operands: Any, **given: Any) -> Table:
    printed, status = call(command, operands, given, level=4)
    return Document(json.loads(printed)).table(status=status)


def load(net: Net, **options: Any) -> Table:
    """Accepted load and latency of a network under synthetic traffic: a row for each offered load (`rate`)."""
    return _table("load", net, **options)


def compare(*nets: Net, **options: Any) -> Table:
    """The same load (`rate`) or program (`trace`) on several networks: a row for each network and load."""
    return _table("compare", *nets, **options)


def topology(net: Net, **options: Any) -> Table:
    """Distances, link loads and bisection of a network: one row."""
    return _table("topology", net, **options)


def verify(net: Net, **options: Any) -> Table:
    """Whether the routing of a network is free of deadlock: one row, with the `reason` if it is not."""
    return _table("verify", net, **options)


def replay(trace: Path, net: Net, **options: Any) -> Table:
    """The time of a traced program on a network: one row. The document has tasks, links and causes."""
    return _table("replay", trace, net=net, **options)


def map(trace: Path, net: Net, **options: Any) -> Table:
    """Mappings of the tasks of a trace to endpoints (map=["block", "greedy"]): a row for each."""
    return _table("map", trace, net=net, **options)


def info(trace: Path, **options: Any) -> Table:
    """Statistics of a trace: one row. The document has calls, tasks, sizes and communicators."""
    return _table("info", trace, **options)


def study(path: Path, output: Path = "", **options: Any) -> Study:
    """The results in a folder, or those of a study file, which runs, or continues, first.

    `output` is the folder of the results: by default the name of the study file without extension."""
    if os.path.isdir(path):
        return Study(path)
    folder = output or os.path.splitext(path)[0]
    return Study(folder, *call("study", [path], {"output": folder, **options}))


def run(command: str, *operands: Any, **options: Any) -> Union[Table, str]:
    """Any command of vef: its table, or what it prints if it has no option --json."""
    printed, status = call(command, operands, options)
    return Document(json.loads(printed)).table(status=status) if printed.startswith("{") else printed
