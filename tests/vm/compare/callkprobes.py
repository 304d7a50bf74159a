#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callkprobes.py LIFETRACE FILE EVENTS

Calls of functions whose arguments and result are registers, beside what kprobe events of ftrace read
in the same run: FUNCTION_in has the registers of three arguments as a, b, c, FUNCTION_out the result as
r. Of each thread that was born after both were attached to a function its calls are the same, in the same
order, with the same values, at the same time. Prints "key value" lines; exit status 1 when there is a
fault.
"""
import json
import re
import sys
from collections import Counter, defaultdict

from calls import calls, values
from common import Faults, lines, print_counts, usage

MASK = (1 << 64) - 1
EVENT = re.compile(r"^\s*.+-(\d+)\s+\[\d+\].*? (\d+)\.(\d+): (\w+)_(in|out): \((.*?)\)(.*)$")


def of_ftrace(path):
    """Of each (tid, function) its calls: begin, end, a, b, c, r."""
    done, opened = defaultdict(list), defaultdict(list)
    with open(path, encoding="latin-1") as f:
        for line in f:
            m = EVENT.match(line)
            if not m:
                continue
            tid, s, us, name, what, _, rest = m.groups()
            at, key = int(s) * 10 ** 9 + int(us) * 1000, (int(tid), name)
            given = {k: int(v, 0) & MASK for k, v in re.findall(r"(\w)=(\S+)", rest)}
            if what == "in":
                opened[key].append((at, given))
            elif opened[key]:
                begin, args = opened[key].pop()
                done[key].append((begin, at, args["a"], args["b"], args["c"], given["r"]))
    return done


def extended(result):
    """An int is extended with its sign, whatever the rest of the register was."""
    return (result & 0xffffffff ^ 1 << 31) - (1 << 31) & MASK


def attached_at(rows, begin):
    """From when on a function is surely attached: its first call in the trace; else when the trace begins."""
    first = {}
    for c in rows:
        first[c["function"]] = max(begin, min(first.get(c["function"], c["begin_ns"]), c["begin_ns"]))
    return first


def of_trace(program, path, begin, counts, *options, but=None):
    """
    The same of the trace, without the function BUT, of threads that were born after the function was attached:
    that takes a while, in which threads are born and call; and when each was attached.
    """
    done, rows = defaultdict(list), [c for c in calls(program, path, *options) if c["function"] != but]
    first = attached_at(rows, begin)
    for c in rows:
        if c["ctx"] != "task" or not c["task_start_ns"] or c["task_start_ns"] < first[c["function"]]:
            counts["of_older_threads"] += 1
            continue
        if c["ended"] == "returned":
            v = list(values(c["args"]).values())
            if len(v) == 3:
                done[c["tid"], c["function"]].append(
                    (c["begin_ns"], c["end_ns"], *[x & MASK for x in v], int(c["result"], 0) & MASK))
    return done, first


def main(program, path, events):
    faults, counts = Faults(), Counter()
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    ours, _ = of_trace(program, path, info["clock_begin_ns"], counts)
    theirs = of_ftrace(events)
    for key, rows in ours.items():
        other = theirs.get(key, [])
        rows.sort()
        other.sort()
        if not faults.check(len(rows) == len(other), "count", (key, len(rows), len(other))):
            continue
        for row, event in zip(rows, other):
            counts["calls"] += 1
            counts["values"] += 4
            result = extended(event[5])
            counts["extended"] += row[5] == result != event[5]
            faults.check(row[2:5] == event[2:5] and row[5] in (event[5], result), "values", (key, row, event))
            # One of the two is around the other. Printed times have microseconds.
            faults.check(row[0] <= event[1] + 1000 and event[0] <= row[1], "time", (key, row, event))
    counts["functions"] = len({name for _, name in ours})
    counts["threads"] = len({tid for tid, _ in ours})
    faults.check(counts["functions"] >= 5 and counts["calls"] >= 200, "too few calls", dict(counts))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 3)))
