#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callboot.py LIFETRACE FILE EVENTS STATS

Function calls of a boot, from the initramfs on, beside what kprobe events of ftrace read in the same boot,
as callkprobes.py compares them: of each thread that was born after the function was attached, up to a moment
near the end of the trace. None was missed. EVENTS is ftrace's text, STATS the counts of its buffers. Besides,
one function is recorded with its types: its arguments have names, and its paths are directories that each boot
makes.
Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import re
import sys
from collections import Counter

from callkprobes import all_threads, attached_at, births, compare, last_moment, of_ftrace, of_trace
from calls import calls, sums, values
from common import Faults, dump, lines, print_counts, usage

TYPED = "do_mkdirat"


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
    rows = [c for c in calls(program, path, "--self") if c["function"] != TYPED]
    since, theirs = attached_at(rows, begin), of_ftrace(events)
    ours = of_trace(rows, since, counts)
    end = last_moment(theirs, max(row[1] for found in ours.values() for row in found))
    for row, _ in compare(faults, ours, theirs, end):
        counts["calls"] += 1
        counts["before_root"] += row[1] < root
    all_threads(faults, births(tasks), since, ours, theirs, end)
    for f in sums(program, path):
        faults.check(not f["missed"], "missed", f)
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
