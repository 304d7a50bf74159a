#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callflood.py LIFETRACE FILE THREADS CALLS

Calls of ltc_flood, most of which did not find room in the buffers. Each that is there has a result made
of its own arguments, began at the time that is one of them or later, and returned before the thread
called it again. THREADS threads made CALLS calls each: the others were counted as lost. Prints "key
value" lines; exit status 1 when there is a fault.
"""
import sys
from collections import Counter, defaultdict

from calls import calls, sums, values
from callcounts import lost_of
from common import Faults, print_counts, usage

MASK = (1 << 64) - 1


def mixed(a, b, c):
    """See mixed() of lt_calls."""
    x = a * 0x9e3779b97f4a7c15 & MASK
    x = ((x ^ (x >> 29) ^ b) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 32) ^ c) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def main(program, path, threads, n):
    faults, counts = Faults(), Counter()
    of_thread = defaultdict(list)
    for c in calls(program, path, "--function=ltc_flood"):
        v = values(c["args"])
        counts["records"] += 1
        faults.check(int(c["result"]) == mixed(v["then"], v["n"], v["tid"]), "result", c)
        faults.check(v["tid"] == c["tid"], "thread", c)
        faults.check(v["then"] <= c["begin_ns"] <= c["end_ns"], "begin", c)
        faults.check(c["duration_ns"] == c["end_ns"] - c["begin_ns"], "duration", c)
        of_thread[c["tid"]].append((v["n"], v["then"], c["end_ns"]))
    for rows in of_thread.values():
        rows.sort()
        for (n0, _, end), (n1, then, _) in zip(rows, rows[1:]):
            counts["neighbours"] += n1 == n0 + 1
            faults.check(end <= then and n0 != n1, "end", (n0, end, n1, then))
    lost = lost_of(program, path)
    f = next(f for f in sums(program, path) if f["function"] == "ltc_flood")
    counts.update(threads=len(of_thread), lost=lost["call"], made=int(threads) * int(n), entered=f["entered"],
                  missed=f["missed"])
    faults.check(counts["made"] == f["entered"] + f["missed"], "entered", f)
    faults.check(f["entered"] == f["returned"] == counts["records"] + lost["call"], "conservation", (f, lost))
    faults.check(lost["call"] > 0, "nothing was lost")
    faults.check(counts["neighbours"] >= 100, "too few calls one behind the other", counts["neighbours"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 4)))
