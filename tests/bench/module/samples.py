#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""samples.py ns|insn RAW - what a guest measured, as samples for ../table.py

A round of a load is one pair of events (a task: birth and death). For each
load there are the groups

    LOAD          what a round took
    LOAD:added    less what it took with nothing attached, in the same repetition
    LOAD:ratio    of that, lifetrace to others, and the floor to the one that does not
                  mask interrupts, within the same repetition
    LOAD:bytes    what lifetrace wrote for a round, packet headers and all, and
                  what the floor stores
"""

import sys

LOADS = {"kmalloc": "kmalloc+kfree", "sizes": "random-kmalloc+kfree", "cache": "cache-alloc+free",
         "kthread": "kthread+exit", "fork": "fork+exit+wait"}

# Each to what has its clock.
CLOCKS = {"lifetrace-counter": ("floor-counter", "ftrace-counter", "ftrace-local", "lttng"),
          "lifetrace-mono": ("floor-mono", "ftrace-mono", "ftrace-local", "lttng", "perf",
                             "bpftrace", "kmemtrace-56"),
          "floor-counter": ("cmpxchg-counter",),
          "floor-mono": ("cmpxchg-mono",),
          "lifetrace-slab+tasks": ("floor-slab+tasks", "ftrace-slab+tasks")}


def read(path):
    """{load: {repetition: {mode: (median, mean, khz)}}}, in ticks a round; notes; sizes"""
    loads, notes, sizes = {}, [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "note":
                notes.append((words[1], line.split(None, 2)[2].strip()))
                continue
            if words[0] == "bytes":
                sizes.append((words[2], words[3], int(words[4]) / int(words[5])))
                continue
            _, rep, load, mode, n, _, median, mean = words[:8]
            khz = int(words[10]) if len(words) > 10 else 1000000
            loads.setdefault(load, {}).setdefault(int(rep), {})[mode] = (
                int(median) / int(n), int(mean) / int(n), khz)
    return loads, notes, sizes


def print_load(name, repetitions, unit):
    print(f"base {name} base")
    print(f"base {name}:added {'ftrace-local' if unit == 'ns' else 'floor-mono'}")
    print(f"base {name}:ratio -")
    for modes in repetitions.values():
        if "base" not in modes:
            sys.exit(f"samples.py: {name}: a repetition without base")
        bare = modes["base"]
        added = {}
        for mode, (median, mean, khz) in modes.items():
            scale = 1e6 / khz if unit == "ns" else 1
            print(name, mode, unit, f"{median * scale:.3f}")
            if unit == "ns":
                print(name, mode, "cycles", f"{median:.1f}")
            else:
                print(name, mode, "insn-mean", f"{mean:.1f}")
            if mode != "base":
                added[mode] = (median - bare[0]) * scale
                print(f"{name}:added", mode, unit, f"{added[mode]:.3f}")
        for mode, others in CLOCKS.items():
            for other in others:
                if mode in added and added.get(other, 0) > 0:
                    print(f"{name}:ratio", f"{mode}/{other}", "x",
                          f"{added[mode] / added[other]:.4f}")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("ns", "insn"):
        sys.exit(__doc__)
    loads, notes, sizes = read(sys.argv[2])
    for load, repetitions in loads.items():
        print_load(LOADS.get(load, load), repetitions, sys.argv[1])
    for load, mode, size in sizes:
        print(f"{LOADS[load]}:bytes", mode, "bytes", f"{size:.2f}")
    first = next(iter(loads), None)
    for mode, text in notes:
        print("note", LOADS.get(first, "notes"), mode, text)


main()
