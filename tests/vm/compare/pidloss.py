#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidloss.py LIFETRACE FILE FORKS...

Compares a trace in which events were lost with the children that tools/racer-forks
made; each FORKS is the file of one run.

1. For each CPU, class and packet: seen = records + lost + filtered, counted by ltfile.
2. The births and exits in the trace are right, each is there at most once, and no more
   are missing than were lost.
3. Snapshots are complete, and the last one has no child, since all are dead.
4. `lifetrace tasks` calls nothing of a child exact or bounded that is wrong, and no
   child alive.

Prints "key value" lines: kmem_lost, pid_lost, children, births, exits,
ends_exact, ends_uncertain and so on.
Exit status 1 when something is wrong.
"""
import json
import sys
from collections import Counter

import ltfile
import sums
from common import Faults, dump, lines, print_counts

TOLERANCE_NS = 2000


class Children:
    """What racer-forks wrote down, by tid. No number is used again in so short a time."""

    def __init__(self, paths):
        self.by_tid = {}
        for path in paths:
            with open(path, encoding="ascii") as f:
                for line in f:
                    tid, before, after, status, name = line.split()
                    self.by_tid[int(tid)] = (int(before), int(after), int(status), name)

    def of(self, event, start="start"):
        """The child that an event or a row is about, by its number and time; or None."""
        child = self.by_tid.get(event.get("tid"))
        if child and child[0] - TOLERANCE_NS <= event[start] <= child[1] + TOLERANCE_NS:
            return child
        return None


def check_events(program, path, children, faults, counts):
    born, exited, snaps = Counter(), Counter(), {}
    for e in dump(program, path):
        what = e["event"]
        if what == "snap_begin":
            snaps[e["epoch"]] = {"purpose": e["purpose"], "states": 0}
        elif what == "snap_end":
            snaps[e["epoch"]].update(complete=e["complete"], tasks=e["tasks"])
        if what not in ("task_new", "exit", "state"):
            continue
        child = children.of(e)
        if what == "state":
            snaps[e["epoch"]]["states"] += 1
            if child and snaps[e["epoch"]]["purpose"] == 2 and not e["flags"] & 8:
                faults.add("dead and in the final snapshot", child[3])
        if not child:
            continue
        if what == "task_new":
            born[e["tid"]] += 1
        elif what == "exit":
            exited[e["tid"]] += 1
            if e["code"] != child[2] << 8 or e["comm"] != child[3] or not e["group_dead"]:
                faults.add("exit", "%s: %s" % (child, e))
        if what != "state" and not \
                child[0] - TOLERANCE_NS <= e["time"] <= child[1] + TOLERANCE_NS:
            faults.add("time of " + what, "%s at %d" % (child, e["time"]))
    for name, found, class_ in (("births", born, "birth"), ("exits", exited, "exit")):
        counts[name] = len(found)
        if max(found.values(), default=0) > 1:
            faults.add(name + " twice")
        if len(children.by_tid) - len(found) > counts["pid_lost_" + class_]:
            faults.add("missing " + name, "%d of %d, but only %d of the class were lost" % (
                len(found), len(children.by_tid), counts["pid_lost_" + class_]))
    counts["children"] = len(children.by_tid)
    check_snapshots(snaps, faults, counts)


def check_snapshots(snaps, faults, counts):
    if sorted(s["purpose"] for s in snaps.values()) != [0, 2]:
        faults.add("snapshots", snaps)
    for snap in snaps.values():
        if not snap.get("complete") or snap["tasks"] != snap["states"]:
            faults.add("snapshot not complete", snap)
        counts["snapshot_tasks"] += snap["states"]


def check_tasks(program, path, children, faults, counts):
    seen = Counter()
    for t in map(json.loads, lines(program, "tasks", "--absolute", "--json", path)):
        child = children.of(t, "start_ns")
        if not child:
            continue
        before, after, status, name = child
        birth, end = t["birth_certainty"], t["end_certainty"]
        counts["births_" + birth] += 1
        counts["ends_" + end] += 1
        seen[t["tid"]] += 1
        right = end != "open" and birth != "before"
        if birth == "exact":
            right = right and before <= t["birth_ns"] + TOLERANCE_NS <= after + 2 * TOLERANCE_NS
        if end == "exact":
            right = right and before <= t["end_ns"] <= after + TOLERANCE_NS and \
                (t["exit_code"], t["comm"]) == (status, name)
        elif end == "bounded":
            right = right and t["last_seen_ns"] <= after + TOLERANCE_NS and before <= t["end_ns"]
        if not right:
            faults.add("task", "%s is reported as %s" % (child, t))
    if max(seen.values(), default=0) > 1:
        faults.add("two tasks for one child")
    for what in ("births", "exits"):
        name = {"births": "births_exact", "exits": "ends_exact"}[what]
        if counts[name] != counts[what]:
            faults.add(name, "%d %s are in the trace, %d are called exact" % (
                counts[what], what, counts[name]))


def main(program, path, *forks):
    faults, counts = Faults(), Counter()
    for number in (ltfile.KMEM, ltfile.PID):
        trace = ltfile.Trace(path, number)
        found, name = sums.check(trace, faults), trace.schema.name
        counts[name + "_seen"], counts[name + "_lost"] = sums.total(found, "seen"), sums.lost(found)
        for class_ in trace.schema.classes:
            counts["%s_lost_%s" % (name, class_)] = sums.lost(found, class_)
        counts["sums_checked"] += found["sums_checked"]
    children = Children(forks)
    check_events(program, path, children, faults, counts)
    check_tasks(program, path, children, faults, counts)
    print_counts(counts)
    faults.print()
    return 1 if faults.total or not counts["sums_checked"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
