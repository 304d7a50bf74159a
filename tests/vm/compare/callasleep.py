#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callasleep.py LIFETRACE FILE TGID THREADS

THREADS threads of the process TGID slept in a function when the recording ended: each is open in the
trace, once, or was counted as missed. Prints "key value" lines; exit status 1 when there is a fault.
"""
import sys
from collections import Counter

from calls import calls, sums
from callcounts import lost_of
from common import Faults, print_counts, usage


def main(program, path, tgid, threads):
    faults, counts = Faults(), Counter(threads=int(threads))
    of_thread = Counter()
    for c in calls(program, path, "--self"):
        counts[c["ended"]] += 1
        if c["ended"] == "open":
            faults.check(c["tgid"] == int(tgid), "process", c)
            of_thread[c["tid"]] += 1
    for tid, n in of_thread.items():
        faults.check(n == 1, "twice", (tid, n))
    f, = sums(program, path)
    for key in ("entered", "returned", "died", "open_at_end", "missed"):
        counts["sum_" + key] = f[key]
    counts["missed"] = f["missed"]
    faults.check(len(of_thread) + f["missed"] == int(threads), "sleepers", (len(of_thread), f))
    faults.check(f["open_at_end"] == len(of_thread), "open", f)
    faults.check(f["entered"] == f["returned"] + f["open_at_end"] + f["died"], "sum", f)
    lost = lost_of(program, path)
    faults.check(not lost["call_open"] and not lost["call"], "lost", lost)
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 4)))
