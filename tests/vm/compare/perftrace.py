#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: perftrace.py LIFETRACE FILE TEXT

Compares the system calls in FILE with those that `perf trace` printed of a program of the same run
(TEXT): of each thread and name as many, from the return of the program's execve on.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import re
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts, usage

counts = Counter()
# TIME ( DURATION ms): NAME/TID CALL(ARGUMENTS) = RESULT; the end of a call whose begin is on another
# line, or was before, is "... [continued]: CALL()) = RESULT".
RETURN = re.compile(r"\): [^/]*/(\d+) +(?:\.\.\. \[continued\]: )?(\w+)\(.*\) += ")


def read_perf(path):
    found = defaultdict(Counter)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = RETURN.search(line)
            if match:
                found[int(match[1])][match[2]] += 1
            counts["unfinished"] += line.rstrip().endswith("...")
            counts["lost"] += "LOST" in line
    return found


def read_trace(program, path):
    found = defaultdict(Counter)
    for call in map(json.loads, lines(program, "syscalls", "--absolute", "--self", "--raw", "--json", path)):
        tid, name = call["tid"], call["name"]
        # perf sees its program from here on.
        if name == "execve" and call["error"] is None:
            found[tid].clear()
        # perf prints exit as = ?.
        if call["ended"] in ("returned", "died"):
            found[tid][name] += 1
    return found


def main():
    program, path, text = usage(__doc__, 3)
    faults = Faults()
    ours, theirs = read_trace(program, path), read_perf(text)
    for tid, calls in theirs.items():
        counts["threads"] += 1
        for name in sorted(calls.keys() | ours[tid].keys()):
            counts["calls"] += calls[name]
            faults.check(calls[name] == ours[tid][name], "other numbers",
                         f"{tid}: {name}: {ours[tid][name]}, perf {calls[name]}")
    faults.check(not counts["lost"], "perf lost some")
    faults.check(counts["threads"] >= 5, "too few threads", counts["threads"])
    faults.check(counts["calls"] >= 2000, "too few calls", counts["calls"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main())
