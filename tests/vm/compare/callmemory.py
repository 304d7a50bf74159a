#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callmemory.py LIFETRACE FILE TRUTH

Checks which system calls allocate, by `report --by=syscall`. modules/lt_paths makes objects while
its file is read; TRUTH has them, one in a line: each must be an allocation of read. Of all call
sites, each allocation of a task that was made within one of its calls (`syscalls --raw`,
`lifetimes`) must be in the row of that call, and each other one in no call.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import sys
from bisect import bisect_left
from collections import Counter, defaultdict

from common import Faults, lines, print_counts, usage

counts = Counter()


def rows(program, path, *options):
    report = json.loads(b"".join(lines(program, "report", "--self", "--absolute", "--json", "--by=syscall", *options, path)))
    return {(row["context"], row["syscall"]): row for row in report["rows"]}, report["end_ns"]


def calls_of(program, path):
    """By task: ends, and (begin, name), in order."""
    found = defaultdict(list)
    for line in lines(program, "syscalls", "--absolute", "--self", "--raw", "--json", path):
        call = json.loads(line)
        begin = call["begin_ns"]
        if begin is None:
            begin = 0 if call["flags"] & 3 else call["end_ns"] + 1
        # What a thread does after its exit it does in the call that ends it.
        end = 1 << 63 if call["ended"] == "died" else call["end_ns"]
        # On s390x the first return of a thread has no number.
        name = call["name"] or f"call_{call['nr']}"
        found[call["tid"], call["task_start_ns"]].append((end, begin, name))
    for calls in found.values():
        calls.sort()
    return found


def main():
    program, path, truth = usage(__doc__, 3)
    faults = Faults()
    with open(truth, encoding="ascii") as f:
        made = sum(line.split()[0] in ("moved", "resize") for line in f)
    ours, _ = rows(program, path, "--site=truth_show")
    counts["made"] = made
    counts["ours"] = sum(row["allocations"] for row in ours.values())
    faults.check(list(ours) == [("task", "read")], "another call", list(ours))
    faults.check(counts["ours"] >= made > 100, "too few", f"{made} made, {counts['ours']}")

    calls, expected = calls_of(program, path), Counter()
    all_rows, end = rows(program, path)
    for life in map(json.loads, lines(program, "lifetimes", "--absolute", "--json", path)):
        birth = life["birth_ns"]
        if birth is None or birth > end:
            continue
        name = None
        if life["birth_ctx"] == "task":
            of_task = calls[life["birth_tid"], life["birth_task_start_ns"]]
            at = bisect_left(of_task, (birth,))
            if at < len(of_task) and of_task[at][1] <= birth:
                name = of_task[at][2]
        expected[life["birth_ctx"], name] += 1
    found = Counter({key: row["allocations"] for key, row in all_rows.items()})
    for key in expected.keys() | found.keys():
        counts["in_calls" if key[1] else "not_in_calls"] += expected[key]
        faults.check(expected[key] == found[key], "other numbers", f"{key}: {found[key]}, expected {expected[key]}")
    faults.check(len(expected) >= 12, "too few calls", expected)
    print_counts(counts)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
