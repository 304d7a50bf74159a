#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: calltruth.py LIFETRACE FILE LOG

The calls of the functions of lt_calls that FILE has are those of its LOG: each with every argument,
result, context and thread. Prints "key value" lines; exit status 1 when there is a fault.
"""
import sys
from collections import Counter

from calls import calls, value, values
from common import Faults, print_counts, usage


def of_log(path, faults):
    """Its calls: (function, context, tid), values, result."""
    with open(path, encoding="latin-1") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    if not rows or rows[-1][0] != "end" or int(rows[-1][1]) != len(rows) - 1:
        faults.add("log is not whole", rows[-1:])
        return
    for function, context, tid, text in rows[:-1]:
        given = values(text, separator=r" ")
        yield function, context, int(tid), given, given.pop("result", None)


def main(program, path, log):
    faults = Faults()
    expected = Counter()
    for function, context, tid, given, result in of_log(log, faults):
        expected[(function, context, tid, tuple(sorted(given.items())), result)] += 1
    counts = Counter(logged=sum(expected.values()), functions=len({k[0] for k in expected}))
    for c in calls(program, path):
        if not c["function"].startswith("ltc_"):
            continue
        faults.check(c["module"] == "lt_calls", "module", c)
        faults.check(c["ended"] == "returned", "ended", c)
        given = values(c["args"])
        # The number is signed, the text as the type is; but that of an error is its name.
        result = c["result_value"] if c["error"] else c["result"] and value(c["result"])
        key = (c["function"], c["ctx"], c["tid"], tuple(sorted(given.items())), result)
        counts["recorded"] += 1
        counts["values"] += len(given) + (result is not None)
        counts["in_" + c["ctx"]] += 1
        if expected[key] > 0:
            expected[key] -= 1
            counts["right"] += 1
        else:
            faults.add("not in the log", key)
    for key, n in expected.items():
        if n:
            faults.add("not recorded", (n, key))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 3)))
