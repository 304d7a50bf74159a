#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidps.py LIFETRACE TRACE FILE MINIMUM

Compares lists of `lifetrace ps --json`, made while numbers were given again and again,
with a trace of that time. In FILE each list is followed by a line "status N", its exit
status. A proven list names the generation in which it was made. Each row must be the
one task that had the number in that generation: its start, its name, and its parent; a
task that was there from before that generation to after it must be in the list.

Prints "key value" lines; exit status 1 when something is not so.
"""
import json
import sys
from collections import Counter

from common import print_counts, usage
from pidlib import World

TICK = 10_000_000
NAME_SIZE = 16

counts = Counter()


def read(path):
    """(status, rows) of each list."""
    lists, rows = [], []
    with open(path) as f:
        for line in f:
            if line.startswith("status "):
                lists.append((int(line.split()[1]), rows))
                rows = []
            else:
                rows.append(json.loads(line))
    return lists


class Generations:
    """When each was, in the initial namespace."""

    def __init__(self, world):
        wraps = world.wraps.get(world.initial_ns(), [])
        self.begin = {w["generation"]: w["time"] for w in wraps}
        self.last = wraps[-1]["generation"]
        self.world_end = world.end_time

    def span(self, generation):
        return (self.begin.get(generation, 0),
                self.begin.get(generation + 1, self.world_end))


def in_sight(t, begin, end):
    """Whether it can have been seen at some time from begin to end."""
    return (t.born or 0) <= end and (t.released is None or t.released >= begin)


def task_part(name):
    """Of a kernel worker's name, without what it works on."""
    return name.split("-")[0].split(":")[0]


def is_torn(name, old, new):
    """Since 6.13 a name is written and read without a lock: a reader may see the first
    bytes of the new one, and behind them the old one's."""
    old, new = old.ljust(NAME_SIZE, "\0"), new.ljust(NAME_SIZE, "\0")
    return any((new[:k] + old[k:]).split("\0")[0] == name for k in range(1, NAME_SIZE))


def has_name(t, name):
    """Whether the name may have been read of that task."""
    names = [n for _, n in t.names]
    if t.born is None or task_part(name) in map(task_part, names):
        return True
    torn = any(is_torn(name, old, new) for old, new in zip(names, names[1:]))
    counts["rows_of_torn_names"] += torn
    return torn


def compare(f, holders, final, row, begin, end):
    """The task that has that number in that generation, and fits."""
    here = [t for t in holders.get(row["pid"], ()) if in_sight(t, begin, end) and
            t.tgid == t.id[0]]
    fit = [t for t in here if t.id[1] // TICK == row["start_ns"] // TICK and
           has_name(t, row["comm"])]
    if not f.check(fit, "not the task of its generation", "%s: %s" % (row, here)):
        return None
    t = fit[-1]
    parents = {p[0] for p in (t.parent, t.end_parent) if p is not None} or {0}
    if t.id in final:
        parents.add(final[t.id]["parent"])
    f.check(row["ppid"] in parents, "another parent", "%s: %s, %s" % (row, t, parents))
    return t


def one_list(world, generations, holders, rows):
    f = world.faults
    final = max(world.snapshots.items())[1][2]
    generation = rows[0]["generation"]
    begin, end = generations.span(generation)
    numbers = [r["pid"] for r in rows]
    f.check(len(set(numbers)) == len(numbers), "a number twice", numbers)
    f.check(all(r["proven"] and r["generation"] == generation for r in rows), "marks", rows[0])
    seen = set()
    for row in rows:
        t = compare(f, holders, final, row, begin, end)
        counts["rows"] += 1
        counts["rows_of_short_tasks"] += t is not None and t.born is not None
        if t is not None:
            seen.add(t.id)
    for t in world.tasks.values():
        if t.tgid == t.id[0] and (t.born or 0) < begin and (t.exit is None or t.exit > end):
            f.check(t.id in seen, "left out", "%s in generation %d" % (t, generation))


def main():
    program, path, file, minimum = usage(__doc__, 4)
    lists, world = read(file), World(program, path)
    f, generations = world.faults, Generations(world)
    holders = {nr: tasks for (ns, nr), tasks in world.holders().items()
               if ns == world.initial_ns()}
    for status, rows in lists:
        counts["status_%d" % status] += 1
        if status == 0:
            one_list(world, generations, holders, rows)
        else:
            f.check(status == 1 and not any(r["proven"] for r in rows), "not proven, not marked",
                    (status, rows[:1]))
    print_counts(counts)
    f.check(counts["status_0"] >= int(minimum), "too few proven lists", counts["status_0"])
    f.check(counts["status_1"], "no list that is not proven")
    f.check(counts["rows_of_short_tasks"] > counts["status_0"], "too few tasks that come and go")
    f.print()
    return 1 if f.total else 0


if __name__ == "__main__":
    sys.exit(main())
