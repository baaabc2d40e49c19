"""The program vef: where it is, and how a command of it is run.

No option is listed here: `vef list options` has them, and a keyword argument is the option of that name. A keyword
that vef does not know therefore gets vef's own message."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

VERSION = "0.9.0"


class Error(Exception):
    """What is wrong, in the words of vef. `status`: the exit status of the program, or the code of the library."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class Warning(UserWarning):
    """What to know about a result that vef could nevertheless compute."""


def installed(*patterns: str) -> Optional[str]:
    """The first file that a pattern finds below the prefix in whose lib folder this package is."""
    prefixes = [folder.parent for folder in Path(__file__).resolve().parents if folder.name in ("lib", "lib64")]
    found = (sorted(prefix.glob(pattern)) for prefix in prefixes for pattern in patterns)
    return next((str(files[0]) for files in found if files), None)


def program() -> str:
    """$VEF, else the program in the prefix of this package, else that on PATH."""
    return os.environ.get("VEF") or installed("bin/vef", "build/vef") or shutil.which("vef") or "vef"


def text(value: Any, commas: bool = False) -> str:
    """A value as vef reads it: YAML in braces and brackets; with `commas` a list is words with commas between."""
    value = value.tolist() if hasattr(value, "tolist") else value  # of numpy or pandas
    if commas and isinstance(value, (list, tuple, range)):
        return ",".join([text(item) for item in value])
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def assignments(values: Any, commas: bool = False) -> List[str]:
    """KEY=VALUE for each item of a dict; else the text of each item of a list, or of the one value."""
    if isinstance(values, dict):
        return [f"{key}={text(value, commas)}" for key, value in values.items()]
    return [text(value) for value in (values if isinstance(values, (list, tuple)) else [values])]


def execute(words: List[str]) -> Tuple[str, str, int]:
    """Runs a program: its output, its messages, and its exit status, which is 1 if it ran and found a failure."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    except OSError as error:
        raise Error(f"{words[0]}: {error.strerror}: expected the program vef: on PATH, or named by $VEF") from error
    said = done.stderr.split("\nusage: ")[0].strip()
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stdout):
        raise Error(said or f"vef {words[1]}: ended by signal {-done.returncode}", done.returncode)
    return done.stdout, said, done.returncode


@functools.lru_cache(maxsize=None)
def commands(path: str) -> Dict[str, Any]:
    """The options of each command of a program."""
    document = json.loads(execute([path, "list", "options"])[0])
    if document["version"] != VERSION:
        raise Error(f"{path}: vef {document['version']}: expected {VERSION}, the version of this package")
    return document["commands"]


def options(command: str) -> Dict[str, Any]:
    """The options of a command by name: `value` and `choices` (neither: a flag), `repeatable`, `required`, `help`."""
    return commands(program()).get(command, {})


def arguments(command: str, given: Dict[str, Any]) -> List[str]:
    """Keyword arguments as options: per_task=True is --per-task, set={"seed": 2} is --set=seed=2."""
    known, words = options(command), []
    for keyword, value in given.items():
        name = keyword.rstrip("_").replace("_", "-")  # as_="hostfile": `as` is a word of Python
        row = known.get(name, {})
        if value is None or value is False:
            continue
        if value is True and not row.get("value") and not row.get("choices"):
            words.append(f"--{name}")
        elif row.get("repeatable"):
            words += [f"--{name}={one}" for one in assignments(value, "," in row["value"])]
        else:
            words.append(f"--{name}={text(value, commas=True)}")
    return words


def call(command: str, operands: Any, given: Dict[str, Any], level: int = 3) -> Tuple[str, int]:
    """Runs a command, with --json where it has that; its messages become Python's warnings. Output and exit status."""
    form = ["--json"] if "json" in options(command) else []
    words = [program(), command, *arguments(command, given), *form, *[text(one) for one in operands]]
    printed, said, status = execute(words)
    for message in re.split(f"^vef {command}: ", said, flags=re.MULTILINE):
        if message.startswith("warning: ") or (message and status):
            warnings.warn(message.removeprefix("warning: ").strip(), Warning, stacklevel=level)
    return printed, status
