"""Writes Chakra execution traces: `chakra_write.py PREFIX < TEXT`. In TEXT a line `rank` begins the next file, and
each further line is a node: ID TYPE [us=N] [on=ID,ID] [ctrl=ID,ID] [NAME=VALUE …], attributes being integers (int32
for comm_src, comm_dst and comm_tag, int64 for others, as the tools of the project write them) or text; `groups=JSON`
are the inputs of a metadata node. Field numbers: schema/protobuf/et_def.proto of mlcommons/chakra."""
import sys

TYPES = ["INVALID", "METADATA", "LOAD", "STORE", "COMP", "SEND", "RECV", "COLL"]


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    try:
        if name == "is_cpu_op":
            coded = number(27, int(value))
        elif name in ("comm_src", "comm_dst", "comm_tag"):
            coded = number(7, int(value))
        elif name == "pg_name":
            coded = text(29, value.encode())
        else:
            coded = number(9, int(value))
    except ValueError:
        coded = text(29, value.encode())
    return text(10, text(1, name.encode()) + coded)


def node(words):
    out = number(1, int(words[0])) if words[0] != "0" else b""  # proto3 leaves out zeros
    out += text(2, b"node " + words[0].encode())
    out += number(3, TYPES.index(words[1]) if words[1] in TYPES else int(words[1]))
    for word in words[2:]:
        name, value = word.split("=", 1)
        ids = [int(i) for i in value.split(",")] if name in ("on", "ctrl") else []
        if name == "us":
            out += number(7, int(value))
        elif name == "on":  # packed
            out += text(5, b"".join(varint(i) for i in ids))
        elif name == "ctrl":  # one by one
            out += b"".join(number(4, i) for i in ids)
        elif name == "groups":
            out += text(8, text(1, ("['" + value + "']").encode()))
        else:
            out += attribute(name, value)
    return out


def message(content):
    return varint(len(content)) + content


files = []
for line in sys.stdin:
    words = line.split()
    if words == ["rank"]:
        files.append(message(text(1, b"1.0.0") + text(2, text(1, b"schema") + text(29, b"1.0.2"))))
    elif words:
        files[-1] += message(node(words))
for rank, content in enumerate(files):
    with open(f"{sys.argv[1]}.{rank}.et", "wb") as out:
        out.write(content)
