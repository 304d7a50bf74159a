#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: engines.py LIFETRACE DIR

Compares module.lt and bpf.lt in DIR: what the module and the BPF programs recorded of one run, at
once. DIR/begin and DIR/end hold times between which both recorded, by the kernel's clock.

Both engines are called at the same tracepoint, one behind the other, before the object or the task
can have another event of the kind. So among the events of one kind about one object, in order of
time, each event of the one engine is beside that of the other, and in all pairs the same engine
is the first. No tolerance in time is needed.

An event without a pair has one of these causes, each counted:
- outside: it is not between the two times;
- lost: the other engine counts a loss of that class there; each loss explains one event;
- not_watched: the other engine names the event as not watched, with the reason, and has none; of
  what is recorded as another kind of event, it has none of that caller.
The rest is unexplained. So is a pair whose fields differ, but for those of GROWING, which the kernel
may count on between the two, those of a call that began before both engines recorded, and the name
that the module has announced: where it is the one that the last rename replaced, and the programs have
the new one. They compare names; what the module announces within a rename may be the old one. Where
tracepoints are preemptible, a task may move to another CPU between the two.

What the first copy of each program missed is written by the others or lost: by the counts of
the kernel, and by the losses in the packets.

Prints "key value" lines; exit status 1 when something is unexplained.
"""
import json
import math
import os
import sys
from collections import Counter
from statistics import median

import ltfile
from common import Faults, dump, lines, print_counts, usage

CHANNELS = {"kmem": 1, "pid": 2, "area": 3, "syscall": 4}
# What an event is about. Callers of what programs watch by its function are not known to them.
OBJECT, PAGE, TASK = ("ptr", "call_site"), ("pfn",), ("tid",)
# RCU may release a task behind a later one that had its number.
RELEASE = ("tid", "start")
ABOUT = {
    "kmalloc": OBJECT, "kmem_cache_alloc": OBJECT, "kfree": OBJECT, "kmem_cache_free": OBJECT,
    "bulk_alloc": ("ptr",), "bulk_free": ("ptr",), "rcu_free": ("ptr",), "resize": ("ptr",),
    "page_alloc": PAGE, "page_free": PAGE, "page_free_batched": PAGE, "page_bulk": PAGE,
    "alloc_failed": ("tid", "call_site", "bytes_req"), "task_exit": TASK,
    "task_new": TASK, "exec": TASK, "exit": TASK, "release": RELEASE, "rename": TASK, "cred": TASK,
    "oom_score_adj": TASK, "cgroup": TASK, "task_number": TASK,
    "number_reused": (*TASK, "nr"), "wrap": ("nr", "why"),
    "percpu_alloc": ("ptr",), "percpu_free": ("ptr",), "vmalloc": ("ptr",), "vfree": ("ptr",),
    "vresize": ("ptr",),
    "pid_ns_gone": ("allocated", "born", "burned", "wraps"),
    "sys": ("tid", "nr"), "sys_begin": ("tid", "nr"), "sys_open": ("tid", "nr"),
}
# What names and states what events are about; the recorders' own words; what each trace counts anew.
LEFT_OUT = {"task", "syscall_task", "area_task", "site", "stack", "cache", "cache_gone", "marker", "snap_begin",
            "state", "snap_end", "pid_ns"}
# What cannot be known where it is not seen that a number is given or taken back.
NUMBERS = {"wrap", "pid_ns_gone"}
# What the module attaches besides, which records no event, or one that must be asked for.
HELPERS = {"task_rename", "sys_rename", "oom_kill", "hung_task", "oops", "panic"}
# Classes of events and programs that have another name.
CLASSES = {"task_new": "birth", "task_number": "number", "oom_score_adj": "oom",
           "sys_enter": "sys_begin", "sys_exit": "sys", "sys_death": "sys_open",
           "number_reused": "reuse", "pid_ns_gone": "wrap"}
# How long a task that was preempted waits for a CPU, at the most: there are six loops on two.
PREEMPTED_NS = 10 ** 9

# Programs of which it needs no count what is lost.
NO_CLASS = {"sys_enter", "number", "number_free"}
# Events that are recorded as others.
ALSO = {"kmalloc": "kmalloc_nolock", "kfree": "kfree_nolock"}
# Times of the two; numbers that each trace gives anew; stacks, of which each takes a sample of its own.
OWN = {"time", "seq", "cache", "event", "channel", "ns", "generation", "duration", "begin",
       "stack", "stack_flags"}
GROWING = {"utime", "stime", "runtime", "maxrss", "min_flt", "maj_flt", "nvcsw", "nivcsw"}
# What each counts since it began, and the cursor at its own moment: forks go on.
COUNTED = {"wrap": {"wraps", "allocated", "burned", "cursor", "old_cursor"}}
NO_CALLER = {"bulk_alloc", "bulk_free", "rcu_free", "resize"}
SYS_BEFORE, SYS_EXEC = 1, 32    # flags of a call


class Side:
    """The trace of one engine."""

    def __init__(self, program, directory, name):
        self.name, self.path = name, os.path.join(directory, name + ".lt")
        self.events, self.left_out, self.kinds, self.callers = {}, Counter(), set(), set()
        info = json.loads(b"".join(lines(program, "info", "--json", self.path)))
        release = [int(n) for n in info["info"]["kernel_release"].split("-")[0].split(".")[:2]]
        self.preemptible = release > [6, 18]
        self.unwatched = {e["name"]: e["reason"] for e in info["events"] if not e["watched"]}
        self.named = {e["name"] for e in info["events"]}
        self.losses, self.nested = {}, Counter()
        self.began = None       # all programs or probes were attached
        for channel in CHANNELS.values():
            self.read_losses(ltfile.Trace(self.path, channel))

    def read_losses(self, trace):
        """Of each class: [from, to, how many], and how many were nested at the end."""
        schema = trace.schema
        for packets in trace.streams.values():
            for name, c in schema.classes.items():
                before, since = 0, 0
                for p in packets:
                    counts = p.counts(c)
                    lost = sum(counts[1:5])
                    if lost > before:
                        self.losses.setdefault(name, []).append([since, p.end, lost - before])
                    before, since = lost, p.end
                self.nested[name] += packets[-1].counts(c)[3]

    def read(self, program):
        for e in dump(program, self.path):
            about = ABOUT.get(e["event"])
            if about:
                key = (e["event"], *(e.get(field) for field in about))
                self.events.setdefault(key, []).append(e)
                self.kinds.add(e["event"])
                self.callers.add((e["event"], e.get("call_site")))
            else:
                self.left_out[e["event"]] += 1
                if e["event"] == "snap_begin" and self.began is None:
                    self.began = e["time"]

    def watches(self, e):
        """Would this engine have an event like this one?"""
        kind = e["event"]
        if kind in self.unwatched:
            return kind in self.kinds
        if kind in NUMBERS:
            return not self.unwatched.keys() & {"number", "number_free"}
        return ALSO.get(kind) not in self.unwatched or (kind, e["call_site"]) in self.callers

    def has_lost(self, e):
        """
        A call may be lost at its begin, of which nothing was seen then. Where a task may be preempted between the two
        engines, each of them has a time of its own.
        """
        apart = PREEMPTED_NS if self.preemptible and e["context"] == "task" else 0
        begin = e["time"] - (e["duration"] if e["event"] == "sys" else 0)
        for loss in self.losses.get(CLASSES.get(e["event"], e["event"]), ()):
            if loss[2] and loss[0] - apart <= e["time"] and begin <= loss[1] + apart:
                loss[2] -= 1
                return True
        return False


def pairs(ours, theirs, first_is_ours):
    """(event or None, event or None) in order of time: who comes first is always the same."""
    a, b = (ours, theirs) if first_is_ours else (theirs, ours)
    merged = sorted([(e["time"], 0, e) for e in a] + [(e["time"], 1, e) for e in b],
                    key=lambda row: row[:2])
    open_ = None
    for _, side, e in merged:
        if side == 0:
            if open_:
                yield (open_, None) if first_is_ours else (None, open_)
            open_ = e
        elif open_:
            yield (open_, e) if first_is_ours else (e, open_)
            open_ = None
        else:
            yield (None, e) if first_is_ours else (e, None)
    if open_:
        yield (open_, None) if first_is_ours else (None, open_)


def who_is_first(ours, theirs):
    """Of each kind of event: is the module first? Else each event is paired with the one before."""
    apart = {}
    for key in ours.keys() & theirs.keys():
        for first in True, False:
            apart.setdefault(key[0], {True: [], False: []})[first] += [
                abs(a["time"] - b["time"]) for a, b in pairs(ours[key], theirs[key], first)
                if a and b]

    def rank(times):
        # The wrong order makes fewer pairs. Of two events one may be apart for long, by the first run of a program.
        return -len(times), median(times) if times else math.inf
    return {kind: rank(both[True]) <= rank(both[False]) for kind, both in apart.items()}


class Comparison:
    def __init__(self, module, bpf, begin, end):
        self.module, self.bpf, self.begin, self.end = module, bpf, begin, end
        self.counts, self.faults = Counter(), Faults()

    def is_stale(self, a, b):
        """
        Has the module, in @a, the name from before a rename, and @b that from behind it? The kernel sets the name behind
        the event; and an interrupt that comes between the probes of the two has the event of one behind it.
        """
        def renames(side):
            return [r for r in side.events.get(("rename", a["tid"]), ()) if r["start"] == a["task_start"]]

        def is_between(r):
            return r["old"] == a["comm"] and r["comm"] == b["comm"]

        before = [r for r in renames(self.module) if r["time"] < a["time"]]
        behind = [r for r in renames(self.module) if r["time"] >= a["time"]]
        theirs = [r for r in renames(self.bpf) if r["time"] < b["time"]]
        return bool(before) and is_between(before[-1]) or \
            bool(behind and theirs) and is_between(behind[0]) and is_between(theirs[-1])

    def alone(self, e, side, other):
        """An event that only @side has."""
        kind = e["event"]
        if not self.begin < e["time"] < self.end:
            cause = "outside"
        elif not other.watches(e):
            cause = "not_watched"
        elif other.has_lost(e):
            cause = "lost"
        else:
            cause = "unexplained"
            self.faults.add("only in %s" % side.name, json.dumps(e))
        self.counts["only_%s_%s_%s" % (side.name, kind, cause)] += 1

    def may_differ(self, field, a, b):
        if field == "call_site" and a["event"] in NO_CALLER:
            return not int(b[field], 16)
        if field == "cpu":
            # The module sees a number a little later, when a task is about to have it.
            return a["event"] == "wrap" or self.bpf.preemptible and a["context"] == "task"
        if field == "comm" and self.is_stale(a, b):
            return True
        if field in COUNTED.get(a["event"], ()):
            return True
        # When it exited, by clocks of two moments; of who was there before, one may not have seen it.
        if field == "old_death":
            return abs(a[field] - b[field]) < 10 ** 9
        if field in GROWING:
            early, late = sorted((a, b), key=lambda e: e["time"])
            return early[field] <= late[field]
        # The registers of an exec are in its begin; a short record has none, a long one zeros.
        if a["event"] == "sys" and field.startswith("arg") and a["flags"] & b["flags"] & SYS_EXEC:
            return not int(a.get(field, "0"), 16) and not int(b.get(field, "0"), 16)
        # The module began first.
        return a["event"] == "sys" and b["flags"] & SYS_BEFORE and \
            a["time"] - a["duration"] < self.begin

    def pair(self, a, b):
        """The module's event and that of the programs."""
        kind = a["event"]
        if not all(self.begin < e["time"] < self.end for e in (a, b)):
            self.counts["outside"] += 1
            return
        self.counts["both_" + kind] += 1
        for field in (a.keys() | b.keys()) - OWN:
            if a.get(field) == b.get(field):
                continue
            name = "%s_%s" % (kind, field)
            self.counts["differs_" + name] += 1
            if not self.may_differ(field, a, b):
                self.faults.add("differs %s" % name, "%s\n\t%s" % (json.dumps(a), json.dumps(b)))

    def run(self):
        ours, theirs = self.module.events, self.bpf.events
        first = who_is_first(ours, theirs)
        for key in sorted(ours.keys() | theirs.keys(), key=str):
            for a, b in pairs(ours.get(key, []), theirs.get(key, []), first.get(key[0], True)):
                if a and b:
                    self.pair(a, b)
                else:
                    self.alone(a or b, *((self.module, self.bpf) if a else
                                         (self.bpf, self.module)))

    def check_copies(self):
        """missed(first copy) + passed = written by the others + lost, for each event."""
        stats = ltfile.Trace(self.bpf.path).text(ltfile.STATS, -1)
        for words in (line.split() for line in stats.splitlines()):
            if words[:1] != ["copies"]:
                continue
            name, n = words[1], [int(w) for w in words if w.isdigit()]
            runs, missed, passed = n[:3], n[3:6], n[6]
            lost = self.bpf.nested[CLASSES.get(name, name)]
            self.counts["copies_missed"] += missed[0]
            self.counts["copies_passed"] += passed
            self.counts["copies_written"] += runs[1] + runs[2]
            self.counts["copies_lost"] += lost
            # Whether a call's begin was seen says its end; a birth has its numbers, too. More than the
            # first copy left is written twice.
            self.faults.check(missed[0] + passed >= runs[1] + runs[2], "written twice", " ".join(words))
            if name not in NO_CLASS:
                self.faults.check(missed[0] + passed == runs[1] + runs[2] + lost, "copies",
                                  "%s lost %d" % (" ".join(words), lost))


def main(program, directory):
    times = [int(open(os.path.join(directory, name)).read()) for name in ("begin", "end")]
    module, bpf = (Side(program, directory, name) for name in ("module", "bpf"))
    module.read(program)
    bpf.read(program)
    c = Comparison(module, bpf, *times)
    c.run()
    c.check_copies()
    # The module records already when the programs are proven, loaded and attached.
    c.counts["programs_ready_ms"] = (bpf.began - module.began) // 10 ** 6
    unnamed = module.named - module.unwatched.keys() - bpf.named - HELPERS
    c.faults.check(not unnamed, "the file of the programs does not name", sorted(unnamed))
    unknown = (module.left_out.keys() | bpf.left_out.keys()) - LEFT_OUT
    c.faults.check(not unknown, "kinds of events that are not compared", sorted(unknown))
    print_counts(c.counts)
    c.faults.check(not any("verifier" in reason for reason in bpf.unwatched.values()),
                   "the verifier refuses", bpf.unwatched)
    for name, reason in sorted(bpf.unwatched.items()):
        print("not watched by bpf: %s: %s" % (name, reason))
    compared = sum(n for key, n in c.counts.items() if key.startswith("both_"))
    print("compared", compared)
    missing = [kind for kind in ("kmalloc", "kmem_cache_alloc", "kfree", "kmem_cache_free",
                                 "page_alloc", "page_free", "task_new", "exec", "exit",
                                 "release", "number_reused", "percpu_alloc",
                                 "percpu_free", "sys", "sys_begin") if not c.counts["both_" + kind]]
    c.faults.check(not missing, "nothing compared", missing)
    c.faults.print()
    return bool(c.faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 2)))
