"""What vef prints as tables with units: DataFrames where pandas is installed, else lists of dicts."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

if TYPE_CHECKING:
    import pandas

# The list that is the table of a document is the first of these that it has; with none of them it is one row.
MAIN = ("results", "points", "mappings", "mapping", "ranking", "jobs", "networks")

# Ends of names that are units, and what they mean; the longest end counts.
UNITS = dict(ns="ns", ps="ps", s="s", seconds="s", cycles="cycles", m="m", metres="m", hops="hops", w="W", bytes="B")
UNITS.update(phits="phits", phits_per_cycle="phits/cycle", bytes_per_s="B/s", bits_per_s="bit/s")
UNITS.update(dict.fromkeys(("rate", "load", "load_half_width"), "phits/cycle/endpoint"))


class Rows(List[Dict[str, Any]]):
    """A table without pandas: a list of rows with the `attrs` of a DataFrame."""

    def __init__(self, rows: List[Dict[str, Any]]) -> None:
        super().__init__(rows)
        self.attrs: Dict[str, Any] = {}


Table = Union["pandas.DataFrame", Rows]


def unit(name: str) -> Optional[str]:
    """The unit that the name of a column ends in; None: it has no unit."""
    words = name.split("_")
    ends = ["_".join(words[first:]) for first in range(len(words))]
    return next((UNITS[end] for end in ends if end in UNITS and len(name) > 1), None)


def make(items: List[Any], document: Dict[str, Any], status: int = 0) -> Table:
    """A table of items, without their parts that have parts. Missing values are None."""
    rows = [item if isinstance(item, dict) else {"value": item} for item in items]
    names = dict.fromkeys(name for row in rows for name, value in row.items() if not isinstance(value, (dict, list)))
    rows = [{name: None if row.get(name) in ("", "n/a") else row.get(name) for name in names} for row in rows]
    try:
        import pandas
    except ImportError:
        table: Table = Rows(rows)
    else:
        table = pandas.DataFrame(rows, columns=list(names))
    units = {name: unit(name) for name in names if unit(name)}
    table.attrs.update(units=units, document=document, status=status)
    return table


class Document(Dict[str, Any]):
    """What a command of vef prints with --json."""

    def __deepcopy__(self, memo: Any) -> Document:  # pandas copies attrs in each operation
        return self

    def table(self, path: str = "", status: int = 0) -> Table:
        """The table at a path of names ("explain.critical_path"); by default the one that the command is about."""
        part: Any = self
        for name in path.split(".") if path else [key for key in MAIN if isinstance(self.get(key), list)][:1]:
            if not isinstance(part, dict) or name not in part:
                raise KeyError(f"{path}: no '{name}' in this document")
            part = part[name]
        if isinstance(part, dict) and part and all(isinstance(value, dict) for value in part.values()):
            part = [{"name": name, **value} for name, value in part.items()]
        return make(part if isinstance(part, list) else [part], self, status)


def _value(column: str, word: str) -> Any:
    try:
        value = json.loads(word)
    except ValueError:
        return word
    return value if type(value) in (int, float, bool) and column != "key" else word


class Study:
    """The results of a study, as `vef study -o FOLDER` leaves them. `document`: what it printed, if it has just run."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"], printed: str = "{}", status: int = 0) -> None:
        self.folder, self.document, self.status = Path(folder), Document(json.loads(printed)), status

    def table(self, name: str = "results") -> Table:
        """A row for each point in the order of the study file: labels, state, figures; or the "verdict" or "summary".

        The document in its attrs has the whole document of each point by the `key` of its row."""
        with open(self.folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            rows = [{key: _value(key, word) for key, word in row.items()} for row in csv.DictReader(file)]
        with open(self.folder / "results.jsonl", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        documents = {record["key"]: Document(record.get("result") or {}) for record in records}
        return make(rows, Document(documents), self.status)
