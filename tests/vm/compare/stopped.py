#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: stopped.py LIFETRACE FILE TRUTH

Checks which threads that did not run while FILE was recorded are shown inside of a call. TRUTH is
what `calls stopped` printed: "TID NUMBER WHAT" of a thread in a call, "TID none WHAT" of one in
none, "end".

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts, usage

counts = Counter()


def main():
    program, path, truth = usage(__doc__, 3)
    faults = Faults()
    ours = defaultdict(list)
    for event in map(json.loads, lines(program, "dump", "--json", "--channel=syscall", path)):
        if event.get("event") in ("sys", "sys_open", "sys_begin"):
            ours[event["tid"]].append((event["event"], event["nr"]))
    with open(truth, encoding="ascii") as file:
        for line in file:
            if line == "end\n":
                counts["ends"] += 1
                continue
            tid, nr, what = line.rstrip("\n").split(" ", 2)
            expected = [] if nr == "none" else [("sys_open", int(nr))]
            counts["inside" if expected else "outside"] += 1
            faults.check(ours[int(tid)] == expected, "another state",
                         f"{what}: {expected}; {ours[int(tid)]}")
    faults.check(counts["ends"] == 1 and counts["inside"] >= 4 and counts["outside"] >= 6, "too few", dict(counts))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main())
