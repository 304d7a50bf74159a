#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: dirty.py LIFETRACE FILE TRUTH

Checks calls of the ABI of 32 bits that a program of 64 bits made, with something in the upper
halves of its registers. TRUTH is what `calls dirty` printed: thread, number, result, the arguments
that the kernel used, and the text that the first one points to; "died" is the result where seccomp
ended the thread at the call. Each must be in the trace, in the
order of its thread, with exactly these values, in `lifetrace dump` and in `lifetrace syscalls`.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import re
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts, usage

COMPAT, BEGUN = 16, 32
DIED = 1
LINE = re.compile(r'^(\d+) (\d+) (-?\d+|died)((?: 0x[0-9a-f]+| 0)*)(?: "(.*)")?$')
counts = Counter()


def truths(path):
    """By thread (number, result, arguments, text or None)."""
    found = defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            tid, nr, result, args, text = LINE.match(line.rstrip("\n")).groups()
            found[int(tid)].append((int(nr), result if result == "died" else int(result), [int(a, 16) for a in args.split()], text))
    return found


def recorded(program, path):
    """By thread (number, result, arguments) of records; those of an execve are in its begin."""
    found, begun = defaultdict(list), {}
    for event in map(json.loads, lines(program, "dump", "--json", "--channel=syscall", path)):
        if event.get("event") not in ("sys", "sys_begin", "sys_open") or not event["flags"] & COMPAT:
            continue
        if event["event"] == "sys_open":
            event["result"] = "died" if event["why"] == DIED else None
        if event["event"] == "sys_begin":
            begun[event["tid"]] = event
            continue
        source = begun.pop(event["tid"]) if event["flags"] & BEGUN else event
        args = [int(source[f"arg{i}"], 16) for i in range(6) if f"arg{i}" in source]
        found[event["tid"]].append((source["nr"], event["result"], args))
    return found


def main():
    program, path, truth = usage(__doc__, 3)
    faults = Faults()
    theirs, ours = truths(truth), recorded(program, path)
    printed = defaultdict(list)
    for call in map(json.loads, lines(program, "syscalls", "--json", path)):
        if call["abi"] == "i386":
            printed[call["tid"]].append(call)
    for tid, calls in theirs.items():
        counts["calls"] += len(calls)
        if not faults.check(len(calls) == len(ours[tid]) == len(printed[tid]), "another number of calls",
                            f"{tid}: {calls}; {ours[tid]}"):
            continue
        for (nr, result, args, text), record, line in zip(calls, ours[tid], printed[tid]):
            same = record[0] == nr and record[1] == result and record[2][:len(args)] == args
            faults.check(same, "another call", f"{nr}({args}) = {result}; {record}")
            if text is None:
                continue
            counts["texts"] += 1
            faults.check(line["args"].startswith(f'"{text}"'), "another text", f"{text}; {line['args']}")
    faults.check(counts["calls"] >= 12 and counts["texts"] >= 5, "too few", dict(counts))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main())
