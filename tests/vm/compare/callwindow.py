#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callwindow.py LIFETRACE FILE EVENTS MODE [TIDS]

Calls of functions of lt_calls in a FILE that holds a part of a session, beside the kprobe events of ftrace
of the whole session, EVENTS: FUNCTION_in has the registers of three arguments as a, b, c, FUNCTION_out the
result as r. Each call in FILE is one of these, with all values, and no two are the same one; and each of
these that ended within the time of FILE is in it. By MODE that time is

  whole      the session: also the counts of each function are those of EVENTS
  snapshot   that of a flight recorder's file; its counts are of the session up to its end
  part       that of a part of a set; its counts too
  overwrite  on each CPU from the first record on that is left

TIDS is a file of threads: of others nothing was recorded, and their calls were counted as filtered.
Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import re
import sys
from collections import Counter, defaultdict, namedtuple

from calls import calls, sums, values
from callcounts import lost_of
from common import Faults, lines, print_counts, usage
from flight import span

MASK = (1 << 64) - 1
US = 1000
# From the end of a file until the counts of its functions are read.
LATE_NS = 3000000000
# Between the event of a call and its record an interrupt may come: of so much at a border it is open.
BORDER_NS = 5000000
EVENT = re.compile(r"^\s*.+-(\d+)\s+\[(\d+)\].*? (\d+)\.(\d+): (\w+)_(in|out): \((.*?)\)(.*)$")
Made = namedtuple("Made", "begin end cpu a b c r")


def of_ftrace(path, faults):
    """Of each (tid, function) its calls in order; the end of one that had not returned is None."""
    made, opened = defaultdict(list), {}
    with open(path, encoding="latin-1") as f:
        for line in f:
            m = EVENT.match(line)
            if not m:
                continue
            tid, cpu, s, us, name, what, _, rest = m.groups()
            at, key = int(s) * 10 ** 9 + int(us) * US, (int(tid), name)
            given = {k: int(v, 0) & MASK for k, v in re.findall(r"(\w)=(\S+)", rest)}
            if what == "in":
                faults.check(key not in opened, "ftrace missed a return", line)
                opened[key] = (at, given)
            elif faults.check(key in opened, "ftrace missed a call", line):
                begin, args = opened.pop(key)
                made[key].append(Made(begin, at, int(cpu), args["a"], args["b"], args["c"], given["r"]))
    for key, (begin, args) in opened.items():
        made[key].append(Made(begin, None, None, args["a"], args["b"], args["c"], None))
    return made


def of_trace(program, path, counts):
    found = defaultdict(list)
    for c in calls(program, path):
        counts[c["ended"]] += 1
        found[c["tid"], c["function"]].append(c)
    return found


def fits(c, m):
    """Whether a record can be this call. One of both is around the other."""
    return c["begin_ns"] < (m.end or MASK) + US and m.begin <= c["end_ns"] and \
        (m.end is None) <= (c["ended"] != "returned" or c["end_ns"] >= m.begin)


def is_equal(c, m):
    v = [x & MASK for x in values(c["args"]).values()]
    given = (m.a, m.b & 0xffffffff, m.c & 0xffffffff) if len(v) == 3 else (m.a & 0xffffffff,)
    size = 64 if len(v) == 3 else 32
    return tuple(v) == given and int(c["result"], 0) & MASK == m.r & (1 << size) - 1


def join(rows, made, key, counts, faults):
    """Marks the calls that have a record. Both are in order, and calls of a thread follow one another."""
    seen, i = set(), 0
    for c in sorted(rows, key=lambda c: c["end_ns"]):
        while i < len(made) and (made[i].end or MASK) + US <= c["begin_ns"]:
            i += 1
        here = [k for k in range(i, min(i + 3, len(made))) if k not in seen and fits(c, made[k])]
        if c["ended"] != "returned":
            # Its values are not recorded.
            if faults.check(here, "open, and was not called", (key, c)):
                seen.add(here[0])
            continue
        right = [k for k in here if made[k].end is not None and is_equal(c, made[k])]
        if faults.check(right, "values", (key, c, [made[k] for k in here])):
            seen.add(right[0])
            counts["joined"] += 1
            counts["ns_apart"] = max(counts["ns_apart"], abs(made[right[0]].begin - c["begin_ns"]))
    return seen


def span_of(program, path, mode, found):
    """For each CPU the times between which each call that ends must have a record."""
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    begin, end = 0, MASK
    if mode in ("snapshot", "part"):
        begin, end, _ = span(path)
    first = defaultdict(lambda: begin)
    if mode == "overwrite":
        first = defaultdict(lambda: MASK)
        for rows in found.values():
            for c in rows:
                if c["ended"] == "returned":
                    first[c["cpu"]] = min(first[c["cpu"]], c["end_ns"])
    return info, first, end


def check_sums(program, path, mode, made, end, tids, counts, faults):
    """What the module counted of each function beside the calls of ftrace."""
    for f in sums(program, path):
        rows = [(tid, m) for (tid, name), ms in made.items() if name == f["function"] for m in ms]
        if not rows:
            continue
        own = [m for tid, m in rows if tids is None or tid in tids]
        counts["counted"] += 1
        if not faults.check(f["entered"] is not None, "a function has no counts", f):
            continue
        faults.check(f["entered"] == f["returned"] + f["open_at_end"] + f["died"], "sum", f)
        faults.check(f["missed"] == 0, "missed", f)
        if mode in ("whole", "overwrite"):
            expected = (len(own), sum(m.end is not None and m.end < end for m in own), len(rows) - len(own))
            given = (f["entered"], f["returned"], f["filtered"])
            # What slept on when the recording ended has come back before the events were read.
            faults.check(given[0] == expected[0] and given[1] + f["open_at_end"] == expected[0] and
                         given[2] == expected[2], "counts", (f, expected))
            continue
        least = sum(m.begin < end - US for m in own)
        most = sum(m.begin < end + LATE_NS for m in own)
        faults.check(least <= f["entered"] <= most, "entered so far", (f, least, most))


def main(program, path, events, mode, tids_file=None):
    faults, counts = Faults(), Counter()
    made, found = of_ftrace(events, faults), of_trace(program, path, counts)
    tids = None
    if tids_file:
        with open(tids_file, encoding="ascii") as f:
            tids = {int(tid) for tid in f.read().split()}
        faults.check({tid for tid, _ in made} - tids, "nobody else has called")
        faults.check({tid for tid, _ in found} == tids, "threads", (sorted({t for t, _ in found}), sorted(tids)))
    info, first, end = span_of(program, path, mode, found)
    slack = 0 if mode == "overwrite" else BORDER_NS
    counts["begun_before"] = sum(c["begin_ns"] < first[c["cpu"]] for rows in found.values() for c in rows)
    for key, rows in made.items():
        counts["called"] += len(rows)
        seen = join(found.pop(key, []), rows, key, counts, faults)
        for i, m in enumerate(rows):
            if m.end is None or i in seen or (tids and key[0] not in tids):
                continue
            if m.end <= first[m.cpu] + US + slack or m.end + US + slack >= min(end, info["end_ns"]):
                counts["outside"] += 1
            else:
                faults.add("no record", (key, m, first[m.cpu], end))
    for key, rows in found.items():
        faults.add("not called", (key, rows[0]))
    lost = lost_of(program, path)
    faults.check(not lost["call"] and not lost["call_open"], "lost", lost)
    check_sums(program, path, mode, made, end, tids, counts, faults)
    faults.check(counts["joined"] >= 100, "too few calls", counts["joined"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] if len(sys.argv) == 6 else usage(__doc__, 4))))
