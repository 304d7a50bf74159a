#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidreuse.py LIFETRACE TRACE LOG
       pidreuse.py - - LOG

Compares a trace with the log of tools/reuse.

In the nested namespaces only that program makes tasks. There the log is replayed with
the kernel's rule for giving numbers; the rule foretells each number, so the log is
complete. The trace must have all that follows: each generation, each wrap and its
reason, each reuse with both tasks, each number that was burned, each value of
/proc/pid_gen.

In the initial namespace other programs make tasks, too; there the reuses are compared
with the trace's own births, which the names tie to the log.

Without a trace only the log is checked, and the values of pid_gen. Prints "key value"
lines; exit status 1 when something is wrong.
"""
import json
import sys
from bisect import bisect_right

from common import Faults, usage
from pidlib import World, joined_by_name

RESERVED = 300


class Namespace:
    """The kernel's numbering, and the rule of generations, of one namespace."""

    def __init__(self, level, faults):
        self.level, self.faults = level, faults
        self.inum = self.pid_max = None
        self.cursor = self.seen_cursor = 0
        self.generation, self.wraps = 0, []	# (why, number)
        self.held, self.used, self.holders = {}, {}, {}
        self.allocated = self.burned = 0
        self.expected = {}			# name: (number, generation)
        self.reuses = []			# (number, generation, holders, old, new)
        self.reads = []				# (generation, value)

    def next_number(self):
        start = RESERVED if self.cursor > RESERVED else 1
        for low, high in ((max(self.cursor, start), self.pid_max or 1 << 22),
                          (start, self.pid_max)):
            for number in range(low, high):
                if number not in self.held:
                    return number
        raise SystemExit("no number is free")

    def give(self, number, cyclic, name):
        if cyclic:
            expected = self.next_number()
            self.faults.check(number in (expected, None), "log: not the next number",
                              "level %d: %s, not %d" % (self.level, number, expected))
            number = expected if number is None else number
            self.cursor = number + 1
        self.allocated += 1
        if self.cursor < self.seen_cursor:
            self.step(1, number if name else 0)
        elif self.used.get(number) == self.generation:
            self.step(2, number)
        self.used[number] = self.generation
        self.seen_cursor = self.cursor
        if name is None:
            self.burned += 1
            return number
        self.held[number] = name
        old = self.holders.setdefault(number, [])
        if old:
            self.reuses.append((number, self.generation, len(old) + 1, old[-1], name))
        old.append(name)
        self.expected[name] = (number, self.generation)
        return number

    def step(self, why, number):
        self.generation += 1
        self.wraps.append((why, number, self.generation))

    def free(self, number):
        self.held.pop(number, None)
        self.used[number] = self.generation


class Log:
    """The log replayed; namespaces by the order of their births."""

    def __init__(self, path, faults):
        self.faults, self.spaces, self.stack = faults, [], []
        self.numbers, self.t0, self.names = {}, {}, []
        self.reads0, self.burned0 = [], 0
        with open(path) as f:
            for line in f:
                e = json.loads(line)
                getattr(self, "on_" + e["what"])(e)

    def on_ns(self, e):
        if e["level"] == 0:
            return
        space = self.stack[e["level"] - 1]
        space.inum, space.pid_max = e["inum"], e["pid_max"]

    def on_born(self, e):
        name, numbers = e["name"], e["numbers"]
        if e["level"] > len(self.stack):
            space = Namespace(e["level"], self.faults)
            space.init = name
            self.stack.append(space)
            self.spaces.append(space)
        self.names.append(name)
        self.numbers[name], self.t0[name] = numbers, (e["t0"], e["t1"])
        for n, (space, number) in enumerate(zip(self.stack, numbers[1:]), 1):
            # clone3 was asked for the innermost number alone.
            space.give(number, e["cyclic"] or n < e["level"], name)

    def on_freed(self, e):
        for space, number in zip(self.stack, self.numbers[e["name"]][1:]):
            space.free(number)

    def on_burned(self, e):
        if e["level"] == 0:
            self.burned0 += 1
        for n, space in enumerate(self.stack, 1):
            number = space.give(e["last"] if n == e["level"] else None, True, None)
            space.free(number)

    def on_cursor(self, e):
        if e["level"]:
            self.stack[e["level"] - 1].cursor = e["last"] + 1

    def on_gen(self, e):
        if e["level"] == 0:
            self.reads0.append(e)
            return
        space = self.stack[e["level"] - 1]
        space.reads.append((space.generation, e["value"]))

    def on_left(self, e):
        space = self.stack.pop()
        for outer, number in zip(self.stack, self.numbers[space.init][1:]):
            outer.free(number)


def find_ids(world, log, found):
    """Which id the trace gives to each namespace: that of its first task."""
    ids = {}
    for n, space in enumerate(log.spaces):
        t = found.get(int(space.init[1:], 16))
        if not world.faults.check(t is not None and t.numbers, "no first task", space.init):
            continue
        ids[n] = t.ns
        said = world.namespaces.get(t.ns, [])
        if not world.faults.check(said, "namespace without an event", t):
            continue
        for e in said:
            world.faults.check((e["level"], e["inum"]) == (space.level, space.inum),
                               "another namespace", e)
            world.faults.check(e["exact"] == 1, "namespace not exact", e)
            if e["init_tid"]:
                world.faults.check((e["init_tid"], e["init_start"]) == t.id, "another init", e)
    world.faults.check(len(set(ids.values())) == len(log.spaces), "ids of namespaces", ids)
    return ids


def compare_births(world, log, found, ids):
    f, root = world.faults, world.initial_ns()
    by_name = {}
    for name in log.names:
        t = found.get(int(name[1:], 16))
        if not f.check(t is not None, "not in the trace", name):
            continue
        by_name[name] = t
        numbers = log.numbers[name]
        f.check(t.id[0] == numbers[0] and t.nr == numbers[-1], "another number",
                "%s: %s" % (t, numbers))
        f.check(len(t.numbers) == len(numbers) - 1, "levels", "%s: %s" % (t, numbers))
        f.check(t.born >= log.t0[name][0] and t.born <= log.t0[name][1], "time of birth", t)
        f.check(t.generation is not None, "no generation", t)
    for n, space in enumerate(log.spaces):
        for name, (number, generation) in space.expected.items():
            t = by_name.get(name)
            if t is None:
                continue
            said = [x for x in t.numbers if x[0] == ids.get(n)]
            f.check(said == [(ids.get(n), number, generation)], "another generation",
                    "%s: %s, not %s" % (t, said, (ids.get(n), number, generation)))
    f.check(root not in ids.values(), "initial namespace", root)
    print("births", len(by_name))
    return by_name


def compare_space(world, space, ns, by_name):
    f, where = world.faults, "namespace %s (level %d)" % (ns, space.level)
    wraps = [(w["why"], w["nr"], w["generation"]) for w in world.wraps.get(ns, [])]
    for found, real in zip(wraps, space.wraps):
        if found != real:
            f.add("another wrap", "%s: %s, not %s" % (where, found, real))
            break
    f.check(len(wraps) == len(space.wraps), "number of wraps",
            "%s: %d, not %d" % (where, len(wraps), len(space.wraps)))
    reported = {(e["nr"], e["tid"], e["start"]): e for e in world.reused if e["ns"] == ns}
    for number, generation, holders, old, new in space.reuses:
        old, new = by_name.get(old), by_name.get(new)
        if old is None or new is None:
            continue
        e = reported.pop((number, *new.id), None)
        if not f.check(e is not None, "reuse not reported", "%s: %d, %s" % (where, number, new)):
            continue
        f.check((e["old_tid"], e["old_start"]) == old.id, "reuse of another one", e)
        f.check((e["generation"], e["holders"]) == (generation, holders),
                "reuse: generation or holders", "%s: %s" % (e, (generation, holders)))
        world.check_death(e, old)
    for e in reported.values():
        f.add("false reuse", e)
    gone = world.gone.get(ns)
    if f.check(gone is not None, "end of a namespace not reported", where):
        said = gone["generation"], gone["allocated"], gone["born"], gone["burned"], gone["wraps"]
        real = (space.generation, space.allocated, len(space.expected), space.burned,
                sum(w[0] == 1 for w in space.wraps))
        f.check(said == real, "counts of a namespace",
                "%s: generation, allocated, born, burned, wraps %s, not %s" % (where, said, real))


def compare_initial(world, log):
    """Reads of pid_gen in the initial namespace, and what was burned there."""
    f, root = world.faults, world.initial_ns()
    wraps = world.wraps.get(root, [])
    times, low = [w["time"] for w in wraps], world.namespaces[root][0]["generation"]
    values = [low] + [w["generation"] for w in wraps]
    for e in log.reads0:
        least, most = (values[bisect_right(times, e[t])] for t in ("t0", "t1"))
        f.check(least <= e["value"] <= most, "pid_gen", "%d, not %d to %d: %s" %
                (e["value"], least, most, e))
    last = world.namespaces[root][-1]
    nested = sum(s.burned for s in log.spaces if s.level == 1) + log.burned0
    # A number of a clone that failed in a nested namespace is burned in all around it.
    f.check(last["burned"] >= nested, "burned", "%d, not %d" % (last["burned"], nested))
    f.check(last["allocated"] == last["born"] + last["burned"] or
            last["allocated"] - last["born"] - last["burned"] <= 2, "allocated", last)
    print("reads_initial", len(log.reads0))
    print("burned_initial", last["burned"])
    print("burned_in_log", nested)


def main():
    program, path, log_path = usage(__doc__, 3)
    faults = Faults()
    log = Log(log_path, faults)
    for space in log.spaces:
        for generation, value in space.reads:
            faults.check(generation == value, "pid_gen in a namespace",
                         "level %d: %d, not %d" % (space.level, value, generation))
    whys = [w[0] for s in log.spaces for w in s.wraps]
    print("namespaces", len(log.spaces))
    print("numbers_given", sum(s.allocated for s in log.spaces))
    print("reuses_in_log", sum(len(s.reuses) for s in log.spaces))
    print("cursor_went_back", whys.count(1))
    print("given_again", whys.count(2))
    print("reads_nested", sum(len(s.reads) for s in log.spaces))
    if program != "-":
        world = World(program, path, faults=faults)
        found = joined_by_name(world, "r")
        ids = find_ids(world, log, found)
        by_name = compare_births(world, log, found, ids)
        for n, space in enumerate(log.spaces):
            compare_space(world, space, ids.get(n), by_name)
        compare_initial(world, log)
        world.check_sums()
        world.check_forest()
        world.check_reuse()
        world.check_generations()
        world.check_sight()
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
