#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callboot.py LIFETRACE FILE EVENTS STATS

Function calls of a boot, from the initramfs on, beside what kprobe events of ftrace read in the same boot,
as callkprobes.py compares them: of each thread that was born after the first event, up to a moment
near the end of the trace. EVENTS is ftrace's text, STATS the counts of its buffers. Besides, one function is
recorded with its types: its arguments have names, and its paths are directories that each boot makes.
Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import re
import sys
from collections import Counter

from callkprobes import extended, of_ftrace, of_trace
from calls import calls, values
from common import Faults, dump, lines, print_counts, usage

TYPED = "do_mkdirat"
NEAR_END = 2 * 10 ** 9


def last_moment(theirs, end):
    """The middle of the longest time near the end of the trace in which no call returned."""
    ends = sorted(row[1] for rows in theirs.values() for row in rows if end - NEAR_END < row[1] < end)
    ends = [end - NEAR_END, *ends, end]
    return max((b - a, (a + b) // 2) for a, b in zip(ends, ends[1:]))[1]


def compare(faults, counts, ours, theirs, root):
    for key, rows in ours.items():
        rows.sort()
        other = sorted(theirs.get(key, []))
        if not faults.check(len(rows) == len(other), "count", (key, len(rows), len(other))):
            continue
        for row, event in zip(rows, other):
            counts["calls"] += 1
            counts["before_root"] += row[1] < root
            good = row[2:5] == event[2:5] and row[5] in (event[5], extended(event[5]))
            faults.check(good, "values", (key, row, event))
            faults.check(row[0] <= event[1] + 1000 and event[0] <= row[1], "time", (key, row, event))


def typed(faults, counts, program, path, root):
    paths = set()
    for c in calls(program, path, "--function=" + TYPED):
        v = values(c["args"])
        good = isinstance(v.get("dfd"), int) and isinstance(v.get("mode"), int) and \
            str(v.get("name->name")).startswith('"')
        if faults.check(good, "types", c["args"]) and c["ended"] == "returned":
            counts["typed"] += 1
            counts["typed_before_root"] += c["end_ns"] < root
            if c["result"] == "0":
                paths.add(v["name->name"].strip('"'))
    faults.check(any(p.startswith("/run/") for p in paths), "no path", sorted(paths)[:9])
    faults.check(counts["typed_before_root"], "no typed call in the initramfs")


def main(program, path, events, stats):
    faults, counts = Faults(), Counter()
    with open(stats, encoding="ascii") as f:
        lost = sum(int(n) for n in re.findall(r"(?:overrun|dropped events): (\d+)", f.read()))
    faults.check(not lost, "ftrace has lost events", lost)
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    begin = info["clock_begin_ns"]
    tasks = list(dump(program, path, "--channel", "pid"))
    root = [e["time"] for e in tasks
            if e["event"] == "exec" and e["tid"] == 1 and "systemd" in e["file"]][-1]
    born = {e["tid"] for e in tasks if e["event"] == "task_new"}
    ours, theirs = of_trace(program, path, begin, counts, "--self", but=TYPED), of_ftrace(events)
    end = last_moment(theirs, max(row[1] for rows in ours.values() for row in rows))
    ours = {key: [r for r in rows if r[1] <= end] for key, rows in ours.items()}
    theirs = {key: [r for r in rows if r[1] <= end] for key, rows in theirs.items()}
    compare(faults, counts, ours, theirs, root)
    for key, rows in theirs.items():
        # Of a thread all of whose calls are missing nothing is among ours.
        faults.check(not rows or key[0] not in born or key in ours, "no calls", (key, len(rows)))
    counts["functions"] = len({name for _, name in ours})
    counts["threads"] = len({tid for tid, _ in ours})
    faults.check(counts["functions"] >= 3 and counts["calls"] >= 1000 and counts["before_root"] >= 100,
                 "too few calls", dict(counts))
    typed(faults, counts, program, path, root)
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 4)))
