#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: ftracestacks.py LIFETRACE FILE DIR DEPTH IRQ_ENDS MINIMUM [by-task]

Compares the stacks of a trace with those that ftrace's option "stacktrace" recorded of the
same tracepoints at the same time, frame by frame, by address. Between two marks both must
hold the same births, in the same order within each context of each CPU ("by-task": within
each task, see ftrace.py). DIR holds kallsyms (where the code of interrupt entries is), formats,
machine (uname -m), and stats.N and raw.N for each CPU N. DEPTH: frames of a stack at the most.

What coverage.rst says of our stacks is done to ftrace's here, from its raw addresses: the
frames before the caller of the allocator are left out, what stands behind the entry of an
interrupt (with IRQ_ENDS 1), and what is more than DEPTH frames. The caller of pages is not in
their events: our stack must begin behind some functions of the page allocator, and nothing
else, of which the last is not called by another one. On 32-bit Arm ftrace itself leaves out
some frames too many: the allocator's, and sometimes its caller, which is in the event.

Prints "key value" lines; exit status 1 when there is a difference, or too little to compare.
"""
import bisect
import glob
import heapq
import os
import re
import sys
from collections import Counter

import ring
from common import CONTEXTS, Faults, dump, print_counts
from ftrace import ZERO_SIZE_PTR, between_marks, streams

BIRTHS = ("kmalloc", "kmem_cache_alloc", "page_alloc")
CUT, ENDS = 1, 2        # enum lt_stack_flag
NO_PAGE = (2 ** 64 - 1, 2 ** 32 - 1)
MOST_SKIPPED = 4        # frames of the page allocator, of the tracepoint on
FTRACE_OWN = "trace_event_raw_event_"
# Functions that allocate pages, and say nothing of what for. From mm/page_alloc.c, mm/mempolicy.c.
PAGE_ALLOCATOR = re.compile(
    r"^(__traceiter_mm_page_alloc|(__)?alloc_(frozen_)?pages(_[a-z_]+)?|alloc_page_interleave|"
    r"(__)?folio_alloc(_[a-z_]+)?|vma_alloc_(zeroed_movable_)?folio(_[a-z]+)?|"
    r"alloc_zeroed_user_highpage(_[a-z]+)?|(__)?get_free_pages(_[a-z]+)?|get_zeroed_page(_[a-z]+)?|"
    r"page_frag_alloc(_[a-z_]+)?|__page_frag_(alloc|cache)_[a-z_]+)$")

counts = Counter()


class Functions:
    """Those of the kernel itself, by address."""

    def __init__(self, path):
        with open(path) as f:
            found = re.findall(r"^(\S+) [tT] (\S+)$", f.read(), re.M)
        self.names = sorted((int(a, 16), name.split(".")[0]) for a, name in found)
        self.begins = [begin for begin, _ in self.names]

    def name(self, address):
        place = bisect.bisect_right(self.begins, address)
        return self.names[place - 1][1] if place else ""


class Entries:
    """The code of the entries of interrupts, as the kernel's filter_irq_stacks() has it."""

    def __init__(self, path):
        with open(path) as f:
            at = {name: int(a, 16) for a, name in re.findall(r"^(\S+) \S (\S+)$", f.read(), re.M)}
        self.ranges = [(at[f"__{kind}entry_text_start"], at[f"__{kind}entry_text_end"])
                       for kind in ("irq", "softirq")]

    def __contains__(self, address):
        return any(begin <= address < end for begin, end in self.ranges)


def page_caller(frames, functions):
    """The first frame that is not the page allocator's own."""
    for frame in frames:
        if not PAGE_ALLOCATOR.match(functions.name(frame - 1)):
            return frame
    return frames[-1]


def expected(frames, caller, entries, depth, begins=0):
    """What our stack of this one must be: frames and flags; None: no stack."""
    flags = 0
    while frames and not frames[-1]:
        frames = frames[:-1]    # what 32-bit Arm finds below a first instruction
    for n, frame in enumerate(frames):
        if entries and frame in entries:
            # Where user space was interrupted there is nothing to leave out.
            frames, flags = frames[:n + 1], ENDS if frames[n + 1:] else 0
            break
    if caller not in frames:
        counts["without_caller"] += 1
        return None, 0
    frames = frames[frames.index(caller):]
    # Of the depth are also the page allocator's frames, which are left out by the reader.
    return (frames, flags) if len(frames) + begins <= depth else (frames[:depth - begins], CUT)


def entries_of_cpu(cpu, path, known):
    for time, fmt, v in ring.events(path, known):
        flags, tid = v["common_flags"], v["common_pid"]
        context = 2 if flags & ring.FLAG_HARDIRQ else 1 if flags & ring.FLAG_SOFTIRQ else 0
        name = fmt.name.replace("_node", "")
        if name == "kernel_stack":
            event = ("stack", tid, v["caller"][:v["size"]])
        elif name == "mm_page_alloc":
            event = ("page_alloc", tid, v["order"], v["pfn"], v["migratetype"])
        else:
            event = (name, tid, v["call_site"], v["ptr"], v["bytes_req"])
        yield time, cpu, context, event


def from_ftrace(directory, by_task):
    """(cpu, context, time, event) in order of time; the stack is the event's last field."""
    known = ring.formats(os.path.join(directory, "formats"))
    cpus, waiting, out = [], {}, []
    for raw in sorted(glob.glob(os.path.join(directory, "raw.*"))):
        cpu = int(raw.rsplit(".", 1)[1])
        cpus.append(list(entries_of_cpu(cpu, raw, known)))
        if ring.entries(os.path.join(directory, f"stats.{cpu}")) != len(cpus[-1]):
            raise SystemExit(f"{raw}: not all events that ftrace counts")
    # An event's stack is the next one of its context: an interrupt may come between, and where
    # the kernel can be preempted there another task.
    for time, cpu, context, event in heapq.merge(*cpus, key=lambda e: e[0]):
        tid = event[1]
        key = tid if by_task and not context and tid else (cpu, context)
        if event[0] == "stack":
            place = waiting.pop(key, None)
            if place is None:
                raise SystemExit(f"{directory}: a stack of no event at {time}")
            out[place][3] += (event[2],)
            continue
        if key in waiting:
            raise SystemExit(f"{directory}: an event without a stack before {time}")
        waiting[key] = len(out)
        out.append([cpu, context, time, event])
    # A kmalloc of nothing, or an allocation that failed, has no birth.
    return [e for e in out if e[3][3] not in ((0, ZERO_SIZE_PTR) + NO_PAGE
                                              if e[3][0] != "page_alloc" else NO_PAGE)]


def from_lifetrace(program, path):
    for e in dump(program, path):
        if e["event"] not in BIRTHS:
            continue
        frames = [int(a, 16) for a in e["stack"]] if "stack" in e else None
        if e["event"] == "page_alloc":
            yield e["cpu"], CONTEXTS[e["context"]], e["time"], (
                "page_alloc", e["tid"], e["order"], e["pfn"], e["migratetype"], frames,
                e.get("stack_flags", 0))
            continue
        yield e["cpu"], CONTEXTS[e["context"]], e["time"], (
            e["event"], e["tid"], int(e["call_site"], 16), int(e["ptr"], 16),
            e.get("bytes_req"), frames, e.get("stack_flags", 0))


def marked(events, source):
    """The events between the marks of each CPU."""
    by_cpu = {}
    for cpu, *event in events:
        by_cpu.setdefault(cpu, []).append(event)
    if len(by_cpu) < 2:
        raise SystemExit(f"{source}: events of one CPU only")
    return [(cpu, *e) for cpu, found in by_cpu.items() for e in between_marks(found, source)]


def compare(where, ours, theirs, rule, faults):
    faults.check(len(ours) == len(theirs), "number of events",
                 f"{where}: lifetrace has {len(ours)}, ftrace {len(theirs)}")
    for (time, a), (_, b) in zip(ours, theirs):
        if a[:5 if a[0] == "page_alloc" else 4] != b[:5 if a[0] == "page_alloc" else 4]:
            faults.add("other event", f"{where} at {time}: lifetrace {a}, ftrace {b}")
            continue
        frames, flags = rule(b[0], b[5], b[2], a[5])
        counts["compared"] += 1
        counts["of_pages"] += b[0] == "page_alloc"
        counts["cut"] += flags == CUT
        counts["ends_at_interrupt"] += flags == ENDS
        counts["frames"] += len(frames or ())
        distinct.add(tuple(frames or ()))
        if (a[5], a[6]) != (frames, flags):
            text = [[hex(f) for f in s or ()] for s in (a[5], frames, b[5])]
            faults.add("other stack", f"{where} at {time}: lifetrace {text[0]} {a[6]}, ftrace "
                                      f"{text[1]} {flags}, of {text[2]}")


distinct, callers = set(), set()


def main(program, path, directory, depth, irq_ends, minimum, by_task):
    faults = Faults()
    with open(os.path.join(directory, "machine")) as f:
        machine = f.read().strip()
    ring.of_machine(machine)
    skips = machine.startswith("armv")
    entries = Entries(os.path.join(directory, "kallsyms")) if irq_ends else None
    ours = streams(marked(from_lifetrace(program, path), path), by_task)
    theirs = streams(marked(from_ftrace(directory, by_task), directory), by_task)
    functions = Functions(os.path.join(directory, "kallsyms"))

    def rule(event, frames, caller, ours):
        if event != "page_alloc":
            if skips and caller not in frames[:MOST_SKIPPED]:
                frames = [caller] + frames
            return expected(frames, caller, entries, depth)
        if functions.name(frames[0] - 1).startswith(FTRACE_OWN):
            frames = frames[1:]
        caller = page_caller(frames, functions)
        begins = frames.index(caller)
        # Some machines' ftrace begins behind the tracepoint; ours always has it.
        begins += not functions.name(frames[0] - 1).startswith("__traceiter_")
        if skips and 1 < depth - len(ours or ()) <= MOST_SKIPPED:
            begins = depth - len(ours)
        callers.add(functions.name(caller - 1))
        return expected(frames, caller, entries, depth, begins)

    for key in sorted(ours.keys() | theirs.keys()):
        compare(key, ours.get(key, []), theirs.get(key, []), rule, faults)
    counts["callers_of_pages"] = len(callers)
    counts["distinct_stacks"] = len(distinct)
    print_counts(counts)
    for kind in ["cut", "of_pages"] + ["ends_at_interrupt"] * irq_ends:
        faults.check(counts[kind], "none at all", kind)
    faults.check(counts["compared"] >= minimum, "too few", f"{minimum} are wanted")
    faults.print()
    print("differences", faults.kinds["other stack"] + faults.kinds["other event"])
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) not in (7, 8) or sys.argv[7:] not in ([], ["by-task"]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], *map(int, sys.argv[4:7]), len(sys.argv) == 8))
