#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callgraph.py LIFETRACE FILE GRAPH

The trees of `lifetrace calls --graph` beside those of ftrace's function_graph of the same functions in
the same run: of each thread that was born after both began, and ended before both did, the same calls
in the same order with the same nesting. Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import re
import sys
from collections import Counter, defaultdict

from calls import calls
from common import Faults, lines, print_counts, usage

THEIRS = re.compile(r"^\s*\d+\)\s.*-(\d+)\s+\|.*?\|\s*(?:(\w[\w.]*)\(.*\)( \{|;)|\})")
OWNER = re.compile(r"^(?!\w+ on cpu \d+, in ).*-(?P<tid>\d+)(?:, process \d+)?:$")
# A call begins a line, with the rest of it; or its brace closes.
OURS = re.compile(r"^\s+[-0-9.?]+\s+\d+\).*?\|  (?P<indent> *)(?:(?P<name>\w+)\(|\})")


def of_graph(path):
    """Of each thread: its calls in order, each with its depth."""
    threads, depth = defaultdict(list), Counter()
    with open(path, encoding="latin-1") as f:
        for line in f:
            m = THEIRS.match(line)
            if not m:
                continue
            tid, name, how = int(m[1]), m[2], m[3]
            if name is None:
                depth[tid] -= 1
                continue
            threads[tid].append((depth[tid], name))
            depth[tid] += how == " {"
    return threads, depth


def of_trees(program, path):
    """The same; and of each thread the remarks on its calls."""
    threads, remarks, tid = defaultdict(list), Counter(), None
    for line in lines(program, "calls", "--graph", path):
        line = line.decode().rstrip("\n")
        m = OWNER.match(line)
        if m or (line and not line.startswith(" ")):
            tid = int(m["tid"]) if m else None
            continue
        m = OURS.match(line)
        if not m or tid is None or m["name"] is None:
            continue
        threads[tid].append((len(m["indent"]) // 2, m["name"]))
        for remark in re.findall(r"/\* (uncertain|by a jump|its thread ended inside|open at the end)", line):
            remarks[remark] += 1
    return threads, remarks


def main(program, path, graph):
    faults, counts = Faults(), Counter()
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    young, unwhole = set(), set()
    for c in calls(program, path):
        if c["ctx"] != "task":
            counts["in_interrupts"] += 1
        elif c["task_start_ns"] and c["task_start_ns"] >= info["clock_begin_ns"]:
            young.add(c["tid"])
            if c["ended"] != "returned":
                unwhole.add(c["tid"])
    theirs, depth = of_graph(graph)
    ours, remarks = of_trees(program, path)
    for tid in sorted(young - unwhole):
        counts["threads"] += 1
        counts["calls"] += len(ours[tid])
        counts["nested"] += sum(d > 0 for d, _ in ours[tid])
        counts["deepest"] = max(counts["deepest"], *[d for d, _ in ours[tid]], 0)
        faults.check(depth[tid] == 0, "function_graph is not whole", (tid, depth[tid]))
        if ours[tid] != theirs.get(tid, []):
            other = theirs.get(tid, [])
            at = next((i for i, (a, b) in enumerate(zip(ours[tid], other)) if a != b),
                      min(len(ours[tid]), len(other)))
            faults.add("tree", (tid, at, len(ours[tid]), len(other), ours[tid][max(at - 3, 0):at + 3],
                                other[max(at - 3, 0):at + 3]))
    counts["functions"] = len({name for t in ours.values() for _, name in t})
    counts["not_whole"] = len(unwhole)
    counts.update({"remark_" + k.replace(" ", "_"): n for k, n in remarks.items()})
    faults.check(counts["nested"] >= 200 and counts["threads"] >= 5 and counts["deepest"] >= 2,
                 "too few calls", dict(counts))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 3)))
