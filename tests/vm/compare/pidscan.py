#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidscan.py LIFETRACE TRACE FILE SCANS ACCEPTED

Compares what tools/pidgen-scan saw with a trace of that time. A scan whose two readings
of /proc/pid_gen were equal is accepted, and must be right:

- no number was given twice between the readings;
- no number had two holders that could both be seen between the readings, from
  birth to exit, in the trace;
- no number that the scan looked at twice was of two tasks, by their own names.

Such changes of hands are counted in the other scans: without any the test would show
nothing. The readings themselves, and the times at which poll() woke, must be those of
the trace.

Prints "key value" lines; exit status 1 when something is not so.
"""
import re
import sys
from bisect import bisect_left, bisect_right

from common import usage
from pidlib import World

POLL_NS = 3_000_000_000		# a busy machine may take so long to wake a task


class Scan:
    __slots__ = ("old", "new", "t", "mixed", "n")

    def __init__(self, words):
        self.old, self.new, *self.t = map(int, words)
        self.mixed, self.n = [], 0

    @property
    def accepted(self):
        return self.old == self.new


def read(path):
    scans, polls = [], []
    with open(path, errors="replace") as f:
        for line in f:
            what, *words = line.split()
            if what == "scan":
                scans.append(Scan(words))
            elif what == "poll":
                polls.append([int(w) for w in words])
            else:
                scans[-1].n += 1
                mix = is_mixed(words)
                if mix:
                    scans[-1].mixed.append(mix)
    return scans, polls


def is_own(name):
    """A child's own name. While it is being set, later kernels show a part of it with the
    rest of the parent's behind."""
    return re.fullmatch("c[0-9]+[0-9a-f]*", name)


def is_mixed(words):
    """Two looks at one number, and two tasks: a child has a name of its own."""
    if len(words) != 5:
        return None
    nr, ticks, name, ticks2, name2 = words
    unique = is_own(name) and is_own(name2)
    return (nr, name, name2) if ticks != ticks2 or unique else None


def changes(world):
    """(exit of the old one, birth of the new one, number), in order of the births."""
    root, out = world.initial_ns(), []
    for (ns, nr), tasks in world.holders().items():
        if ns != root:
            continue
        for old, new in zip(tasks, tasks[1:]):
            if old.exit is not None and new.born is not None:
                out.append((new.born, old.exit, old.born or 0, nr))
    return sorted(out)


def compare(world, scans):
    f, rows = world.faults, changes(world)
    births = [r[0] for r in rows]
    found = {True: [0, 0, 0], False: [0, 0, 0]}
    for s in scans:
        low, high = s.t[1], s.t[2]
        here = rows[bisect_left(births, low):bisect_right(births, high)]
        replaced = [r for r in here if r[1] >= low]
        twice = [r for r in here if r[2] >= low]
        counts = found[s.accepted]
        counts[0] += len(twice)
        counts[1] += len(replaced)
        counts[2] += len(s.mixed)
        if s.accepted:
            f.check(not twice, "number given twice in an accepted scan", twice[:2])
            f.check(not replaced, "number replaced in an accepted scan", replaced[:2])
            f.check(not s.mixed, "two tasks of one number in an accepted scan", s.mixed[:2])
    for name, accepted in (("accepted", True), ("rejected", False)):
        print("%s_given_twice %d" % (name, found[accepted][0]))
        print("%s_replaced %d" % (name, found[accepted][1]))
        print("%s_mixed %d" % (name, found[accepted][2]))
    # A scan is hardly ever so slow that a number is given twice in it.
    f.check(found[False][1], "no number was replaced at all")
    f.check(found[False][2], "no number was seen mixed at all")


def compare_readings(world, scans, polls):
    f, root = world.faults, world.initial_ns()
    wraps = world.wraps.get(root, [])
    times = [w["time"] for w in wraps]
    values = [world.namespaces[root][0]["generation"]] + [w["generation"] for w in wraps]
    for s in scans:
        for value, a, b in ((s.old, s.t[0], s.t[1]), (s.new, s.t[2], s.t[3])):
            least, most = values[bisect_left(times, a)], values[bisect_right(times, b)]
            f.check(least <= value <= most, "pid_gen",
                    "%d, not %d to %d, at %d" % (value, least, most, a))
    worst = 0
    for old, new, _, t1 in polls:
        if not f.check(new > old, "poll returned for nothing", (old, new)):
            continue
        # The wrap that ended the generation that was read.
        n = bisect_left(values, old + 1)
        at = wraps[n - 1]["time"]
        late = t1 - at
        worst = max(worst, late)
        f.check(at <= t1, "poll returned too early", (old, new, late))
        f.check(late < POLL_NS, "poll returned too late", (old, new, late))
    print("polls", len(polls))
    print("poll_worst_ms", worst // 1_000_000)
    f.check(len(polls) >= 20, "too few polls", len(polls))


def main():
    program, path, file, minimum, least = usage(__doc__, 5)
    scans, polls = read(file)
    world = World(program, path)
    f = world.faults
    accepted = sum(s.accepted for s in scans)
    print("scans", len(scans))
    print("accepted", accepted)
    print("numbers_seen", sum(s.n for s in scans))
    f.check(len(scans) >= int(minimum), "too few scans", len(scans))
    f.check(accepted >= int(least), "too few accepted", accepted)
    compare(world, scans)
    compare_readings(world, scans, polls)
    world.check_sums()
    world.check_reuse()
    world.check_generations()
    world.check_sight()
    print("generations", len(world.wraps.get(world.initial_ns(), ())))
    f.print()
    return 1 if f.total else 0


if __name__ == "__main__":
    sys.exit(main())
