#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callkmem.py LIFETRACE FILE FTRACE

Compares `report --by=syscall` of each task that was born and ended in the trace with the events of
ftrace of the same run: the allocations of slab objects of a task between raw_syscalls:sys_enter and
sys_exit are those of that call; and what the module itself allocates when a call returns, before or
after ftrace sees that it does. What is allocated in bulk is in no event of the kernel's: FTRACE has a
kprobe "lt_bulk" with the number of objects.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import re
import sys
from collections import Counter, defaultdict

from callmemory import rows
from common import Faults, lines, print_counts, usage

counts = Counter()
LINE = re.compile(r"^.*-(\d+) +\[\d+\] (\S+) +[\d.]+: (\w+): (.*)$")
ALLOC = ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node")


def read_ftrace(path, names, faults):
    """By task: how many objects were allocated in each call, by name; None: in no call."""
    found, inside, ended, last = defaultdict(Counter), {}, {}, {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            faults.check("LOST" not in line, "ftrace has lost events", line)
            match = LINE.match(line)
            # Not in an interrupt.
            if not match or match[2][2] in "hHsZz":
                continue
            tid, event, text = int(match[1]), match[3], match[4]
            if event == "sys_enter":
                inside[tid] = names.get(int(text.split()[1]), "?")
            elif event == "sys_exit":
                ended[tid] = names.get(int(text.split()[1]), "?")
                # A thread returns first from the call that made it, which it did not enter.
                if tid not in inside and found[tid][None]:
                    found[tid][ended[tid]] += found[tid].pop(None)
                inside[tid] = None
            elif event == "lt_bulk":
                found[tid][inside.get(tid)] += int(text.rsplit("n=", 1)[1])
            elif event in ALLOC:
                pointer = re.search(r"ptr=(\S+)", text)[1]
                # A large kmalloc may have two events.
                if event.startswith("kmalloc") and last.get(tid) == pointer:
                    continue
                call = inside.get(tid)
                if not call and "[lifetrace]" in text:
                    call = ended.get(tid)
                found[tid][call] += pointer != "(null)"
            last[tid] = pointer if event.startswith("kmalloc") else None
    return found


def main():
    program, path, ftrace = usage(__doc__, 3)
    faults, names = Faults(), {}
    for call in map(json.loads, lines(program, "syscalls", "--absolute", "--self", "--raw", "--json", path)):
        names[call["nr"]] = call["name"]
    theirs = read_ftrace(ftrace, names, faults)
    for task in map(json.loads, lines(program, "tasks", "--absolute", "--json", path)):
        if task["birth_ns"] is None or task["end_ns"] is None or not theirs[task["tid"]]:
            continue
        counts["tasks"] += 1
        mine = Counter()
        for (context, name), row in rows(program, path, f"--task={task['tid']}@{task['start_ns']}")[0].items():
            if context == "task":
                mine[name] += row["allocations"]
        theirs_ = theirs[task["tid"]]
        for name in mine.keys() | theirs_.keys():
            counts["objects"] += theirs_[name]
            counts["in_calls"] += theirs_[name] if name else 0
            faults.check(mine[name] == theirs_[name], "other numbers",
                         f"{task['comm']}-{task['tid']} {name}: {mine[name]}, ftrace {theirs_[name]}")
    faults.check(counts["tasks"] >= 5 and counts["in_calls"] >= 500, "too few", counts)
    print_counts(counts)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
