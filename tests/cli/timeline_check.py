"""Checks a timeline against the Trace Event Format, and counts what it holds.

timeline_check.py TIMELINE [INFO]: INFO is `vef info --json` of the whole trace. Prints the counts as
words KEY=VALUE, or what is wrong (status 1). Knows nothing of vef but its categories and INFO.
"""
import collections
import decimal
import json
import sys

PHASES = {"B": {"name", "cat"}, "E": set(), "M": {"name", "args"}, "i": {"name", "s"},
          "s": {"name", "cat", "id"}, "f": {"name", "cat", "id", "bp"}, "C": {"name", "args"}}


def wrong(event, why):
    sys.exit(f"{why}: {event}")


def read(path):
    def unique(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            sys.exit(f"a key twice: {pairs}")
        return dict(pairs)
    with open(path, encoding="utf-8", errors="strict") as file:
        return json.load(file, parse_float=decimal.Decimal, object_pairs_hook=unique)


def check(events):
    """Returns what was counted: slices by category and name, ns by category, ends of arrows."""
    open_slices, last, names = collections.defaultdict(list), {}, {}
    count, time_ns, ends = collections.Counter(), collections.Counter(), {"s": {}, "f": {}}
    for event in events:
        phase = event.get("ph")
        if phase not in PHASES or not PHASES[phase] <= event.keys():
            wrong(event, "not an event of the format")
        if phase == "M":
            if event["name"] in ("process_name", "thread_name"):
                names[event["pid"], event.get("tid")] = event["args"]["name"]
            elif event["name"] not in ("process_sort_index", "thread_sort_index"):
                wrong(event, "unknown metadata")
            continue
        at_ns = event["ts"] * 1000
        if at_ns < 0 or at_ns != int(at_ns):
            wrong(event, "a time that is no number of ns")
        if phase == "C":
            continue
        track = event["pid"], event["tid"]
        if track not in names or (event["pid"], None) not in names:
            wrong(event, "on a track without a name")
        if at_ns < last.get(track, 0):
            wrong(event, f"before {last[track]} ns")
        last[track] = at_ns
        if phase == "B":
            open_slices[track].append(event)
        elif phase == "E":
            if not open_slices[track]:
                wrong(event, "ends nothing")
            begun = open_slices[track].pop()
            if event.get("name", begun["name"]) != begun["name"]:
                wrong(event, f"ends {begun}")
            calls = begun.get("args", {}).get("calls", 1)
            count[begun["cat"], begun["name"]] += calls
            time_ns[begun["cat"]] += at_ns - begun["ts"] * 1000
        elif phase in ends:
            if not open_slices[track]:
                wrong(event, "joins no slice")
            if ends[phase].setdefault(event["id"], track) is not track:
                wrong(event, "an end twice")
    for slices in open_slices.values():
        if slices:
            wrong(slices[-1], "never ended")
    if ends["s"].keys() != ends["f"].keys():
        sys.exit(f"arrows with one end: {sorted(ends['s'].keys() ^ ends['f'].keys())[:9]}")
    return names, count, time_ns, ends["s"]


def drawn(events):
    """The arrows that Perfetto draws, by the rules of its trace processor (FlowTracker, commit ec5d16b1): events
    in the order of time and, at one time, of the file; an end joins the innermost open slice; what enters
    before it leaves is dropped, and what enters a slice that began before the one it left is reversed."""
    open_slices, left, count = collections.defaultdict(list), {}, 0
    for event in sorted((e for e in events if e["ph"] in "BEsf"), key=lambda e: e["ts"]):
        slices = open_slices[event["pid"], event["tid"]]
        if event["ph"] == "B":
            slices.append(event["ts"])
        elif event["ph"] == "E":
            slices.pop()
        elif event["ph"] == "s" and slices:
            left[event["id"]] = slices[-1]
        elif event["ph"] == "f" and slices and event["id"] in left:
            if left.pop(event["id"]) > slices[-1]:
                wrong(event, "an arrow that Perfetto reverses")
            count += 1
    return count


def compare(info, names, count, time_ns, arrows):
    calls = {name: n for (category, name), n in count.items() if category == "MPI"}
    regions = {name: n for (category, name), n in count.items() if category == "region"}
    expected = {name: n for name, n in info["calls"].items() if name.startswith("MPI_")}
    entered = {region["region"]: region["entries"] for region in info["regions"] if region["entries"]}
    tracks = sum(1 for _, tid in names if tid is not None)
    for what, found, wanted in (
            ("calls", calls, expected), ("regions", regions, entered),
            ("tracks", tracks, info["threads"]),
            ("ns in MPI", time_ns["MPI"], info["mpi_ns"]),
            ("ns of computation", time_ns["computation"], info["compute_ns"]),
            ("ns outside", time_ns["outside"], info["outside_ns"])):
        if found != wanted:
            sys.exit(f"{what}: {found} instead of {wanted}")
    if info["unmatched"] == 0 and len(arrows) != info["messages"]:
        sys.exit(f"{len(arrows)} arrows of {info['messages']} messages")


def main():
    timeline = read(sys.argv[1])
    names, count, time_ns, arrows = check(timeline["traceEvents"])
    if len(sys.argv) > 2:
        compare(read(sys.argv[2]), names, count, time_ns, arrows)
    by_category = collections.Counter()
    for (category, _), n in count.items():
        by_category[category] += n
    print(f"drawn={drawn(timeline['traceEvents'])} tracks={sum(1 for _, tid in names if tid is not None)} calls={by_category['MPI']} "
          f"regions={by_category['region']} computations={by_category['computation']} "
          f"arrows={len(arrows)}")


main()
