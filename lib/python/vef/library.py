"""libvef by ctypes: networks that take messages (vef/network.h) and traces that feed simulators (vef/replay.h).

The objects here own those of the library: the end of a with block, close() or the collector frees them. What the
library returns is copied at once. One object is used by one thread at a time."""

from __future__ import annotations

import ctypes
import functools
import os
import warnings
from collections import namedtuple
from fractions import Fraction
from typing import Any, Dict, List, Optional

from vef.program import VERSION, Error, Warning, assignments, installed, text
from vef.table import Table, make

NEVER = 2**64 - 1  # VEF_NEVER
NAME = "libvef.so.0"  # its number changes with the structs and functions below

_u32, _u64, _size, _text, _ref = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_char_p, ctypes.byref
_TYPES = {"int": ctypes.c_int, "u32": _u32, "u64": _u64, "size": _size, "text": _text, "double": ctypes.c_double}
_TYPES.update(texts=ctypes.POINTER(_text), numbers=ctypes.POINTER(_u32), message=ctypes.c_char * 1024)

# The structs of the headers, and the functions that return something else than an int.
_STRUCTS = {
    "vef_failure": "int code, message text",
    "vef_fabric_options": "size size, text network, texts overrides, size override_count, u32 threads",
    "vef_fabric_message": "u64 id time_cycles bytes, u32 source destination traffic_class",
    "vef_fabric_delivery": "u64 id time_cycles, u32 endpoint",
    "vef_fabric_figures": "size size, u64 since_cycles messages packets packet_hops phits, double packet_latency_mean"
    " packet_latency_p99 message_latency_mean message_latency_p99 link_utilization_mean link_utilization_max",
    "vef_fabric_link": "u32 to_router to_port, u64 phits busy_cycles",
    "vef_feed_options": "size size, text trace, u64 cycle_ps cycle_parts, u32 endpoints, text machine,"
    " texts overrides, size override_count, numbers endpoint, text mapping",
    "vef_feed_message": "u64 id time_cycles bytes, u32 source destination, int kind, u32 traffic_class",
    "vef_feed_task": "u64 end_ps computing_ps outside_ps communicating_ps waiting_ps overhead_ps messages_sent bytes_sent",
    "vef_feed_result": "size size, int complete, u64 time_ps messages bytes local_messages, message stall",
}
_RETURNS = {
    _text: "vef_library_version vef_fabric_warnings vef_feed_warnings",
    _u32: "vef_fabric_endpoints vef_fabric_routers vef_fabric_ports vef_fabric_waiting vef_feed_tasks vef_feed_endpoint",
    _u64: "vef_fabric_now vef_feed_next vef_feed_under_way",
}


def _struct(name: str) -> Any:
    groups = [group.split() for group in _STRUCTS[name].split(", ")]
    fields = [(field, _TYPES[kind]) for kind, *members in groups for field in members]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


STRUCTS = {name: _struct(name) for name in _STRUCTS}


def _members(struct: ctypes.Structure) -> Dict[str, Any]:
    """The members of a struct by name, without its size."""
    members = {name: getattr(struct, name) for name, *_ in struct._fields_ if name != "size"}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in members.items()}


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """$VEF_LIBVEF, else the library in the prefix of this package, else that of the linker. Refuses other versions."""
    beside = installed(f"lib/{NAME}", f"lib64/{NAME}", f"lib/*/{NAME}", f"build/{NAME}")
    path = os.environ.get("VEF_LIBVEF") or beside or NAME
    try:
        loaded = ctypes.CDLL(path)
        for result, names in _RETURNS.items():
            for name in names.split():
                getattr(loaded, name).restype = result
    except (OSError, AttributeError) as error:
        raise Error(f"{error}: expected libvef {VERSION} (Debian: libvef0), or its path in $VEF_LIBVEF") from error
    if loaded.vef_library_version().decode() != VERSION:
        raise Error(f"{path}: libvef {loaded.vef_library_version().decode()}: expected {VERSION}, as of this package")
    return loaded


class _Object:
    """An object of libvef, whose functions begin with `_family`."""

    _family = ""
    _handle: Any = None

    def _open(self, options: ctypes.Structure, overrides: Any) -> None:
        handle, failure, texts = ctypes.c_void_p(), STRUCTS["vef_failure"](), assignments(overrides or {})
        options.size, options.override_count = ctypes.sizeof(options), len(texts)
        options.overrides = (_text * len(texts))(*[one.encode() for one in texts])
        if getattr(library(), f"{self._family}_open")(_ref(options), _ref(handle), _ref(failure)):
            raise Error(failure.text.decode(errors="replace"), failure.code)
        self._handle = handle
        for line in self._get("warnings").decode(errors="replace").splitlines():
            warnings.warn(line, Warning, stacklevel=3)

    def _get(self, name: str, *arguments: Any) -> Any:
        if not self._handle:
            raise Error(f"this {type(self).__name__} is closed")
        return getattr(library(), f"{self._family}_{name}")(self._handle, *arguments)

    def _call(self, name: str, *arguments: Any) -> None:
        failure = STRUCTS["vef_failure"]()
        if self._get(name, *arguments, _ref(failure)):
            raise Error(failure.text.decode(errors="replace"), failure.code)

    def _fill(self, name: str, struct: str, *arguments: Any) -> Dict[str, Any]:
        """The members of a struct that a function fills in."""
        filled = STRUCTS[struct]()
        if hasattr(filled, "size"):
            filled.size = ctypes.sizeof(filled)
        self._call(name, *arguments, _ref(filled))
        return _members(filled)

    def close(self) -> None:
        """Frees it; closing it again does nothing."""
        if self._handle:
            self._get("close")
            self._handle = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    __del__ = close


# A message whose last phit has arrived; one that leaves its source: the arguments of Network.inject(), and its kind.
Delivery = namedtuple("Delivery", "id time_cycles endpoint")
Message = namedtuple("Message", "id source destination bytes time_cycles traffic_class kind")
_MESSAGE_KINDS = ("data", "request", "clearance", "one-sided")  # vef_feed_kind


class Network(_Object):
    """A network that takes messages and returns them when they have arrived. Times are in cycles of `cycle_ps`."""

    _family = "vef_fabric"

    def __init__(self, net: Any, *, set: Optional[Dict[str, Any]] = None, threads: int = 1) -> None:
        self._open(STRUCTS["vef_fabric_options"](network=text(net).encode(), threads=threads), set)
        ps, parts = _u64(), _u64()
        self._get("cycle", _ref(ps), _ref(parts))
        self.cycle_ps = Fraction(ps.value, parts.value or 1)
        self.endpoints, self.routers, self.ports = self._get("endpoints"), self._get("routers"), self._get("ports")

    def inject(
        self, id: int, source: int, destination: int, bytes: int, time_cycles: int, traffic_class: int = 0
    ) -> None:
        """A message enters the queue of its source, now or at a later time."""
        message = STRUCTS["vef_fabric_message"](id, time_cycles, bytes, source, destination, traffic_class)
        self._call("inject", _ref(message))

    def advance(self, limit_cycles: Optional[int] = None) -> List[Delivery]:
        """Simulates to the next arrivals, or to the limit if there are none before; what arrived at that time."""
        first, count = ctypes.POINTER(STRUCTS["vef_fabric_delivery"])(), _size()
        self._call("advance", _u64(NEVER if limit_cycles is None else limit_cycles), _ref(first), _ref(count))
        return [Delivery(one.id, one.time_cycles, one.endpoint) for one in first[: count.value]]

    def now(self) -> int:
        """The cycle that it has come to."""
        return self._get("now")

    def waiting(self, endpoint: int) -> int:
        """Messages that are, partly or wholly, still in their source."""
        return self._get("waiting", _u32(endpoint))

    def deadlock(self) -> Optional[str]:
        """The cycle of virtual channels, if packets are known to be deadlocked."""
        cycle = ctypes.create_string_buffer(4096)
        return cycle.value.decode() if self._get("deadlock", cycle, _size(len(cycle))) else None

    def measure(self) -> Dict[str, Any]:
        """Packets, latencies in cycles and link utilization since the last reset()."""
        return self._fill("measure", "vef_fabric_figures")

    def reset(self) -> None:
        """Begins to measure anew."""
        self._get("reset")

    def links(self) -> Table:
        """The links out of routers, and what has crossed them since the last reset()."""
        link, rows = STRUCTS["vef_fabric_link"](), []
        for router, port in ((router, port) for router in range(self.routers) for port in range(self.ports)):
            if self._get("get_link", _u32(router), _u32(port), _ref(link)):
                rows.append({"router": router, "port": port, **_members(link)})
        return make(rows, {})


class Feed(_Object):
    """The messages of a traced program, in causal order, for a network that the caller simulates.

    `net` is a network or machine, whose sections mpi and host are used, and whose topology mappings see; `cycle_ps`
    (a number or a Fraction) and `endpoints` are those of the caller's network."""

    _family = "vef_feed"

    def __init__(self, trace: Any, net: Any, cycle_ps: Any, endpoints: int, mapping: str = "identity", set: Any = None):
        options = STRUCTS["vef_feed_options"](trace=text(trace).encode(), endpoints=endpoints)
        options.cycle_ps, options.cycle_parts = Fraction(cycle_ps).as_integer_ratio()
        options.machine, options.mapping = text(net).encode(), mapping.encode()
        self._open(options, set)
        self.tasks: int = self._get("tasks")

    def endpoint(self, task: int) -> int:
        """The endpoint of a task."""
        return self._get("endpoint", _u32(task))

    def run(self, until_cycles: int) -> bool:
        """Lets the tasks run up to and including a time; whether no message will come any more."""
        ended = ctypes.c_int()
        self._call("run", _u64(until_cycles), _ref(ended))
        return bool(ended.value)

    def take(self) -> List[Message]:
        """The messages that leave up to the time of the last run(), in order."""
        taken, one = [], STRUCTS["vef_feed_message"]()
        while self._get("take", _ref(one)):
            members = [getattr(one, name) for name in Message._fields[:-1]]
            taken.append(Message._make([*members, _MESSAGE_KINDS[one.kind]]))
        return taken

    def next(self) -> Optional[int]:
        """When a task goes on by itself; None: not before a message arrives."""
        time = self._get("next")
        return None if time == NEVER else time

    def deliver(self, id: int, time_cycles: int) -> None:
        """A message that was taken has arrived as a whole."""
        self._call("deliver", _u64(id), _u64(time_cycles))

    def under_way(self) -> int:
        """Messages that were taken and have not arrived."""
        return self._get("under_way")

    def task_ended(self, task: int) -> Optional[int]:
        """When a task ended, in ps; None: it has not."""
        end = _u64()
        return end.value if self._get("task_ended", _u32(task), _ref(end)) else None

    def finish(self) -> Dict[str, Any]:
        """Ends the replay, once: `complete`, `time_ps`, messages, and the `stall`, why it did not go on."""
        return self._fill("finish", "vef_feed_result")

    def task_times(self) -> Table:
        """The parts of the time of each task, after finish()."""
        tasks = range(self.tasks)
        return make([{"task": task, **self._fill("task_times", "vef_feed_task", _u32(task))} for task in tasks], {})
