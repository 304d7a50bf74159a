#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""samples.py ns|insn RAW [PREFIX] - what a guest measured, as samples for ../table.py

A round of a load is one pair of events (a task: birth and death). For each
load there are the groups

    LOAD          what a round took
    LOAD:added    less what it took with nothing attached, in the same repetition
    LOAD:ratio    of that, lifetrace to others, and the floor to the one that does not
                  mask interrupts, within the same repetition
    LOAD:bytes    what lifetrace wrote for a round, packet headers and all, what
                  the floor stores, and what others wrote
    LOAD:bytes-ratio  of that, lifetrace to others
    LOAD:events   events that lifetrace saw in a round

PREFIX stands before each group.
"""

import sys

LOADS = {"kmalloc": "kmalloc+kfree", "sizes": "random-kmalloc+kfree", "cache": "cache-alloc+free",
         "msg": "msgsnd+msgrcv", "pipe": "pipe+close",
         "kthread": "kthread+exit", "fork": "fork+exit+wait", "batch": "kmalloc-batch+kfree",
         "open": "open+close", "getppid": "getppid", "read": "read", "function": "function"}

# Recorders of stacks.
STACKS = ("perf-g", "perf-births", "trace-cmd-T", "trace-cmd-births", "bpftrace-births", "memleak")

# What programs that record by BPF are compared with.
BPF = ("lifetrace-mono", "floor-mono", "ftrace-mono", "perf", "bpftrace", "bpftrace-times", "memleak")

# Each to what has its clock.
RATIOS = {"lifetrace-counter": ("floor-counter", "ftrace-counter", "ftrace-local", "lttng"),
          "lifetrace-mono": ("floor-mono", "ftrace-mono", "ftrace-local", "lttng", "lttng-tid",
                             "perf", "bpftrace", "bpftrace-times", "strace", "kmemtrace-56",
                             "graph", "graph-args", "kprobes", "bpftrace-calls", "bpftrace-call-times"),
          "bpf-1": BPF, "bpf-2": BPF,
          "floor-counter": ("cmpxchg-counter",),
          "floor-mono": ("cmpxchg-mono",),
          "lifetrace-slab+tasks": ("floor-slab+tasks", "ftrace-slab+tasks"),
          "lifetrace-stacks1": STACKS, "lifetrace-stacks64": STACKS, "lifetrace-stacks256": STACKS}


def read(path):
    """{load: {repetition: {mode: (median, mean, khz)}}}, in ticks a round; notes;
    {(load, what): {repetition: {mode: a round's}}} of bytes and events"""
    loads, notes, sizes = {}, [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "note":
                notes.append((words[1], line.split(None, 2)[2].strip()))
                continue
            what, rep, load, mode = words[:4]
            if what in ("bytes", "events"):
                sizes.setdefault((load, what), {}).setdefault(int(rep), {})[mode] = (
                    int(words[4]) / int(words[5]))
                continue
            n, _, median, mean = words[4:8]
            khz = int(words[10]) if len(words) > 10 else 1000000
            loads.setdefault(load, {}).setdefault(int(rep), {})[mode] = (
                int(median) / int(n), int(mean) / int(n), khz)
    return loads, notes, sizes


def print_ratios(group, values):
    """Of one repetition; also to the cheapest of those that record stacks."""
    for mode, others in RATIOS.items():
        there = [other for other in others if values.get(other, 0) > 0]
        if mode not in values:
            continue
        for other in there:
            print(group, f"{mode}/{other}", "x", f"{values[mode] / values[other]:.4f}")
        if others is STACKS and there:
            cheapest = min(values[other] for other in there)
            print(group, f"{mode}/cheapest", "x", f"{values[mode] / cheapest:.4f}")


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
            if median < 0.9 * bare[0]:
                sys.exit(f"samples.py: {name}: {mode} took less than base: something else ran")
            if mode != "base":
                added[mode] = (median - bare[0]) * scale
                print(f"{name}:added", mode, unit, f"{added[mode]:.3f}")
        print_ratios(f"{name}:ratio", added)


def print_sizes(name, what, repetitions):
    if what == "bytes":
        print(f"base {name}:bytes-ratio -")
    for modes in repetitions.values():
        for mode, size in modes.items():
            print(f"{name}:{what}", mode, what, f"{size:.2f}")
        if what == "bytes":
            print_ratios(f"{name}:bytes-ratio", modes)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("ns", "insn"):
        sys.exit(__doc__)
    prefix = sys.argv[3] if len(sys.argv) == 4 else ""
    loads, notes, sizes = read(sys.argv[2])
    for load, repetitions in loads.items():
        print_load(prefix + LOADS.get(load, load), repetitions, sys.argv[1])
    for (load, what), repetitions in sizes.items():
        print_sizes(prefix + LOADS.get(load, load), what, repetitions)
    first = next(iter(loads), None)
    for mode, text in notes:
        print("note", prefix + LOADS.get(first, "notes"), mode, text)


main()
