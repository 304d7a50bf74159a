#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidevents.py LIFETRACE TRACE DIR MINIMUM

Compares the events of tasks in a trace with what the kernel's own ring buffer recorded
of the same tracepoints at the same time. Each event between two marks (a task that
takes the names "lt-begin" and "lt-end") must be in both, with equal fields and at the
same time.

DIR holds formats, stats.N and raw.N for each CPU N.

What the two record differently, by design, each counted:
- workers of io_uring and the like have no event sched_process_fork; each other birth
  has both events, with one creator;
- sched_process_exec has the path of the call, lifetrace that of the file: they differ
  where the path is a link. The load is started in /job.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import glob
import os
import sys
from bisect import bisect_left
from collections import Counter

import ring
from common import Faults, dump, print_counts, usage
from pidlib import IO_WORKER, USER_WORKER

CLOSE = 2000000000	# ns: between the two a virtual CPU may stand still while its host is busy
LINKS = ("/proc/self/exe",)	# and what leads to busybox

counts = Counter()


# Both become (time, kind, fields); fork and exec in a form that both have.

def from_ftrace(directory):
    known, out = ring.formats(os.path.join(directory, "formats")), []
    for raw in sorted(glob.glob(os.path.join(directory, "raw.*"))):
        entries = ring.entries(os.path.join(directory, "stats." + raw.rsplit(".", 1)[1]))
        before = len(out)
        for time, fmt, v in ring.events(raw, known):
            out.append((time, fmt.name, ftrace_fields(fmt.name, v)))
        if len(out) - before != entries:
            raise SystemExit("%s: %d events, ftrace speaks of %d" %
                             (raw, len(out) - before, entries))
        counts["cpus"] += 1
    return sorted(out)


def ftrace_fields(name, v):
    by = v["common_pid"]
    if name == "task_newtask":
        return v["pid"], by, v["comm"], v["clone_flags"], v["oom_score_adj"]
    if name == "task_rename":
        return v.get("pid", by), v["oldcomm"], v["newcomm"]
    if name == "sched_process_fork":
        return v["child_pid"], v["parent_pid"], v["child_comm"]
    if name == "sched_process_exec":
        return v["pid"], v["old_pid"], v["filename"]
    if name == "sched_process_exit":
        return v["pid"], v["comm"], int(v["group_dead"]) if "group_dead" in v else None
    if name == "sched_process_free":
        return (v["pid"],)
    if name == "oom_score_adj_update":
        return v["pid"], v["oom_score_adj"]
    raise SystemExit("event %s is not one of ours" % name)


def from_lifetrace(program, path, has_group_dead):
    for e in dump(program, path):
        name, time = e["event"], e["time"]
        if name == "task_new":
            yield (time, "task_newtask", (e["tid"], e["creator"], e["comm"], e["clone_flags"],
                                          e["oom_score_adj"]))
            if e["flags"] & (IO_WORKER | USER_WORKER):
                counts["births_without_fork"] += 1
            else:
                yield time, "sched_process_fork", (e["tid"], e["creator"], e["comm"])
        elif name == "rename":
            yield time, "task_rename", (e["tid"], e["old"], e["comm"])
        elif name == "exec":
            yield time, "sched_process_exec", (e["tid"], e["old_tid"], e["file"])
        elif name == "exit":
            yield time, "sched_process_exit", (e["tid"], e["comm"],
                                               e["group_dead"] if has_group_dead else None)
        elif name == "release":
            yield time, "sched_process_free", (e["tid"],)
        elif name == "oom_score_adj":
            # The kernel's event of a write through a thread names the thread.
            yield time, "oom_score_adj_update", (e["tgid"], e["oom_score_adj"])


def marks(events, source):
    found = {v[2]: time for time, kind, v in events
             if kind == "task_rename" and v[2] in ("lt-begin", "lt-end")}
    if len(found) != 2:
        raise SystemExit("%s: the marks were not found: %s" % (source, found))
    return found["lt-begin"], found["lt-end"]


def index(events):
    """{(kind, fields): times}, each list in order; a path is left out of the fields."""
    out = {}
    for time, kind, v in events:
        key = (kind, v[:2]) if kind == "sched_process_exec" else (kind, v)
        out.setdefault(key, []).append((time, v))
    return out


def same_file(a, b):
    a, b = (os.path.normpath(os.path.join("/job", path)) for path in (a, b))
    if a == b:
        return True
    if a in LINKS or b in LINKS or "busybox" in (os.path.basename(a), os.path.basename(b)):
        counts["paths_through_links"] += 1
        return True
    return False


def compare(f, mine, theirs, source):
    """Each of mine between the marks has one of theirs."""
    begin, end = marks(mine, source)
    there, used = index(theirs), set()
    for time, kind, v in mine:
        if not begin <= time <= end:
            continue
        key = (kind, v[:2]) if kind == "sched_process_exec" else (kind, v)
        times = there.get(key, [])
        at = bisect_left(times, (time, ()))
        near = [i for i in (at - 2, at - 1, at, at + 1) if 0 <= i < len(times) and
                abs(times[i][0] - time) < CLOSE and (key, i) not in used]
        if not near:
            f.add("%s only" % source, "%s %s at %d" % (kind, v, time))
            continue
        best = min(near, key=lambda i: abs(times[i][0] - time))
        used.add((key, best))
        counts["worst_us"] = max(counts["worst_us"], abs(times[best][0] - time) // 1000)
        if kind == "sched_process_exec":
            f.check(same_file(v[2], times[best][1][2]), "another path",
                    "%s, %s" % (v[2], times[best][1][2]))
        counts["%s_%s" % (source, kind)] += 1


def main():
    program, path, directory, minimum = usage(__doc__, 4)
    faults = Faults()
    theirs = from_ftrace(directory)
    exits = [v for _, kind, v in theirs if kind == "sched_process_exit"]
    mine = sorted(from_lifetrace(program, path, bool(exits) and exits[0][2] is not None),
                  key=lambda e: e[0])
    compare(faults, mine, theirs, "lifetrace")
    compare(faults, theirs, mine, "ftrace")
    print_counts(counts)
    compared = sum(n for key, n in counts.items() if key.startswith("ftrace_"))
    print("compared", compared)
    for kind in ("task_newtask", "task_rename", "sched_process_fork", "sched_process_exec",
                 "sched_process_exit", "sched_process_free", "oom_score_adj_update"):
        ours, others = counts["lifetrace_" + kind], counts["ftrace_" + kind]
        # An event on the very mark may be within for one and without for the other.
        faults.check(abs(ours - others) <= 2, "counts", "%s: %d, %d" % (kind, ours, others))
        faults.check(others, "none at all", kind)
    faults.check(compared >= int(minimum), "too few", compared)
    faults.check(counts["cpus"] >= 2, "too few CPUs", counts["cpus"])
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
