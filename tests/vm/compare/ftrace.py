#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: ftrace.py LIFETRACE FILE DIR MINIMUM [by-task]

Compares a trace with what the kernel's own ring buffer recorded of the same tracepoints
at the same time. Between two marks both must hold the same events, field for field and
in the same order within each context of each CPU: an interrupt may come between the
two probes of one event, so there is no common order across contexts. The trace is read
with LIFETRACE dump --json. Where a kernel can preempt a probe, another task may come
between, too, and the rest may happen on another CPU: "by-task" compares events of task
context within each task.

DIR holds formats, stats.N and raw.N for each CPU N.

What the two record differently, by design, each counted:
- a free of NULL or of kmalloc(0) is only counted by lifetrace;
- an allocation that returned nothing is an event of its own in lifetrace;
- kmalloc_node and kmem_cache_alloc_node, where the kernel has them, have the names
  kmalloc and kmem_cache_alloc in lifetrace;
- ftrace records the sizes of a cache with each event, lifetrace once;
- what lifetrace has beyond tracepoints (bulk, RCU, tasks, markers) is left out.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import glob
import os
import sys
from collections import Counter

import ring
from common import CONTEXTS, dump, print_counts

BEGIN, END = [5003, 5009, 5011], [5021, 5023, 5039]
ZERO_SIZE_PTR = 16
MASK32 = (1 << 32) - 1
NO_PFN = (1 << 64) - 1
WHAT = {0: "kmalloc", 1: "kmem_cache_alloc", 4: "page_alloc"}
SHOWN = 20
LARGE = 8192  # bytes of the largest slab of kmalloc

counts = Counter()


# Each event becomes a tuple: name, tid, and its fields. A field that one of the
# two does not have on this kernel is None in both.

def from_ftrace(path, known):
    for time, fmt, v in ring.events(path, known):
        flags, tid = v["common_flags"], v["common_pid"]
        context = (2 if flags & ring.FLAG_HARDIRQ else 1 if flags & ring.FLAG_SOFTIRQ else 0)
        name = fmt.name
        if name in ("kmalloc_node", "kmem_cache_alloc_node"):
            counts["renamed_node_events"] += 1
            name = name[:-5]
        if name in ("kmalloc", "kmem_cache_alloc"):
            gfp, node = v["gfp_flags"] & MASK32, v.get("node", -1)
            if not v["ptr"]:
                event = ("failed", tid, name, v["call_site"], v["bytes_req"], gfp, node)
            else:
                event = (name, tid, v["call_site"], v["ptr"], v["bytes_req"], v["bytes_alloc"],
                         gfp, node)
        elif name == "kfree":
            if v["ptr"] in (0, ZERO_SIZE_PTR):
                counts["null_frees_left_out"] += 1
                continue
            event = (name, tid, v["call_site"], v["ptr"])
        elif name == "kmem_cache_free":
            event = (name, tid, v["call_site"], v["ptr"], v.get("name"))
        elif name == "mm_page_alloc":
            gfp = v["gfp_flags"] & MASK32
            if v["pfn"] == NO_PFN:
                event = ("failed", tid, "page_alloc", 0, 4096 << v["order"], gfp, -1)
            else:
                event = ("page_alloc", tid, v["pfn"], v["order"], gfp, v["migratetype"])
        elif name == "mm_page_free":
            event = ("page_free", tid, v["pfn"], v["order"])
        elif name == "mm_page_free_batched":
            event = ("page_free_batched", tid, v["pfn"])
        elif name.startswith("initcall_"):
            continue
        else:
            raise ring.BadBuffer("event %s was not switched on" % name)
        yield context, time, event


def from_lifetrace(program, path, has_name):
    """(cpu, context, time, event) of all CPUs; within a CPU in its order."""
    caches = {}
    # Names first: a cache may be announced in another CPU's stream.
    parsed = list(dump(program, path))
    for e in parsed:
        if e["event"] == "cache":
            caches[e["cache"]] = e
    for e in parsed:
        name, tid = e["event"], e.get("tid")
        if name == "kmalloc":
            event = (name, tid, int(e["call_site"], 16), int(e["ptr"], 16), e["bytes_req"],
                     e["bytes_alloc"], e["gfp_flags"], e["node"])
        elif name == "kmem_cache_alloc":
            c = caches.get(e["cache"], {})
            event = (name, tid, int(e["call_site"], 16), int(e["ptr"], 16), c.get("object_size"),
                     c.get("size"), e["gfp_flags"], e["node"])
        elif name == "kfree":
            event = (name, tid, int(e["call_site"], 16), int(e["ptr"], 16))
        elif name == "kmem_cache_free":
            event = (name, tid, int(e["call_site"], 16), int(e["ptr"], 16),
                     caches.get(e["cache"], {}).get("name") if has_name else None)
        elif name == "page_alloc":
            event = (name, tid, e["pfn"], e["order"], e["gfp_flags"], e["migratetype"])
        elif name == "page_free":
            event = (name, tid, e["pfn"], e["order"])
        elif name == "page_free_batched":
            event = (name, tid, e["pfn"])
        elif name == "alloc_failed":
            event = ("failed", tid, WHAT.get(e["what"]), int(e["call_site"], 16), e["bytes_req"],
                     e["gfp_flags"], e["node"])
        else:
            counts["beyond_tracepoints_left_out"] += 1
            continue
        yield e["cpu"], CONTEXTS[e["context"]], e["time"], event


def between_marks(events, source):
    """Events behind the last begin mark and before the first end mark."""
    sizes = [(i, e[2][4]) for i, e in enumerate(events) if e[2][0] == "kmalloc"]
    first = last = None
    for (i, a), (_, b), (j, c) in zip(sizes, sizes[1:], sizes[2:]):
        if [a, b, c] == BEGIN:
            first = j
        if [a, b, c] == END and last is None:
            last = i
    if first is None or last is None or first >= last:
        raise SystemExit("%s: the marks were not found" % source)
    return events[first + 1:last]


def streams(events, by_task):
    """{key: events that have one order}, of (cpu, context, time, event)."""
    out = {}
    for cpu, context, time, event in events:
        tid = event[1]
        key = "task %d" % tid if by_task and not context and tid else \
            "cpu %d context %d" % (cpu, context)
        out.setdefault(key, []).append((time, event))
    for key, stream in out.items():
        if key.startswith("task"):
            stream.sort(key=lambda e: e[0])
    return out


def once(stream):
    """
    The stream without the first of two events of one failed kmalloc: some kernels trace one that is
    too large for a slab from within the allocator, too, directly before they do for its caller.
    """
    out = []
    for time, event in stream:
        before = out[-1][1] if out else (None,)
        if before[0] == event[0] == "failed" and event[2] == "kmalloc" and event[4] > LARGE and \
                before[3] != event[3] and before[:3] + before[4:] == event[:3] + event[4:]:
            counts["failed_twice"] += 1
            out.pop()
        out.append((time, event))
    return out


def compare(where, ours, theirs):
    bad = 0
    for (t, a), (u, b) in zip(ours, theirs):
        counts["max_clock_difference_ns"] = max(counts["max_clock_difference_ns"], abs(t - u))
        counts["event_" + a[0]] += 1
        if a == b:
            continue
        bad += 1
        if bad <= SHOWN:
            print("%s at %d: lifetrace %s, ftrace %s" % (where, t, a, b))
    if len(ours) != len(theirs):
        print("%s: lifetrace has %d events, ftrace %d" % (where, len(ours), len(theirs)))
        bad += abs(len(ours) - len(theirs))
    return bad, min(len(ours), len(theirs))


def main(program, path, directory, minimum, by_task):
    known = ring.formats(os.path.join(directory, "formats"))
    has_name = any(f.name == "kmem_cache_free" and "name" in f.fields for f in known.values())
    counts["cache_names_compared"] = int(has_name)
    mine = {}
    for cpu, context, time, event in from_lifetrace(program, path, has_name):
        mine.setdefault(cpu, []).append((context, time, event))
    ours, theirs, compared, differences = [], [], 0, 0
    for raw in sorted(glob.glob(os.path.join(directory, "raw.*"))):
        cpu = int(raw.rsplit(".", 1)[1])
        entries = ring.entries(os.path.join(directory, "stats.%d" % cpu))
        events = list(from_ftrace(raw, known))
        if entries != len(events) + counts["null_frees_left_out"] - counts["null_frees_before"]:
            raise SystemExit("%s: %d events, but ftrace counts %d" %
                             (raw, len(events), entries))
        counts["null_frees_before"] = counts["null_frees_left_out"]
        theirs += [(cpu, *e) for e in between_marks(events, raw)]
        ours += [(cpu, *e) for e in between_marks(mine.get(cpu, []), path)]
        counts["cpus"] += 1
    for _, context, _, _ in ours:
        counts["context_%d" % context] += 1
    ours, theirs = streams(ours, by_task), {
        key: once(stream) for key, stream in streams(theirs, by_task).items()}
    for key in sorted(ours.keys() | theirs.keys()):
        bad, n = compare(key, ours.get(key, []), theirs.get(key, []))
        differences += bad
        compared += n
    del counts["null_frees_before"]
    print_counts(counts)
    print("compared", compared)
    print("differences", differences)
    # Every kind of event, and every context, or the test shows little.
    missing = [k for k in ("event_kmalloc", "event_kmem_cache_alloc", "event_kfree",
                           "event_kmem_cache_free", "event_page_alloc", "event_page_free",
                           "event_page_free_batched", "event_failed", "context_1", "context_2",
                           "null_frees_left_out") if not counts[k]]
    if missing:
        print("none at all:", *missing)
    if compared < minimum:
        print("only %d events were compared, %d are wanted" % (compared, minimum))
    return 1 if differences or missing or compared < minimum or counts["cpus"] < 2 else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or sys.argv[5:] not in ([], ["by-task"]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], int(sys.argv[4]), len(sys.argv) == 6))
