#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callcounts.py LIFETRACE FILE

Of each function as many calls were let in as returned, were open at the end, or ended with their
thread; and the trace has a record of each, or says how many it lost. The counts are the module's, the
records are counted here. Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import sys
from collections import Counter

from calls import calls, sums
from common import Faults, lines, print_counts, usage


def lost_of(program, path):
    """
    How many records of calls the trace has not, and what it has not of open ones; and "inside": those of
    the first that the module itself has made while it wrote a record.
    """
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    found = Counter({c["class"]: sum(v for k, v in c.items() if k.startswith("lost"))
                     for c in info["classes"]})
    found["inside"] = sum(c["lost_nested"] for c in info["classes"] if c["class"] == "call")
    return found


def main(program, path):
    faults = Faults()
    records = Counter()
    for c in calls(program, path, "--self"):
        records[c["function"], c["ended"]] += 1
    counts, kinds = Counter(), {kind for _, kind in records}
    faults.check(kinds <= {"returned", "died", "open"}, "ended", kinds)
    lost = lost_of(program, path)
    for f in sums(program, path):
        counts["functions"] += 1
        counts["called"] += bool(f["entered"])
        for key in ("entered", "returned", "filtered", "died", "open_at_end", "missed"):
            counts[key] += f[key]
        faults.check(f["entered"] == f["returned"] + f["open_at_end"] + f["died"], "sum of a function", f)
        missing = f["returned"] - f["filtered"] - records[f["function"], "returned"]
        faults.check(0 <= missing <= lost["call"], "records of a function", (missing, f))
        counts["missing"] += missing
    faults.check(counts["missing"] == lost["call"], "lost", (counts["missing"], lost))
    counts["lost"] = lost["call"]
    counts["lost_inside"] = lost["inside"]
    counts["records"] = sum(records.values())
    faults.check(counts["called"] >= 1, "nothing was called")
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 2)))
