"""A network of vef from Python: everybody sends to one endpoint, and the links show it.

    python3 hot_spot.py [NETWORK]

The shared library is found by the linker (VEF_LIBVEF names another one). ctypes is part of Python.
"""
import ctypes
import ctypes.util
import os
import sys

u32, u64, size_t, double = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_double


class Failure(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class Options(ctypes.Structure):
    _fields_ = [("size", size_t), ("network", ctypes.c_char_p), ("overrides", ctypes.POINTER(ctypes.c_char_p)),
                ("override_count", size_t), ("threads", u32)]


class Message(ctypes.Structure):
    _fields_ = [("id", u64), ("time_cycles", u64), ("bytes", u64), ("source", u32), ("destination", u32),
                ("traffic_class", u32)]


class Delivery(ctypes.Structure):
    _fields_ = [("id", u64), ("time_cycles", u64), ("endpoint", u32)]


class Link(ctypes.Structure):
    _fields_ = [("to_router", u32), ("to_port", u32), ("phits", u64), ("busy_cycles", u64)]


class Network:
    """A network of vef, with errors as exceptions."""

    def __init__(self, network):
        path = os.environ.get("VEF_LIBVEF") or ctypes.util.find_library("vef") or "libvef.so.0"
        self.library = ctypes.CDLL(path)
        for name in ("endpoints", "routers", "ports"):
            getattr(self.library, "vef_fabric_" + name).restype = u32
        self.library.vef_fabric_now.restype = u64
        self.handle = ctypes.c_void_p()
        options = Options(size=ctypes.sizeof(Options), network=network.encode())
        self.call("open", ctypes.byref(options), ctypes.byref(self.handle))

    def call(self, name, *arguments):
        failure = Failure()
        if getattr(self.library, "vef_fabric_" + name)(*arguments, ctypes.byref(failure)):
            raise RuntimeError(failure.text.decode())

    def get(self, name):
        return getattr(self.library, "vef_fabric_" + name)(self.handle)

    def inject(self, **message):
        self.call("inject", self.handle, ctypes.byref(Message(**message)))

    def advance(self, limit_cycles):
        """What arrives next, up to the limit: a list of (id, time, endpoint)."""
        deliveries, count = ctypes.POINTER(Delivery)(), size_t()
        self.call("advance", self.handle, u64(limit_cycles), ctypes.byref(deliveries), ctypes.byref(count))
        return [(d.id, d.time_cycles, d.endpoint) for d in deliveries[:count.value]]

    def links(self):
        """All links as (router, port, Link)."""
        for router in range(self.get("routers")):
            for port in range(self.get("ports")):
                link = Link()
                if self.library.vef_fabric_get_link(self.handle, u32(router), u32(port), ctypes.byref(link)):
                    yield router, port, link

    def close(self):
        self.library.vef_fabric_close(self.handle)


def main():
    network = Network(sys.argv[1] if len(sys.argv) > 1 else "{topology: {family: mesh, sizes: [4, 4]}}")
    endpoints = network.get("endpoints")
    for source in range(1, endpoints):
        network.inject(id=source, time_cycles=0, bytes=1024, source=source, destination=0)
    arrived = []
    while len(arrived) < endpoints - 1:
        arrived += network.advance(network.get("now") + 1000000)
    print(f"{len(arrived)} messages, the last one at cycle {arrived[-1][1]}")
    busiest = sorted(network.links(), key=lambda link: -link[2].phits)[:3]
    for router, port, link in busiest:
        print(f"router {router} -> {link.to_router}: {link.phits} phits")
    network.close()


try:
    main()
except (RuntimeError, OSError) as error:
    sys.exit(f"hot_spot: {error}")
