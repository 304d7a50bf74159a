#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: bootevents.py LIFETRACE FILE DIR BIRTHS

Compares the trace of a kernel that lifetrace is a part of with what ftrace recorded of the same
boot: from the first snapshot of tasks to the last, between which all probes are attached, both must hold
the same events of objects, field for field and in the same order within each context of each CPU. The
trace must begin before the other CPUs are up, where there are others, and before the initcalls of
the level "core"; hold what initcalls made, with more than BIRTHS births before the last of them
ended; and have lost nothing.

DIR holds formats, raw.N and stats.N for each CPU N, dmesg, clocks (monotonic time in ns, as a line
of the log has it), and kallsyms, as far as it is needed: nothing, if the kernel has no kretprobes.

What the two record differently, by design, each counted:
- what krealloc allocates has its caller in lifetrace; in ftrace the trampoline of kretprobes;
- ftrace records the size of a cache's objects with each event, lifetrace once: it grows when a
  cache of larger objects, for which there is room in the slots, is merged with it later.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import glob
import heapq
import os
import re
import sys
from collections import Counter

import ring
from common import Faults, check_loss, dump, print_counts, usage
from ftrace import counts, from_ftrace, from_lifetrace, streams

PAGES = ("page_alloc", "page_free", "page_free_batched")
SAME = 8            # events in a row that are the same in both
NEAR_NS = 2000000   # between the times of one event in both, at the most
BUSY = 30           # initcalls that made objects, at the least
CALL_SITE, OBJECT_SIZE, SIZE = 2, 4, 5


def objects(events):
    return [e for e in events if e[3][0] not in PAGES and e[3][2:3] != ("page_alloc",)]


def explained(ours, theirs, trampoline):
    """The name of a difference by design, or None."""
    if ours[0] != theirs[0] or len(ours) != len(theirs):
        return None
    differ = [n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    site = 3 if ours[0] == "failed" else CALL_SITE
    if differ == [site] and theirs[site] == trampoline:
        return "callers_of_krealloc"
    if ours[0] == "kmem_cache_alloc" and differ == [OBJECT_SIZE] and \
            ours[OBJECT_SIZE] < theirs[OBJECT_SIZE] <= theirs[SIZE]:
        return "caches_merged_later"
    return None


def same(ours, theirs, trampoline):
    return ours == theirs or explained(ours, theirs, trampoline) is not None


def trim(ours, theirs, trampoline):
    """Of ftrace's events those from the first of ours on, and as many, see SAME."""
    for n, (time, _) in enumerate(theirs):
        if time > ours[0][0] + NEAR_NS:
            break
        if time < ours[0][0] - NEAR_NS:
            continue
        if all(same(a, b, trampoline) for (_, a), (_, b) in zip(ours[:SAME], theirs[n:n + SAME])):
            return theirs[n:n + len(ours)]
    return None


def compare_streams(ours, theirs, trampoline, faults):
    for key, events in sorted(ours.items()):
        other = trim(events, theirs.get(key, []), trampoline)
        if not faults.check(other is not None, "not found", f"the beginning of {key}: {events[:2]}"):
            continue
        faults.check(len(other) == len(events), "too few", f"{key}: {len(events)}, {len(other)}")
        for (time, a), (other_time, b) in zip(events, other):
            counts["compared"] += 1
            if a == b:
                continue
            why = explained(a, b, trampoline)
            counts[why or "differences"] += 1
            counts["explained"] += why is not None
            faults.check(why, "difference", f"{key} at {time}: {a}; ftrace at {other_time}: {b}")


def log_times(directory):
    """When what the kernel's log says happened, in ns of the monotonic clock."""
    with open(os.path.join(directory, "clocks"), encoding="ascii") as f:
        mono, log = (float(word) for word in f.read().split())
    offset = mono - log * 1e9
    found = {}
    with open(os.path.join(directory, "dmesg"), encoding="utf-8", errors="replace") as f:
        for line in f:
            at = re.match(r"\[ *(\d+\.\d+)\] (.*)", line)
            if at and at[2].startswith("smp: Brought up"):
                found["other_cpus"] = float(at[1]) * 1e9 + offset
    return found


def initcalls(raws, known):
    """
    As ftrace has it, of the task that calls them all: {level: when its initcalls began}, when the
    last initcall ended, and {initcall: births between its begin and its end}.
    """
    levels, births, current, end = {}, Counter(), None, 0
    for time, fmt, v in heapq.merge(*(ring.events(raw, known) for raw in raws), key=lambda e: e[0]):
        if v["common_pid"] != 1:
            continue
        if fmt.name == "initcall_level":
            levels.setdefault(v["level"], time)
        elif fmt.name == "initcall_start":
            current = v["func"]
        elif fmt.name == "initcall_finish":
            current, end = None, time
        elif current and v.get("ptr") and "alloc" in fmt.name and \
                not v["common_flags"] & (ring.FLAG_HARDIRQ | ring.FLAG_SOFTIRQ):
            births[current] += 1
    return levels, end, births


def main():
    program, path, directory, minimum = usage(__doc__, 4)
    faults, minimum = Faults(), int(minimum)
    times = log_times(directory)
    with open(os.path.join(directory, "kallsyms"), encoding="ascii") as f:
        found = f.read().split()
    trampoline = int(found[0], 16) if found else None
    known = ring.formats(os.path.join(directory, "formats"))
    raws = sorted(glob.glob(os.path.join(directory, "raw.*")))
    levels, called, made = initcalls(raws, known)
    times["core_initcalls"], times["end_of_initcalls"] = levels["core"], called
    parsed = list(dump(program, path))
    first = min(e["time"] for e in parsed if e["event"] == "kmalloc")
    # All probes are attached at the first snapshot, and still are at the last.
    snapshots = [e["time"] for e in parsed if e["event"] == "snap_begin"]
    attached, end = min(snapshots), max(snapshots)
    ours = objects(from_lifetrace(program, path, True))
    ours = [e for e in ours if attached < e[2] < end]
    theirs = []
    for raw in raws:
        cpu = int(raw.rsplit(".", 1)[1])
        ring.entries(os.path.join(directory, "stats.%d" % cpu))
        theirs += [(cpu, *e) for e in from_ftrace(raw, known)]
    compare_streams(streams(ours, False), streams(objects(theirs), False), trampoline, faults)
    early = [e for e in ours if e[2] < called]
    births = sum(e[3][0] in ("kmalloc", "kmem_cache_alloc") for e in early)
    # Until the kernel has chosen a clocksource its clock may stand still from tick to tick.
    for key in {"other_cpus", "core_initcalls"} & times.keys():
        faults.check(first <= times[key], "late", f"{key} were before the first event")
        faults.check(attached <= times[key], "late", f"{key} were before the probes")
    faults.check(births > minimum, "too few", f"{births} births before the end of initcalls")
    faults.check(counts["compared"] > 2 * minimum, "too few", f"{counts['compared']} compared")
    faults.check(len(made) > BUSY, "too few", f"{len(made)} initcalls made objects")
    info, counts["lost"] = check_loss(faults, program, path)
    counts["bytes"] = info["bytes"]
    times.update(first_event=first, all_probes=attached, end=end)
    for key, time in times.items():
        counts[f"ms_to_{key}"] = int(time / 1e6)
    counts["events_of_initcalls"], counts["births_of_initcalls"] = len(early), births
    counts["initcalls_with_births"], counts["births_within_initcalls"] = len(made), sum(made.values())
    print_counts(counts)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
