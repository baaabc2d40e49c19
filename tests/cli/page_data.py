"""Decodes the timelines of pages of `vef report` and `vef replay --html` (replay/timeline/packed_timeline.h) by the
words of that header, and prints of each: rows, calls, blocks, messages, path pieces, messages on the path, end of the
path; with a second argument `blocks` or `messages` instead a line for each of them, and with `links` one for each link:
its number, its utilization, and the mean over the samples. Fails if numbers are missing or left over, if
blocks of a row overlap, or if the path has gaps."""

import base64
import json
import re
import sys


class Packed:
    def __init__(self, text):
        self.bytes, self.next = base64.b64decode(text, validate=True), 0

    def read(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.next]
            self.next += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.read()
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def end(self):
        assert self.next == len(self.bytes), "numbers left over"


def documents(path):
    text = open(path, encoding="utf-8").read()
    found = re.search(r'id="inputs">(.*?)</script>', text, re.S)
    return [one["document"] for one in json.loads(found.group(1))["inputs"]] if found else [json.loads(text)]


def blocks(timeline):
    packed, names = Packed(timeline["packed"]), timeline["names"]
    for row in timeline["rows"]:
        count, now = packed.read(), packed.read()
        for _ in range(count):
            begin = now + packed.read()
            now = begin + packed.read()
            name, peer, size, waiting, text = names[packed.read()], packed.read() - 1, packed.read(), packed.read(), packed.read()
            calls, idle = (packed.read(), packed.read()) if timeline["resolution_ns"] else (1, 0)
            assert waiting <= now - begin and idle <= now - begin, "a part is longer than the whole"
            yield row, begin, now, name["name"], name["group"], peer, size, calls, idle, waiting
        packed.read()
    packed.end()


def messages(timeline):
    packed, now, rows = Packed(timeline["arrows"]), 0, timeline["rows"]
    for _ in range(timeline["messages_shown"]):
        now += packed.read()
        start, end, length = rows[packed.read()], rows[packed.read()], packed.signed()
        yield start, end, now, now + length, packed.read()
    packed.end()


def path(timeline):
    packed, before = Packed(timeline["path"]), None
    for _ in range(timeline["path_shown"]):
        gap, length, row, start = packed.read(), packed.read(), packed.read(), packed.read()
        end = gap if before is None else before - gap
        assert before is None or timeline["path_shortest_ns"] or gap == 0, "a gap in the path"
        before = end - length
        yield before, end, row - 1, start - 1, timeline["causes"][packed.read()]
    packed.end()


def links(document):
    packed, begin, sums = Packed(document["sample_links"]), 0, [0] * len(document["per_link"])
    for sample in document["samples"]:
        for link in range(len(sums)):
            sums[link] += packed.read() / 1000 * (sample["end_cycles"] - begin)
        begin = sample["end_cycles"]
    packed.end()
    for number, (link, total) in enumerate(zip(document["per_link"], sums)):
        print(number, link["utilization"], total / begin)


for document in documents(sys.argv[1]):
    if sys.argv[2:] == ["links"]:
        links(document)
        continue
    timeline = document.get("timeline")
    if not timeline:
        continue
    shown, sent = list(blocks(timeline)), list(messages(timeline))
    pieces = list(path(timeline)) if "path" in timeline else []
    assert len(shown) == timeline["blocks"], "the number of blocks"
    if len(sys.argv) > 2:
        for one in shown if sys.argv[2] == "blocks" else sent:
            print(*one)
        continue
    print("rows", len(timeline["rows"]), "calls", sum(one[7] for one in shown if one[3].startswith("MPI_")), "blocks", len(shown),
          "messages", len(sent), "pieces", len(pieces), "by", sum(piece[3] >= 0 for piece in pieces),
          "from", pieces[-1][0] if pieces else None, "to", pieces[0][1] if pieces else None)
